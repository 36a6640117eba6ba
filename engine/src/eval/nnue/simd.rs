//! The arithmetic of the networks for several instruction sets. All kernels give the same bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
mod vectorised;

pub use vectorised::Vectorised;

use super::shape::{HIDDEN, WeightBlock, WeightRow};

/// An implementation of the arithmetic.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Plain code.
    Scalar,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    /// 512-bit vectors, with dot products where the processor has them.
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Kernel {
    /// Returns the fastest kernel of this processor.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Scalar)
    }

    /// Returns all kernels of this processor, the slowest first.
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(avx2::Avx2::detect().map(Self::Avx2));
            kernels.extend(avx512::Avx512::detect_plain().map(Self::Avx512));
            kernels.extend(avx512::Avx512::detect_vnni().map(Self::Avx512));
        }
        kernels
    }

    /// Sets `target` to `source` plus the rows of `added` minus the rows of `removed`, modulo 2^16.
    #[inline(always)]
    pub fn update(
        self,
        target: &mut WeightRow,
        source: &WeightRow,
        added: &[&WeightRow],
        removed: &[&WeightRow],
    ) {
        match self {
            Self::Scalar => scalar::update(target, source, added, removed),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.update(target, source, added, removed),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.update(target, source, added, removed),
        }
    }

    /// Clips each number of a row to 0 to 127.
    #[inline(always)]
    pub fn activate(self, target: &mut [u8; 256], row: &WeightRow) {
        match self {
            Self::Scalar => scalar::activate(target, row),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.activate(target, row),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.activate(target, row),
        }
    }

    /// Multiplies the numbers of a row's first half with those of its second half, all clipped to 0
    /// to 1016, and divides the products by 8192, so that they are at most 126.
    #[inline(always)]
    pub fn multiply(self, target: &mut [u8; 128], row: &WeightRow) {
        match self {
            Self::Scalar => scalar::multiply(target, row),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.multiply(target, row),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.multiply(target, row),
        }
    }

    /// Divides each sum by 64 and clips it to 0 to 127.
    #[inline(always)]
    pub fn clip(self, sums: &[i32; HIDDEN]) -> [u8; HIDDEN] {
        match self {
            Self::Scalar => scalar::clip(sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.clip(sums),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.clip(sums),
        }
    }

    /// Computes weighted sums of inputs up to 127, modulo 2^32. Each block holds the weights of four
    /// inputs.
    #[inline(always)]
    pub fn affine(
        self,
        inputs: &[[u8; 4]],
        weights: &[WeightBlock],
        biases: &[i32; HIDDEN],
    ) -> [i32; HIDDEN] {
        match self {
            Self::Scalar => scalar::affine(inputs, weights, biases),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.affine(inputs, weights, biases),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.affine(inputs, weights, biases),
        }
    }
}

impl Kernel {
    /// Runs work with the vectors of the kernel.
    #[inline(always)]
    pub fn run<W: Vectorised>(self, work: W) -> W::Output {
        match self {
            Self::Scalar => work.run(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.run(work),
        }
    }
}

/// Runs work with the widest vectors of the processor.
pub fn vectorised<W: Vectorised>(work: W) -> W::Output {
    Kernel::best().run(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of pseudorandom numbers.
    struct RandomNumbers(u64);

    impl RandomNumbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
            self.0 >> 24
        }

        fn row(&mut self, range: u64) -> WeightRow {
            let mut row = WeightRow::default();
            for number in row.0.as_flattened_mut() {
                *number = (self.next() % range) as i16;
            }
            row
        }
    }

    /// Says which kernels are not compared here because this processor does not have them.
    fn report_untested() {
        #[cfg(target_arch = "x86_64")]
        let kernels = [
            ("AVX2", avx2::Avx2::detect().is_some()),
            ("AVX-512", avx512::Avx512::detect_plain().is_some()),
            ("AVX-512 with VNNI", avx512::Avx512::detect_vnni().is_some()),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let kernels = ["AVX2", "AVX-512", "AVX-512 with VNNI"].map(|name| (name, false));
        for (name, is_here) in kernels {
            if !is_here {
                eprintln!("skipped: the kernel for {name}: this processor does not have it");
            }
        }
    }

    #[test]
    fn every_kernel_gives_the_bits_of_the_plain_one() {
        report_untested();
        let mut numbers = RandomNumbers(5);
        for round in 0..200 {
            // Small numbers as in networks, and arbitrary ones, which wrap.
            let range = [300, 1 << 16, 2000][round % 3];
            let rows: Vec<WeightRow> = (0..9).map(|_| numbers.row(range)).collect();
            let added: Vec<&WeightRow> = rows[1..1 + round % 5].iter().collect();
            let removed: Vec<&WeightRow> = rows[5..5 + round % 4].iter().collect();
            let inputs: Vec<[u8; 4]> = (0..if round % 3 == 0 { 8 } else { 128 })
                .map(|_| [(); 4].map(|()| (numbers.next() % 128) as u8))
                .collect();
            let weights: Vec<WeightBlock> = inputs
                .iter()
                .map(|_| {
                    WeightBlock([[(); 4]; HIDDEN].map(|four| four.map(|()| numbers.next() as i8)))
                })
                .collect();
            let biases = [(); HIDDEN].map(|()| numbers.next() as i32);

            let run = |kernel: Kernel| {
                let mut row = WeightRow::default();
                kernel.update(&mut row, &rows[0], &added, &removed);
                let (mut activated, mut multiplied) = ([0; 256], [0; 128]);
                kernel.activate(&mut activated, &row);
                kernel.multiply(&mut multiplied, &row);
                let sums = kernel.affine(&inputs, &weights, &biases);
                let clipped = kernel.clip(&sums);
                (row.0, activated, multiplied, sums, clipped)
            };
            let expected = run(Kernel::Scalar);
            for kernel in Kernel::available() {
                assert_eq!(run(kernel), expected, "{kernel:?}, round {round}");
            }
        }
    }

    #[test]
    fn products_are_those_of_the_clipped_halves() {
        let mut row = WeightRow::default();
        let cases = [
            (1016, 1016, 126),
            (2000, 1016, 126),
            (508, 508, 31),
            (-3, 900, 0),
            (900, i16::MIN, 0),
            (64, 128, 1),
            (64, 127, 0),
            (i16::MAX, 9, 1),
        ];
        let numbers = row.0.as_flattened_mut();
        for (index, (one, two, _)) in cases.into_iter().enumerate() {
            numbers[index * 16 + 1] = one;
            numbers[index * 16 + 129] = two;
        }
        let mut expected = [0; 128];
        for (index, (_, _, product)) in cases.into_iter().enumerate() {
            expected[index * 16 + 1] = product;
        }
        for kernel in Kernel::available() {
            let mut products = [7; 128];
            kernel.multiply(&mut products, &row);
            assert_eq!(products, expected, "{kernel:?}");
        }
    }

    #[test]
    fn sums_are_rounded_down_and_clipped() {
        let cases = [
            (i32::MIN, 0),
            (-1, 0),
            (63, 0),
            (64, 1),
            (127 * 64 - 1, 126),
            (127 * 64, 127),
            (128 * 64, 127),
            (40_000 * 64, 127),
            (i32::MAX, 127),
        ];
        // Every case at the ends of every vector.
        for (rotation, _) in cases.iter().enumerate() {
            let case = |index| cases[(rotation + index) % cases.len()];
            let sums = std::array::from_fn(|index| case(index).0);
            let expected: [u8; HIDDEN] = std::array::from_fn(|index| case(index).1);
            for kernel in Kernel::available() {
                assert_eq!(kernel.clip(&sums), expected, "{kernel:?}");
            }
        }
    }

    #[test]
    fn the_largest_sums_are_not_cut_off() {
        let inputs = [[127; 4]; 128];
        for weight in [i8::MIN, i8::MAX] {
            let weights = vec![WeightBlock([[weight; 4]; HIDDEN]); 128];
            for kernel in Kernel::available() {
                let sums = kernel.affine(&inputs, &weights, &[7; HIDDEN]);
                let expected = 512 * 127 * i32::from(weight) + 7;
                assert_eq!(sums, [expected; HIDDEN], "{kernel:?}");
            }
        }
    }
}
