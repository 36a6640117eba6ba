//! Plain code, the reference for the other kernels.

use super::super::shape::{HIDDEN, WeightBlock, WeightRow};

pub fn update(
    target: &mut WeightRow,
    source: &WeightRow,
    added: &[&WeightRow],
    removed: &[&WeightRow],
) {
    *target = source.clone();
    for row in added {
        for (sum, &number) in target.numbers_mut().zip(row.numbers()) {
            *sum = sum.wrapping_add(number);
        }
    }
    for row in removed {
        for (sum, &number) in target.numbers_mut().zip(row.numbers()) {
            *sum = sum.wrapping_sub(number);
        }
    }
}

pub fn activate(target: &mut [u8; 256], row: &WeightRow) {
    for (activation, &number) in target.iter_mut().zip(row.numbers()) {
        *activation = number.clamp(0, 127) as u8;
    }
}

pub fn multiply(target: &mut [u8; 128], row: &WeightRow) {
    let (one, two) = row.numbers().split_at(128);
    for (product, (&one, &two)) in target.iter_mut().zip(one.iter().zip(two)) {
        let [one, two] = [one, two].map(|number| i32::from(number.clamp(0, 1016)));
        *product = ((one * two) >> 13) as u8;
    }
}

pub fn clip(sums: &[i32; HIDDEN]) -> [u8; HIDDEN] {
    sums.map(|sum| (sum >> 6).clamp(0, 127) as u8)
}

pub fn affine(
    inputs: &[[u8; 4]],
    weights: &[WeightBlock],
    biases: &[i32; HIDDEN],
) -> [i32; HIDDEN] {
    let mut sums = *biases;
    for (four, block) in inputs.iter().zip(weights) {
        for (sum, weights) in sums.iter_mut().zip(&block.0) {
            for (&input, &weight) in four.iter().zip(weights) {
                *sum = sum.wrapping_add(i32::from(input) * i32::from(weight));
            }
        }
    }
    sums
}
