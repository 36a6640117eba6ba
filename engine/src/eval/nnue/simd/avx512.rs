//! 512-bit vectors, with VNNI's dot products where the processor has them.

use super::{
    super::shape::{HIDDEN, WeightBlock, WeightRow},
    vectorised::Vectorised,
};
use std::arch::x86_64::*;

/// Proof that the processor has AVX-512 F and BW, and VNNI if `vnni` is set.
#[derive(Clone, Copy, Debug)]
pub struct Avx512 {
    vnni: bool,
}

impl Avx512 {
    /// Detects AVX-512 F and BW and does not use dot products.
    pub fn detect_plain() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        has.then_some(Self { vnni: false })
    }

    /// Detects AVX-512 F and BW with VNNI's dot products.
    pub fn detect_vnni() -> Option<Self> {
        Self::detect_plain()
            .filter(|_| is_x86_feature_detected!("avx512vnni"))
            .map(|_| Self { vnni: true })
    }

    #[inline(always)]
    pub fn update(
        self,
        target: &mut WeightRow,
        source: &WeightRow,
        added: &[&WeightRow],
        removed: &[&WeightRow],
    ) {
        // SAFETY: a value of this type exists only where AVX-512 F and BW were detected.
        unsafe { update(target, source, added, removed) }
    }

    #[inline(always)]
    pub fn activate(self, target: &mut [u8; 256], row: &WeightRow) {
        // SAFETY: a value of this type exists only where AVX-512 F and BW were detected.
        unsafe { activate(target, row) }
    }

    #[inline(always)]
    pub fn multiply(self, target: &mut [u8; 128], row: &WeightRow) {
        // SAFETY: a value of this type exists only where AVX-512 F and BW were detected.
        unsafe { multiply(target, row) }
    }

    #[inline(always)]
    pub fn clip(self, sums: &[i32; HIDDEN]) -> [u8; HIDDEN] {
        // SAFETY: a value of this type exists only where AVX-512 F and BW were detected.
        unsafe { clip(sums) }
    }

    #[inline(always)]
    pub fn affine(
        self,
        inputs: &[[u8; 4]],
        weights: &[WeightBlock],
        biases: &[i32; HIDDEN],
    ) -> [i32; HIDDEN] {
        if self.vnni {
            // SAFETY: `vnni` is set only where VNNI was detected, too.
            unsafe { affine_vnni(inputs, weights, biases) }
        } else {
            // SAFETY: a value of this type exists only where AVX-512 F and BW were detected.
            unsafe { affine_plain(inputs, weights, biases) }
        }
    }

    #[inline(always)]
    pub fn run<W: Vectorised>(self, work: W) -> W::Output {
        if self.vnni {
            // SAFETY: `vnni` is set only where VNNI was detected, too.
            unsafe { run_vnni(work) }
        } else {
            // SAFETY: a value of this type exists only where AVX-512 F and BW were detected.
            unsafe { run(work) }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn run_vnni<W: Vectorised>(work: W) -> W::Output {
    work.run()
}

#[target_feature(enable = "avx512f,avx512bw")]
fn run<W: Vectorised>(work: W) -> W::Output {
    work.run()
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load<T>(bytes: &[T]) -> __m512i {
    assert!(size_of_val(bytes) >= 64);
    // SAFETY: the slice holds 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store<T>(bytes: &mut [T], value: __m512i) {
    assert!(size_of_val(bytes) >= 64);
    // SAFETY: the slice has room for 64 bytes of integers, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn update(
    target: &mut WeightRow,
    source: &WeightRow,
    added: &[&WeightRow],
    removed: &[&WeightRow],
) {
    let mut sums = [_mm512_setzero_si512(); 8];
    for (sum, part) in sums.iter_mut().zip(&source.0) {
        *sum = load(part);
    }
    for row in added {
        for (sum, part) in sums.iter_mut().zip(&row.0) {
            *sum = _mm512_add_epi16(*sum, load(part));
        }
    }
    for row in removed {
        for (sum, part) in sums.iter_mut().zip(&row.0) {
            *sum = _mm512_sub_epi16(*sum, load(part));
        }
    }
    for (part, sum) in target.0.iter_mut().zip(&sums) {
        store(part, *sum);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn activate(target: &mut [u8; 256], row: &WeightRow) {
    let most = _mm512_set1_epi8(127);
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    let (targets, _) = target.as_chunks_mut::<64>();
    let (pairs, _) = row.0.as_chunks::<2>();
    for (target, [low, high]) in targets.iter_mut().zip(pairs) {
        // Packing clips to 0..=255 and interleaves the quarters of its operands, which have to be
        // put back in order.
        let packed = _mm512_packus_epi16(load(low), load(high));
        let packed = _mm512_permutexvar_epi64(order, packed);
        store(target, _mm512_min_epu8(packed, most));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn multiply(target: &mut [u8; 128], row: &WeightRow) {
    let (least, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(1016));
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    let clamp =
        |numbers: &[i16; 32]| _mm512_max_epi16(_mm512_min_epi16(load(numbers), most), least);
    // The upper half of a product with one factor times 8 is the product divided by 8192.
    let product = |one: &[i16; 32], two: &[i16; 32]| {
        _mm512_mulhi_epi16(_mm512_slli_epi16::<3>(clamp(one)), clamp(two))
    };
    let (targets, _) = target.as_chunks_mut::<64>();
    let (ones, twos) = row.0.split_at(4);
    let (ones, twos) = (ones.as_chunks::<2>().0, twos.as_chunks::<2>().0);
    for (target, (one, two)) in targets.iter_mut().zip(ones.iter().zip(twos)) {
        let low = product(&one[0], &two[0]);
        let high = product(&one[1], &two[1]);
        let packed = _mm512_packus_epi16(low, high);
        store(target, _mm512_permutexvar_epi64(order, packed));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn clip(sums: &[i32; HIDDEN]) -> [u8; HIDDEN] {
    let part = |index: usize| _mm512_srai_epi32::<6>(load(&sums[index * 16..][..16]));
    // Packing clips to 0..=255 and interleaves the quarters of its operands.
    let pairs = _mm512_packs_epi32(part(0), part(1));
    let packed = _mm512_packus_epi16(pairs, pairs);
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    let packed = _mm512_castsi512_si256(_mm512_permutexvar_epi32(order, packed));
    let clipped = _mm256_min_epu8(packed, _mm256_set1_epi8(127));
    let mut numbers = [0; HIDDEN];
    // SAFETY: the array has room for 32 bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), clipped) };
    numbers
}

#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn affine_vnni(
    inputs: &[[u8; 4]],
    weights: &[WeightBlock],
    biases: &[i32; HIDDEN],
) -> [i32; HIDDEN] {
    // Four sums of each output run in parallel; a single one would wait for each product.
    let mut low = [_mm512_setzero_si512(); 4];
    let mut high = [_mm512_setzero_si512(); 4];
    low[0] = load(&biases[..16]);
    high[0] = load(&biases[16..]);
    let (inputs, _) = inputs.as_chunks::<4>();
    let (weights, _) = weights.as_chunks::<4>();
    for (inputs, blocks) in inputs.iter().zip(weights) {
        for lane in 0..4 {
            let four = _mm512_set1_epi32(i32::from_ne_bytes(inputs[lane]));
            let block = &blocks[lane].0;
            low[lane] = _mm512_dpbusd_epi32(low[lane], four, load(&block[..16]));
            high[lane] = _mm512_dpbusd_epi32(high[lane], four, load(&block[16..]));
        }
    }
    finish(low, high)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn affine_plain(
    inputs: &[[u8; 4]],
    weights: &[WeightBlock],
    biases: &[i32; HIDDEN],
) -> [i32; HIDDEN] {
    let ones = _mm512_set1_epi16(1);
    let mut low = [_mm512_setzero_si512(); 4];
    let mut high = [_mm512_setzero_si512(); 4];
    low[0] = load(&biases[..16]);
    high[0] = load(&biases[16..]);
    let (inputs, _) = inputs.as_chunks::<4>();
    let (weights, _) = weights.as_chunks::<4>();
    for (inputs, blocks) in inputs.iter().zip(weights) {
        for lane in 0..4 {
            let four = _mm512_set1_epi32(i32::from_ne_bytes(inputs[lane]));
            let block = &blocks[lane].0;
            // Two products are at most 2 * 127 * 128 and fit into 16 bits.
            let pairs = _mm512_maddubs_epi16(four, load(&block[..16]));
            low[lane] = _mm512_add_epi32(low[lane], _mm512_madd_epi16(pairs, ones));
            let pairs = _mm512_maddubs_epi16(four, load(&block[16..]));
            high[lane] = _mm512_add_epi32(high[lane], _mm512_madd_epi16(pairs, ones));
        }
    }
    finish(low, high)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn finish(low: [__m512i; 4], high: [__m512i; 4]) -> [i32; HIDDEN] {
    let mut result = [0; HIDDEN];
    for (part, [a, b, c, d]) in [low, high].into_iter().enumerate() {
        let sum = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
        store(&mut result[part * 16..][..16], sum);
    }
    result
}
