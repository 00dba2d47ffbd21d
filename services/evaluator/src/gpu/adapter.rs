//! Which adapters there are, and which one may serve.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{GpuError, GpuOptions, thread::panic_text};

/// What kind of device an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdapterKind {
    /// A card of its own.
    Discrete,
    /// Part of the processor.
    Integrated,
    /// Passed through by a hypervisor.
    Virtual,
    /// Run by the CPU (llvmpipe): for tests only.
    Software,
    /// The driver does not say.
    Unknown,
}

/// An adapter that the graphics interface offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterReport {
    /// Name by its driver.
    pub name: String,
    /// Kind of device.
    pub kind: AdapterKind,
    /// Graphics interface: `vulkan`, `metal`, `dx12`.
    pub interface: String,
    /// Driver and version.
    pub driver: String,
    /// PCI address such as `0000:01:00.0`; empty where unknown.
    pub pci: String,
    /// Why it may not serve; `None` if it may.
    pub rejected: Option<String>,
}

/// Lists the adapters, each with the reason why these options reject it.
///
/// # Errors
/// [`GpuError::NoInterface`], [`GpuError::NoLoader`], [`GpuError::NoAdapter`], or [`GpuError::Panicked`].
pub fn list_adapters(options: &GpuOptions) -> Result<Vec<AdapterReport>, GpuError> {
    // Driver and loader run inside: whatever they do to wgpu must not reach the caller.
    catch_unwind(AssertUnwindSafe(|| {
        let instance = open_instance()?;
        let adapters = enumerate(&instance)?;
        Ok(adapters.iter().map(|adapter| report(adapter, options)).collect())
    }))
    .unwrap_or_else(|payload| Err(GpuError::Panicked(panic_text(&*payload))))
}

/// Opens the graphics interface. May panic inside wgpu: call it under `catch_unwind`.
pub(super) fn open_instance() -> Result<wgpu::Instance, GpuError> {
    // `Instance::new` panics if this is empty.
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Err(GpuError::NoInterface);
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    // Debug builds would ask for validation layers, which change timing and need not be installed.
    descriptor.flags = wgpu::InstanceFlags::empty();
    Ok(wgpu::Instance::new(descriptor))
}

/// All adapters, the best kinds first. May panic inside wgpu.
pub(super) fn enumerate(instance: &wgpu::Instance) -> Result<Vec<wgpu::Adapter>, GpuError> {
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    if adapters.is_empty() {
        return Err(why_none(instance));
    }
    adapters.sort_by_key(|adapter| preference(kind(&adapter.get_info())));
    Ok(adapters)
}

/// The first adapter that the options allow, with its report.
pub(super) fn choose(
    instance: &wgpu::Instance,
    options: &GpuOptions,
) -> Result<(wgpu::Adapter, AdapterReport), GpuError> {
    let mut reasons = vec![];
    for adapter in enumerate(instance)? {
        let report = report(&adapter, options);
        match &report.rejected {
            None => return Ok((adapter, report)),
            Some(reason) => reasons.push(format!("{}: {reason}", report.name)),
        }
    }
    Err(GpuError::NoUsableAdapter(reasons.join("; ")))
}

/// Tells a missing loader or driver from drivers that offer nothing.
fn why_none(instance: &wgpu::Instance) -> GpuError {
    let request = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    match request {
        Err(wgpu::RequestAdapterError::NotFound { active_backends, .. }) if active_backends.is_empty() => {
            GpuError::NoLoader
        }
        _ => GpuError::NoAdapter,
    }
}

fn report(adapter: &wgpu::Adapter, options: &GpuOptions) -> AdapterReport {
    let info = adapter.get_info();
    let kind = kind(&info);
    let mut report = AdapterReport {
        kind,
        interface: info.backend.to_str().to_owned(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        pci: info.device_pci_bus_id,
        name: info.name,
        rejected: None,
    };
    report.rejected = reject(&report, &adapter.limits(), options);
    report
}

fn reject(report: &AdapterReport, limits: &wgpu::Limits, options: &GpuOptions) -> Option<String> {
    if report.kind == AdapterKind::Software && !options.allow_software {
        return Some("a software adapter is no gpu; it is used only where a test allows it".to_owned());
    }
    if let Some(wanted) = &options.adapter
        && !report.name.to_lowercase().contains(&wanted.to_lowercase())
        && report.pci != *wanted
    {
        return Some("the configuration asks for another adapter".to_owned());
    }
    let needed = required_limits();
    (!needed.check_limits(limits)).then(|| "its limits are below core webgpu's downlevel limits".to_owned())
}

/// What the kernels need: nothing beyond WebGPU's most modest set.
pub(super) fn required_limits() -> wgpu::Limits {
    wgpu::Limits::downlevel_defaults()
}

fn kind(info: &wgpu::AdapterInfo) -> AdapterKind {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
        wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
        wgpu::DeviceType::Cpu => AdapterKind::Software,
        wgpu::DeviceType::Other => AdapterKind::Unknown,
    }
}

/// Lower is better.
fn preference(kind: AdapterKind) -> u8 {
    match kind {
        AdapterKind::Discrete => 0,
        AdapterKind::Virtual => 1,
        AdapterKind::Integrated => 2,
        AdapterKind::Unknown => 3,
        AdapterKind::Software => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::architecture::{FEATURES_PER_BUCKET, MAX_KING_BUCKETS, WIDTHS};

    fn adapter(kind: AdapterKind) -> AdapterReport {
        AdapterReport {
            name: "Test Card 9000".to_owned(),
            kind,
            interface: "vulkan".to_owned(),
            driver: "test 1.0".to_owned(),
            pci: "0000:01:00.0".to_owned(),
            rejected: None,
        }
    }

    #[test]
    fn an_adapter_with_less_than_the_kernels_need_is_rejected() {
        let card = adapter(AdapterKind::Discrete);
        let options = GpuOptions::default();
        let enough = required_limits();
        assert_eq!(reject(&card, &enough, &options), None);
        assert_eq!(reject(&card, &wgpu::Limits::default(), &options), None);
        let less: [fn(&mut wgpu::Limits); 6] = [
            |limits| limits.max_compute_workgroups_per_dimension -= 1,
            |limits| limits.max_compute_invocations_per_workgroup -= 1,
            |limits| limits.max_compute_workgroup_storage_size -= 1,
            |limits| limits.max_storage_buffer_binding_size -= 1,
            |limits| limits.max_buffer_size -= 1,
            |limits| limits.max_storage_buffers_per_shader_stage -= 1,
        ];
        for change in less {
            let mut limits = enough.clone();
            change(&mut limits);
            let reason = reject(&card, &limits, &options);
            assert!(
                reason.is_some_and(|reason| reason.contains("limits")),
                "{limits:?}"
            );
        }
    }

    #[test]
    fn software_and_other_adapters_are_rejected_unless_asked_for() {
        let limits = required_limits();
        let software = adapter(AdapterKind::Software);
        let mut options = GpuOptions::default();
        let reason = reject(&software, &limits, &options);
        assert!(reason.is_some_and(|reason| reason.contains("software")));
        options.allow_software = true;
        assert_eq!(reject(&software, &limits, &options), None);
        for (wanted, is_this) in [("card 9", true), ("0000:01:00.0", true), ("other", false)] {
            options.adapter = Some(wanted.to_owned());
            assert_eq!(
                reject(&software, &limits, &options).is_none(),
                is_this,
                "{wanted}"
            );
        }
    }

    /// WebGPU's most modest adapter binds 128 MiB (gfx-rs/wgpu#1808): whatever a file may hold is less.
    #[test]
    fn the_widest_network_fits_into_a_binding() {
        let limits = required_limits();
        let rows = FEATURES_PER_BUCKET * usize::from(MAX_KING_BUCKETS) + 1;
        let bytes = (rows * WIDTHS.end() * size_of::<i16>()) as u64;
        assert_eq!(bytes, 100_667_392);
        assert!(bytes <= limits.max_storage_buffer_binding_size);
        assert!(bytes <= limits.max_buffer_size);
        // And so are the records of the greatest batch, and its sums.
        let records = (tabiya_eval_shaders::upload::input_bytes(super::super::options::MAX_BATCH)) as u64;
        assert!(records <= limits.max_storage_buffer_binding_size);
    }
}
