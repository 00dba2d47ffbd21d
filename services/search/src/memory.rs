//! What the system can be told about memory: that a line is wanted soon, and that a region may have large pages.
//!
//! Both are hints: no value changes by them. Where the processor or the system has no such hint, nothing happens.
#![allow(unsafe_code)]

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
}
