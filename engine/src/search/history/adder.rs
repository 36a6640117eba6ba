//! Addition of rows of the histories, for all squares at once.

use super::entry::HistoryEntry;
use crate::rules::Square;
use std::mem::MaybeUninit;

type SquareRow = [HistoryEntry; Square::COUNT];

/// One number for each square.
pub(super) type SquareSums = [i32; Square::COUNT];

/// The instructions with which rows are added up. All give the same sums.
#[derive(Clone, Copy, Debug)]
pub(super) enum Adder {
    /// Plain code.
    Scalar,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2(vectors::Avx2Adder),
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512(vectors::Avx512Adder),
}

impl Adder {
    /// Returns the fastest adder of this processor.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Scalar)
    }

    /// Returns all adders of this processor, the slowest first.
    fn available() -> Vec<Self> {
        let mut adders = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            adders.extend(vectors::Avx2Adder::detect().map(Self::Avx2));
            adders.extend(vectors::Avx512Adder::detect().map(Self::Avx512));
        }
        adders
    }

    /// Sets all sums to twice the first row plus the others.
    #[inline(always)]
    pub fn add(self, rows: [&SquareRow; 6], sums: &mut MaybeUninit<SquareSums>) {
        match self {
            Self::Scalar => scalar(rows, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.add(rows, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.add(rows, sums),
        }
    }
}

fn scalar([first, others @ ..]: [&SquareRow; 6], sums: &mut MaybeUninit<SquareSums>) {
    let sums = sums.write([0; Square::COUNT]);
    for (sum, entry) in sums.iter_mut().zip(first) {
        *sum = 2 * entry.get();
    }
    for row in others {
        for (sum, entry) in sums.iter_mut().zip(row) {
            *sum += entry.get();
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use super::{SquareRow, SquareSums};
    use crate::rules::Square;
    use std::{
        arch::{asm, x86_64::*},
        mem::MaybeUninit,
    };

    /// Proof that the processor has AVX2.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx2Adder(());

    impl Avx2Adder {
        pub fn detect() -> Option<Self> {
            is_x86_feature_detected!("avx2").then_some(Self(()))
        }

        #[inline(always)]
        pub fn add(self, rows: [&SquareRow; 6], sums: &mut MaybeUninit<SquareSums>) {
            // SAFETY: a value of this type exists only where AVX2 was detected.
            unsafe { add_256(rows, sums) }
        }
    }

    /// Proof that the processor has AVX-512 F.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx512Adder(());

    impl Avx512Adder {
        pub fn detect() -> Option<Self> {
            is_x86_feature_detected!("avx512f").then_some(Self(()))
        }

        #[inline(always)]
        pub fn add(self, rows: [&SquareRow; 6], sums: &mut MaybeUninit<SquareSums>) {
            // SAFETY: a value of this type exists only where AVX-512 F was detected.
            unsafe { add_512(rows, sums) }
        }
    }

    /// Loads eight entries. Other threads may store to them meanwhile, which is why the load is not left to
    /// the compiler.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_256(row: &SquareRow, at: usize) -> __m256i {
        let entries = &row[at..at + 8];
        let loaded;
        // SAFETY: the slice holds 16 bytes, which the instruction only reads.
        unsafe {
            asm!(
                "vpmovsxwd {}, [{}]",
                out(ymm_reg) loaded,
                in(reg) entries.as_ptr(),
                options(readonly, nostack, preserves_flags)
            );
        }
        loaded
    }

    #[target_feature(enable = "avx2")]
    fn add_256([first, others @ ..]: [&SquareRow; 6], sums: &mut MaybeUninit<SquareSums>) {
        const LAST: usize = Square::COUNT - 8;
        for group in 0..11 {
            let at = (8 * group).min(LAST);
            let mut sum = _mm256_slli_epi32::<1>(load_256(first, at));
            for row in others {
                sum = _mm256_add_epi32(sum, load_256(row, at));
            }
            // SAFETY: `at` is at most 73, so that all eight sums lie in the array; the groups cover it.
            unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast::<i32>().add(at).cast(), sum) };
        }
    }

    /// Loads sixteen entries, as [`load_256`] does.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load_512(row: &SquareRow, at: usize) -> __m512i {
        let entries = &row[at..at + 16];
        let loaded;
        // SAFETY: the slice holds 32 bytes, which the instruction only reads.
        unsafe {
            asm!(
                "vpmovsxwd {}, [{}]",
                out(zmm_reg) loaded,
                in(reg) entries.as_ptr(),
                options(readonly, nostack, preserves_flags)
            );
        }
        loaded
    }

    #[target_feature(enable = "avx512f")]
    fn add_512([first, others @ ..]: [&SquareRow; 6], sums: &mut MaybeUninit<SquareSums>) {
        const LAST: usize = Square::COUNT - 16;
        for group in 0..6 {
            let at = (16 * group).min(LAST);
            let mut sum = _mm512_slli_epi32::<1>(load_512(first, at));
            for row in others {
                sum = _mm512_add_epi32(sum, load_512(row, at));
            }
            // SAFETY: `at` is at most 65, so that all sixteen sums lie in the array; the groups cover it.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast::<i32>().add(at).cast(), sum) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array;

    #[test]
    fn every_adder_gives_the_sums_of_the_plain_one() {
        let mut state = 3u64;
        let rows: [SquareRow; 6] = array::from_fn(|_| {
            array::from_fn(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                let entry = HistoryEntry::default();
                entry.update((state >> 40) as i32 % 60_000 - 30_000, 30_000);
                entry
            })
        });
        let run = |adder: Adder| {
            let mut sums = MaybeUninit::uninit();
            adder.add(array::from_fn(|index| &rows[index]), &mut sums);
            // SAFETY: the adder has initialised the sums.
            unsafe { sums.assume_init() }
        };
        let expected = run(Adder::Scalar);
        assert_eq!(
            expected[7],
            2 * rows[0][7].get() + rows[1..].iter().map(|row| row[7].get()).sum::<i32>()
        );
        for adder in Adder::available() {
            assert_eq!(run(adder), expected, "{adder:?}");
        }
    }
}
