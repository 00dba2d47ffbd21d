//! Memory as the system gives it: great blocks straight from it, large pages asked for, lines of the cache wanted soon.
//!
//! The last two are hints: no value changes by them. Where the processor or the system has no such hint, nothing happens.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::Zeroable;

/// Asks for the cache line of a value, to be there when it is read.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has SSE, and a prefetch reads nothing that a program could see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Size of a large page, in bytes.
const LARGE_PAGE: usize = 2 << 20;

/// Asks for large pages for a region that is about to be used. They spare most misses of the address cache that
/// reads from all over a great table meet. A system that has none to give goes on with small ones.
pub(crate) fn ask_for_large_pages<T>(region: &mut [T]) {
    let start = region.as_mut_ptr() as usize;
    let first = start.next_multiple_of(LARGE_PAGE);
    let end = (start + size_of_val(region)) / LARGE_PAGE * LARGE_PAGE;
    if first >= end {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let inside = region.as_mut_ptr().cast::<u8>().wrapping_add(first - start);
        // SAFETY: the range lies within the region, which is borrowed for writing, and this advice leaves its content as
        // it is. A refusal costs nothing but time.
        let _ = unsafe { madvise(inside.cast(), end - first, Advice::LinuxHugepage) };
    }
}

/// Bytes from which a block comes straight from the system.
const GREAT: usize = 1 << 20;

/// A block of values that are zero at first.
///
/// A great one takes no time before it is used, and goes back to the system when it is dropped. An allocator keeps what is given
/// back to it and writes zeros over it before it hands it out again, which for a table takes longer than a short search; and
/// what it keeps of tables of many threads makes a process grow for a long time.
pub(crate) struct Block<T> {
    start: NonNull<T>,
    length: usize,
    values: PhantomData<T>,
}

// SAFETY: a block owns its values as a vector does, and is used through borrows only.
unsafe impl<T: Send> Send for Block<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Block<T> {}

impl<T: Zeroable> Block<T> {
    /// A block of so many values, at least one. A process that has no memory left ends, as it does with a vector.
    pub(crate) fn zeroed(length: usize) -> Self {
        const { assert!(size_of::<T>() > 0 && !std::mem::needs_drop::<T>()) };
        let layout = Self::layout(length.max(1));
        let start = if Self::is_mapped(layout) {
            map(layout)
        } else {
            // SAFETY: the layout has a size, since neither the values nor their number are of size zero.
            NonNull::new(unsafe { alloc_zeroed(layout) })
        };
        Self {
            start: start.unwrap_or_else(|| handle_alloc_error(layout)).cast(),
            length: length.max(1),
            values: PhantomData,
        }
    }
}

impl<T> Block<T> {
    fn layout(length: usize) -> Layout {
        Layout::array::<T>(length).expect("a block fits into the address space")
    }

    fn is_mapped(layout: Layout) -> bool {
        cfg!(target_os = "linux") && layout.size() >= GREAT && layout.align() <= 4096
    }
}

impl<T> Deref for Block<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: so many values lie there, each zero at first, which `Zeroable` allows, until the block is dropped.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T> DerefMut for Block<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and nobody else has a borrow.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl<T> Drop for Block<T> {
    fn drop(&mut self) {
        let layout = Self::layout(self.length);
        let start = self.start.cast();
        if Self::is_mapped(layout) {
            unmap(start, layout);
        } else {
            // SAFETY: `zeroed` allocated it with this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

/// Zeros from the system, beginning with a page.
#[cfg(target_os = "linux")]
fn map(layout: Layout) -> Option<NonNull<u8>> {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the system chooses a place where nothing is.
    let start = unsafe { mmap_anonymous(std::ptr::null_mut(), layout.size(), access, MapFlags::PRIVATE) };
    start.ok().and_then(|start| NonNull::new(start.cast()))
}

#[cfg(target_os = "linux")]
fn unmap(start: NonNull<u8>, layout: Layout) {
    // SAFETY: `map` made it with this size, and its owner is being dropped. Should the system refuse, it stays mapped.
    let _ = unsafe { rustix::mm::munmap(start.as_ptr().cast(), layout.size()) };
}

#[cfg(not(target_os = "linux"))]
fn map(_: Layout) -> Option<NonNull<u8>> {
    unreachable!("blocks are mapped on Linux only")
}

#[cfg(not(target_os = "linux"))]
fn unmap(_: NonNull<u8>, _: Layout) {
    unreachable!("blocks are mapped on Linux only")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_leave_memory_as_it_is() {
        for length in [0, 1, LARGE_PAGE - 1, 3 * LARGE_PAGE + 17] {
            let mut bytes = vec![0; length];
            ask_for_large_pages(&mut bytes);
            bytes
                .iter_mut()
                .enumerate()
                .for_each(|(index, byte)| *byte = index as u8);
            ask_for_large_pages(&mut bytes);
            bytes.iter().step_by(4096).for_each(prefetch);
            assert!(bytes.iter().enumerate().all(|(index, &byte)| byte == index as u8));
        }
    }

    /// As a bucket of the table is.
    #[derive(Zeroable)]
    #[repr(C, align(64))]
    struct Line([u64; 8]);

    #[test]
    fn blocks_are_zero_aligned_and_kept_apart() {
        for length in [0, 1, 3, GREAT / 64 - 1, GREAT / 64, 5 * GREAT / 64 + 1] {
            let mut block = Block::<Line>::zeroed(length);
            let other = Block::<Line>::zeroed(length);
            assert_eq!(block.len(), length.max(1));
            assert_eq!(block.as_ptr().align_offset(64), 0, "{length}");
            assert!(block.iter().all(|line| line.0 == [0; 8]));
            ask_for_large_pages(&mut block);
            block.iter_mut().for_each(|line| line.0 = [7; 8]);
            assert!(block.iter().all(|line| line.0 == [7; 8]));
            assert!(other.iter().all(|line| line.0 == [0; 8]));
            drop(block);
            // What was given back is not seen again.
            let again = Block::<Line>::zeroed(length);
            assert!(again.iter().all(|line| line.0 == [0; 8]));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn great_blocks_go_back_to_the_system() {
        let resident = || -> usize {
            let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
            statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
        };
        const BLOCK: usize = 256 << 20;
        let before = resident();
        for _ in 0..3 {
            let mut block = Block::<u64>::zeroed(BLOCK / 8);
            block.fill(1);
            assert!(resident() >= before + BLOCK / 2);
        }
        // Other tests of the process run beside this one.
        assert!(resident() < before + BLOCK / 2);
    }
}
