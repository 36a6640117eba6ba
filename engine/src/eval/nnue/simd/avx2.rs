//! 256-bit vectors.

use super::{
    super::shape::{HIDDEN, WeightBlock, WeightRow},
    vectorised::Vectorised,
};
use std::arch::x86_64::*;

/// Proof that the processor has AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    #[inline(always)]
    pub fn update(
        self,
        target: &mut WeightRow,
        source: &WeightRow,
        added: &[&WeightRow],
        removed: &[&WeightRow],
    ) {
        // SAFETY: a value of this type exists only where AVX2 was detected.
        unsafe { update(target, source, added, removed) }
    }

    #[inline(always)]
    pub fn activate(self, target: &mut [u8; 256], row: &WeightRow) {
        // SAFETY: a value of this type exists only where AVX2 was detected.
        unsafe { activate(target, row) }
    }

    #[inline(always)]
    pub fn multiply(self, target: &mut [u8; 128], row: &WeightRow) {
        // SAFETY: a value of this type exists only where AVX2 was detected.
        unsafe { multiply(target, row) }
    }

    #[inline(always)]
    pub fn clip(self, sums: &[i32; HIDDEN]) -> [u8; HIDDEN] {
        // SAFETY: a value of this type exists only where AVX2 was detected.
        unsafe { clip(sums) }
    }

    #[inline(always)]
    pub fn affine(
        self,
        inputs: &[[u8; 4]],
        weights: &[WeightBlock],
        biases: &[i32; HIDDEN],
    ) -> [i32; HIDDEN] {
        // SAFETY: a value of this type exists only where AVX2 was detected.
        unsafe { affine(inputs, weights, biases) }
    }

    #[inline(always)]
    pub fn run<W: Vectorised>(self, work: W) -> W::Output {
        // SAFETY: a value of this type exists only where AVX2 was detected.
        unsafe { run(work) }
    }
}

#[target_feature(enable = "avx2")]
fn run<W: Vectorised>(work: W) -> W::Output {
    work.run()
}

#[inline]
#[target_feature(enable = "avx2")]
fn load<T>(bytes: &[T]) -> __m256i {
    assert!(size_of_val(bytes) >= 32);
    // SAFETY: the slice holds 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store<T>(bytes: &mut [T], value: __m256i) {
    assert!(size_of_val(bytes) >= 32);
    // SAFETY: the slice has room for 32 bytes of integers, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx2")]
fn update(
    target: &mut WeightRow,
    source: &WeightRow,
    added: &[&WeightRow],
    removed: &[&WeightRow],
) {
    // Half a row at a time fills eight of the sixteen registers.
    for half in 0..2 {
        let mut sums = [_mm256_setzero_si256(); 8];
        let at = |index: usize| (half * 4 + index / 2, index % 2 * 16);
        for (index, sum) in sums.iter_mut().enumerate() {
            let (part, offset) = at(index);
            *sum = load(&source.0[part][offset..][..16]);
        }
        for row in added {
            for (index, sum) in sums.iter_mut().enumerate() {
                let (part, offset) = at(index);
                *sum = _mm256_add_epi16(*sum, load(&row.0[part][offset..][..16]));
            }
        }
        for row in removed {
            for (index, sum) in sums.iter_mut().enumerate() {
                let (part, offset) = at(index);
                *sum = _mm256_sub_epi16(*sum, load(&row.0[part][offset..][..16]));
            }
        }
        for (index, sum) in sums.iter().enumerate() {
            let (part, offset) = at(index);
            store(&mut target.0[part][offset..][..16], *sum);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn activate(target: &mut [u8; 256], row: &WeightRow) {
    let most = _mm256_set1_epi8(127);
    let (targets, _) = target.as_chunks_mut::<32>();
    for (target, part) in targets.iter_mut().zip(&row.0) {
        // Packing clips to 0..=255 and interleaves the halves of its operands, which have to be put
        // back in order.
        let packed = _mm256_packus_epi16(load(&part[..16]), load(&part[16..]));
        let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
        store(target, _mm256_min_epu8(packed, most));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn multiply(target: &mut [u8; 128], row: &WeightRow) {
    let (least, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(1016));
    let clamp = |numbers: &[i16]| _mm256_max_epi16(_mm256_min_epi16(load(numbers), most), least);
    // The upper half of a product with one factor times 8 is the product divided by 8192.
    let product = |one: &[i16], two: &[i16]| {
        _mm256_mulhi_epi16(_mm256_slli_epi16::<3>(clamp(one)), clamp(two))
    };
    let (targets, _) = target.as_chunks_mut::<32>();
    let (ones, twos) = row.0.split_at(4);
    for (target, (one, two)) in targets.iter_mut().zip(ones.iter().zip(twos)) {
        let low = product(&one[..16], &two[..16]);
        let high = product(&one[16..], &two[16..]);
        let packed = _mm256_packus_epi16(low, high);
        store(target, _mm256_permute4x64_epi64::<0b11_01_10_00>(packed));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn clip(sums: &[i32; HIDDEN]) -> [u8; HIDDEN] {
    let part = |index: usize| _mm256_srai_epi32::<6>(load(&sums[index * 8..][..8]));
    // Packing clips to 0..=255 and interleaves the halves of its operands, which have to be put back in
    // order.
    let low = _mm256_packs_epi32(part(0), part(1));
    let high = _mm256_packs_epi32(part(2), part(3));
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let packed = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
    let mut clipped = [0; HIDDEN];
    store(&mut clipped, _mm256_min_epu8(packed, _mm256_set1_epi8(127)));
    clipped
}

#[inline]
#[target_feature(enable = "avx2")]
fn affine(inputs: &[[u8; 4]], weights: &[WeightBlock], biases: &[i32; HIDDEN]) -> [i32; HIDDEN] {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); 4];
    for (index, sum) in sums.iter_mut().enumerate() {
        *sum = load(&biases[index * 8..][..8]);
    }
    // Four blocks a step; every layer has a multiple of sixteen inputs.
    let (inputs, _) = inputs.as_chunks::<4>();
    let (weights, _) = weights.as_chunks::<4>();
    for (inputs, blocks) in inputs.iter().zip(weights) {
        for (four, block) in inputs.iter().zip(blocks) {
            let four = _mm256_set1_epi32(i32::from_ne_bytes(*four));
            for (index, sum) in sums.iter_mut().enumerate() {
                // Two products are at most 2 * 127 * 128 and fit into 16 bits.
                let pairs = _mm256_maddubs_epi16(four, load(&block.0[index * 8..][..8]));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    let mut result = [0; HIDDEN];
    for (index, sum) in sums.iter().enumerate() {
        store(&mut result[index * 8..][..8], *sum);
    }
    result
}
