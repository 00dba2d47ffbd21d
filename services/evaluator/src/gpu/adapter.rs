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
