//! The arithmetic of the network, once for each instruction set.
//!
//! A kernel is a value that proves that this processor can run it: only detection makes one. [`dispatch`]
//! turns the choice made at run time into a type, once and above the search, so that everything below is
//! compiled for one kernel. All kernels give the same numbers; [`crate::evaluate_reference`] is the judge.
//!
//! | kernel | needs | hidden layer |
//! | --- | --- | --- |
//! | [`Scalar`] | nothing | plain loops |
//! | [`Avx2`] | AVX2 | `vpmaddubsw` |
//! | [`Avx512`] | AVX-512 F and BW | `vpdpbusd` if VNNI is there, else `vpmaddubsw` |
//! | `Neon` | arm64 | `smull` |
//!
//! `tests/arm64` runs the tests of the arm64 kernel under user-mode emulation.

mod hidden;
mod nibbles;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub(crate) use nibbles::nibbles;
pub use scalar::Scalar;

use crate::lane::Lane;
use crate::network::Network;

/// One implementation of the network's arithmetic.
pub trait Kernel: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// A stable short name, such as `avx2`.
    fn name(self) -> &'static str;

    /// Writes `from` plus the rows `added` minus the rows `removed` into `to`.
    ///
    /// Both slices are one side's first-layer sums: [`Network::row_lanes`] lanes.
    ///
    /// # Panics
    /// If a row is not below [`crate::network::Architecture::feature_count`] or a slice is shorter than that.
    fn update(self, network: &Network, from: &[Lane], added: &[u32], removed: &[u32], to: &mut [Lane]);

    /// The network's integer output for first-layer sums as the side to move has them and its opponent.
    ///
    /// # Panics
    /// If a slice is shorter than [`Network::row_lanes`] or the output bucket does not exist.
    fn forward(self, network: &Network, own: &[Lane], their: &[Lane], output_bucket: usize) -> i32;
}

/// A kernel chosen at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyKernel {
    /// For every processor.
    Scalar(Scalar),
    /// For x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// For x86-64 with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// For arm64.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

impl AnyKernel {
    /// Every kernel that this processor runs, slowest first.
    pub fn all() -> Vec<Self> {
        let mut kernels = vec![Self::Scalar(Scalar)];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(Avx2::detect().map(Self::Avx2));
            kernels.extend(Avx512::detect_without_vnni().map(Self::Avx512));
            kernels.extend(
                Avx512::detect()
                    .filter(|kernel| kernel.has_vnni())
                    .map(Self::Avx512),
            );
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon(Neon));
        kernels
    }

    /// The fastest kernel that this processor runs.
    pub fn best() -> Self {
        Self::all().last().copied().unwrap_or(Self::Scalar(Scalar))
    }

    /// The kernel of this name, if this processor runs it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|kernel| kernel.name() == name)
    }

    /// The kernel's stable short name.
    pub fn name(self) -> &'static str {
        struct Name;
        impl KernelVisitor for Name {
            type Output = &'static str;
            fn visit<K: Kernel>(self, kernel: K) -> &'static str {
                kernel.name()
            }
        }
        dispatch(self, Name)
    }
}

/// Work that is compiled once for each kernel; see [`dispatch`].
pub trait KernelVisitor {
    /// What the work gives.
    type Output;

    /// Does the work with this kernel.
    fn visit<K: Kernel>(self, kernel: K) -> Self::Output;
}

/// Runs the visitor's code for the kernel chosen.
pub fn dispatch<V: KernelVisitor>(kernel: AnyKernel, visitor: V) -> V::Output {
    match kernel {
        AnyKernel::Scalar(kernel) => visitor.visit(kernel),
        #[cfg(target_arch = "x86_64")]
        AnyKernel::Avx2(kernel) => visitor.visit(kernel),
        #[cfg(target_arch = "x86_64")]
        AnyKernel::Avx512(kernel) => visitor.visit(kernel),
        #[cfg(target_arch = "aarch64")]
        AnyKernel::Neon(kernel) => visitor.visit(kernel),
    }
}

/// Lane `index` of the own sums followed by the opponent's.
#[inline(always)]
fn joined<'a>(own: &'a [Lane], their: &'a [Lane], index: usize) -> &'a Lane {
    if index < own.len() {
        &own[index]
    } else {
        &their[index - own.len()]
    }
}
