//! Every kernel passes naga's validation with no optional capability, and keeps to core WebGPU's limits.

use naga::{
    AddressSpace,
    valid::{Capabilities, ValidationFlags, Validator},
};
use tabiya_eval_shaders::{
    HiddenShape, KernelLayout, KernelShape, kernel_source,
    shape::{MAX_WORKGROUP_BYTES, WORKGROUP_SIZE},
    source::ENTRY_POINT,
};

const LAYOUTS: [KernelLayout; 2] = [
    KernelLayout::WorkgroupPerPosition,
    KernelLayout::ThreadPerPosition,
];

fn linear(l1: u32) -> KernelShape {
    KernelShape {
        l1,
        feature_rows: 768,
        output_buckets: 8,
        activation_max: 255,
        activation_shift: 8,
        hidden: None,
    }
}

fn with_hidden(l1: u32, width: u32) -> KernelShape {
    KernelShape {
        activation_shift: 9,
        feature_rows: 16 * 768,
        hidden: Some(HiddenShape {
            width,
            shift: 6,
            max: 127,
        }),
        ..linear(l1)
    }
}

#[test]
fn kernels_validate_within_core_limits() {
    let shapes = [
        linear(32),
        linear(96),
        linear(256),
        linear(1024),
        linear(2048),
        with_hidden(32, 1),
        with_hidden(512, 16),
        with_hidden(2048, 32),
    ];
    for shape in shapes {
        for layout in LAYOUTS {
            let source = kernel_source(&shape, layout).unwrap();
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|error| panic!("{shape:?} {layout:?}: {}", error.emit_to_string(&source)));
            Validator::new(ValidationFlags::all(), Capabilities::empty())
                .validate(&module)
                .unwrap_or_else(|error| panic!("{shape:?} {layout:?}: {}", error.emit_to_string(&source)));
            check_resources(&module, &shape, layout);
        }
    }
}

fn check_resources(module: &naga::Module, shape: &KernelShape, layout: KernelLayout) {
    let [entry] = module.entry_points.as_slice() else {
        panic!("one entry point")
    };
    assert_eq!(entry.name, ENTRY_POINT);
    assert_eq!(entry.workgroup_size, [WORKGROUP_SIZE, 1, 1]);
    let (mut storage, mut uniform, mut workgroup_bytes) = (0, 0, 0);
    for (_, variable) in module.global_variables.iter() {
        match variable.space {
            AddressSpace::Storage { .. } => storage += 1,
            AddressSpace::Uniform => uniform += 1,
            AddressSpace::WorkGroup => {
                workgroup_bytes += module.types[variable.ty]
                    .inner
                    .size(module.to_ctx())
                    .next_multiple_of(16);
            }
            _ => {}
        }
    }
    assert!(
        storage <= 4 && uniform <= 1,
        "{storage} storage, {uniform} uniform buffers"
    );
    match layout {
        KernelLayout::WorkgroupPerPosition => assert_eq!(workgroup_bytes, shape.workgroup_bytes()),
        KernelLayout::ThreadPerPosition => assert_eq!(workgroup_bytes, 0),
    }
    assert!(workgroup_bytes <= MAX_WORKGROUP_BYTES);
}

#[test]
fn kernels_hold_no_float_and_no_signed_division() {
    for shape in [linear(256), with_hidden(512, 16)] {
        for layout in LAYOUTS {
            let source = kernel_source(&shape, layout).unwrap();
            for line in source
                .lines()
                .map(|line| line.split("//").next().unwrap_or_default())
            {
                assert!(!line.contains("f32") && !line.contains('%'), "{line}");
                assert!(!line.contains('/') || line.contains("THREADS / 2u"), "{line}");
            }
        }
    }
}

#[test]
fn shapes_without_a_kernel_are_refused() {
    let refused = |shape: KernelShape| kernel_source(&shape, KernelLayout::default()).unwrap_err().field;
    assert_eq!(refused(linear(0)), "l1");
    assert_eq!(refused(linear(48)), "l1");
    assert_eq!(
        refused(KernelShape {
            feature_rows: 700,
            ..linear(256)
        }),
        "feature_rows"
    );
    assert_eq!(
        refused(KernelShape {
            feature_rows: 768 * 64,
            ..linear(2048)
        }),
        "feature_rows"
    );
    assert_eq!(
        refused(KernelShape {
            output_buckets: 5,
            ..linear(256)
        }),
        "output_buckets"
    );
    assert_eq!(refused(with_hidden(256, 65)), "hidden.width");
    assert_eq!(
        refused(KernelShape {
            activation_shift: 8,
            ..with_hidden(256, 16)
        }),
        "activation_shift"
    );
    assert_eq!(refused(with_hidden(4096, 32)), "l1");
}

#[test]
fn dispatches_cover_every_position() {
    for layout in LAYOUTS {
        for positions in [1, 63, 64, 65, 65_535, 65_536, 131_071, 1_000_000, 10_000_000] {
            let [x, y] = KernelShape::workgroups(layout, positions);
            let per_group = match layout {
                KernelLayout::WorkgroupPerPosition => 1,
                KernelLayout::ThreadPerPosition => u64::from(WORKGROUP_SIZE),
            };
            assert!(x <= 65_535 && y <= 65_535);
            assert!(u64::from(x) * u64::from(y) * per_group >= u64::from(positions));
        }
    }
}
