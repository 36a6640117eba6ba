//! Forward and backward passes: the loss of a network on some positions, and its gradient.

use super::{example::NetworkExample, weights::FloatWeights};
use monju_engine::eval::nnue::{
    Architecture, HIDDEN, PIECES_AND_KINGS, Vectorised, WIDTH, vectorised,
};

/// Target of the output: a mixture of score and game result.
#[derive(Clone, Copy, Debug)]
pub struct TrainingTarget {
    /// Share of the score; the rest is the game result.
    pub lambda: f32,
    /// Centipawns in one unit of the logit.
    pub scale: f32,
}

impl TrainingTarget {
    /// Returns the probability with which the side to move is expected to win.
    #[inline(always)]
    fn of(self, example: &NetworkExample) -> f32 {
        let by_score = sigmoid(f32::from(example.score) / self.scale);
        let by_result = 0.5 + 0.5 * f32::from(example.result);
        self.lambda * by_score + (1.0 - self.lambda) * by_result
    }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// Returns the cross-entropy minus the entropy of the target, which is 0 for a perfect network.
#[inline(always)]
fn loss(target: f32, output: f32) -> f32 {
    let entropy = |p: f32, log: f32| if p > 0.0 { p * log } else { 0.0 };
    // log(1 + exp(output)) without overflow.
    let softplus = output.max(0.0) + libm::log1pf(libm::expf(-output.abs()));
    let cross = softplus - target * output;
    cross + entropy(target, libm::logf(target)) + entropy(1.0 - target, libm::logf(1.0 - target))
}

/// Gradient of the loss, summed over some positions.
#[derive(Clone, Debug)]
pub struct NetworkGradient {
    /// Slope of the loss by each weight.
    pub weights: FloatWeights,
    /// Marks the rows of the feature transformer that are not 0.
    pub touched: Vec<bool>,
    /// Summed loss.
    pub loss: f64,
}

impl NetworkGradient {
    /// Returns a gradient of 0.
    pub fn zero(architecture: Architecture) -> Self {
        Self {
            weights: FloatWeights::zero(architecture),
            touched: vec![false; PIECES_AND_KINGS],
            loss: 0.0,
        }
    }

    /// Sets the gradient to 0.
    pub fn clear(&mut self) {
        for (row, touched) in self.weights.rows.iter_mut().zip(&mut self.touched) {
            if *touched {
                *row = [0.0; WIDTH];
                *touched = false;
            }
        }
        for weights in self.weights.dense_mut() {
            weights.fill(0.0);
        }
        self.loss = 0.0;
    }

    /// Adds another gradient.
    pub fn add(&mut self, other: &Self) {
        let rows = self.weights.rows.iter_mut().zip(&other.weights.rows);
        let touched = self.touched.iter_mut().zip(&other.touched);
        for ((row, other), (touched, _)) in rows.zip(touched).filter(|(_, (_, other))| **other) {
            add(row, other);
            *touched = true;
        }
        for (own, other) in self
            .weights
            .dense_mut()
            .into_iter()
            .zip(other.weights.dense())
        {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
        self.loss += other.loss;
    }
}

/// Activations of one position. The first hidden layer has `INPUTS` inputs: all sums of the feature
/// transformer, or products of two sums each.
struct Activations<const INPUTS: usize> {
    sums: [[f32; WIDTH]; 2],
    inputs: [f32; INPUTS],
    first: [f32; HIDDEN],
    second: [f32; HIDDEN],
    output: f32,
}

#[inline(always)]
fn add<const N: usize>(target: &mut [f32; N], other: &[f32; N]) {
    for (target, other) in target.iter_mut().zip(other) {
        *target += other;
    }
}

#[inline(always)]
fn add_scaled<const N: usize>(target: &mut [f32; N], factor: f32, other: &[f32; N]) {
    for (target, other) in target.iter_mut().zip(other) {
        *target += factor * other;
    }
}

#[inline(always)]
fn dot(one: &[f32; HIDDEN], two: &[f32; HIDDEN]) -> f32 {
    let mut sums = [0.0; HIDDEN];
    for (sum, (a, b)) in sums.iter_mut().zip(one.iter().zip(two)) {
        *sum = a * b;
    }
    // Adding up halves fixes the order of additions on every instruction set.
    let mut width = HIDDEN / 2;
    while width > 0 {
        for index in 0..width {
            sums[index] += sums[index + width];
        }
        width /= 2;
    }
    sums[0]
}

#[inline(always)]
fn clip(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}

/// Returns true if an activation is not clipped, so that its derivative is 1.
#[inline(always)]
fn is_open(activation: f32) -> bool {
    activation > 0.0 && activation < 1.0
}

/// Returns true if a layer with so many inputs sees products of sums.
const fn are_products(inputs: usize) -> bool {
    inputs == WIDTH
}

/// Computes the inputs of the first hidden layer from the clipped sums of one side.
#[inline(always)]
fn activate(inputs: &mut [f32], sums: &[f32; WIDTH], products: bool) {
    if products {
        let (one, two) = sums.split_at(WIDTH / 2);
        for (input, (one, two)) in inputs.iter_mut().zip(one.iter().zip(two)) {
            *input = one * two;
        }
    } else {
        inputs.copy_from_slice(sums);
    }
}

/// Computes the slopes of the sums of one side from those of the first hidden layer's inputs.
#[inline(always)]
fn deactivate(slopes: &mut [f32; WIDTH], sums: &[f32; WIDTH], inputs: &[f32], products: bool) {
    if products {
        let (one, two) = sums.split_at(WIDTH / 2);
        let (left, right) = slopes.split_at_mut(WIDTH / 2);
        let factors = one.iter().zip(two).zip(inputs);
        for ((left, right), ((one, two), input)) in left.iter_mut().zip(right).zip(factors) {
            (*left, *right) = (input * two, input * one);
        }
    } else {
        slopes.copy_from_slice(inputs);
    }
    for (slope, &sum) in slopes.iter_mut().zip(sums) {
        *slope = if is_open(sum) { *slope } else { 0.0 };
    }
}

#[inline(always)]
fn forward<const INPUTS: usize>(
    weights: &FloatWeights,
    rows: &[[u16; 40]; 2],
) -> Activations<INPUTS> {
    let mut sums = [weights.biases; 2];
    for (sums, rows) in sums.iter_mut().zip(rows) {
        for &row in rows {
            add(sums, &weights.rows[usize::from(row)]);
        }
    }
    let mut inputs = [0.0; INPUTS];
    for (sums, inputs) in sums.iter_mut().zip(inputs.chunks_exact_mut(INPUTS / 2)) {
        *sums = sums.map(clip);
        activate(inputs, sums, are_products(INPUTS));
    }
    // Four partial sums hide the latency of additions.
    let mut parts = [[0.0; HIDDEN]; 4];
    let fours = weights.first.as_chunks::<4>().0;
    for (inputs, rows) in inputs.as_chunks::<4>().0.iter().zip(fours) {
        for ((part, &input), row) in parts.iter_mut().zip(inputs).zip(rows) {
            add_scaled(part, input, row);
        }
    }
    let mut first = weights.first_biases;
    for part in &parts {
        add(&mut first, part);
    }
    let first = first.map(clip);
    let mut second = weights.second_biases;
    for (&input, row) in first.iter().zip(&weights.second) {
        add_scaled(&mut second, input, row);
    }
    let second = second.map(clip);
    let output = weights.output_bias[0] + dot(&second, &weights.output);
    Activations {
        sums,
        inputs,
        first,
        second,
        output,
    }
}

/// The first hidden layer's weights, or their gradient, with one array for each output, which suits
/// vector instructions better.
type Transposed<const INPUTS: usize> = Vec<[f32; INPUTS]>;

fn transpose<const INPUTS: usize>(first: &[[f32; HIDDEN]]) -> Transposed<INPUTS> {
    let mut transposed = vec![[0.0; INPUTS]; HIDDEN];
    for (input, row) in first.iter().enumerate() {
        for (column, &weight) in transposed.iter_mut().zip(row) {
            column[input] = weight;
        }
    }
    transposed
}

/// Adds the gradient of one position with this target, except that the first hidden layer's is added to
/// `slopes`; `transposed` has that layer's weights.
#[inline(always)]
fn backward<const INPUTS: usize>(
    weights: &FloatWeights,
    transposed: &Transposed<INPUTS>,
    gradient: &mut NetworkGradient,
    slopes: &mut Transposed<INPUTS>,
    rows: &[[u16; 40]; 2],
    target: f32,
) {
    let activations = forward::<INPUTS>(weights, rows);
    gradient.loss += f64::from(loss(target, activations.output));
    let slope = sigmoid(activations.output) - target;

    let sink = &mut gradient.weights;
    sink.output_bias[0] += slope;
    add_scaled(&mut sink.output, slope, &activations.second);
    let mut second = [0.0; HIDDEN];
    for (index, slot) in second.iter_mut().enumerate() {
        if is_open(activations.second[index]) {
            *slot = slope * weights.output[index];
        }
    }
    add(&mut sink.second_biases, &second);
    let mut first = [0.0; HIDDEN];
    for (index, slot) in first.iter_mut().enumerate() {
        let input = activations.first[index];
        add_scaled(&mut sink.second[index], input, &second);
        if is_open(input) {
            *slot = dot(&second, &weights.second[index]);
        }
    }
    add(&mut sink.first_biases, &first);
    let mut back = [0.0; INPUTS];
    let outputs = first.iter().zip(transposed.iter().zip(slopes));
    for (&slope, (weights, slopes)) in outputs.filter(|(slope, _)| **slope != 0.0) {
        add_scaled(&mut back, slope, weights);
        add_scaled(slopes, slope, &activations.inputs);
    }
    let mut sums = [[0.0; WIDTH]; 2];
    let sides = activations.sums.iter().zip(back.chunks_exact(INPUTS / 2));
    for (slopes, (of, back)) in sums.iter_mut().zip(sides) {
        deactivate(slopes, of, back, are_products(INPUTS));
    }
    for side in &sums {
        add(&mut sink.biases, side);
    }
    for (side, rows) in sums.iter().zip(rows) {
        for &row in rows {
            add(&mut sink.rows[usize::from(row)], side);
            gradient.touched[usize::from(row)] = true;
        }
    }
}

/// Returns the network's output for a position, in units of the logit.
pub fn output(weights: &FloatWeights, example: &NetworkExample) -> f32 {
    let rows = example.rows(false);
    match weights.architecture.is_paired() {
        true => forward::<WIDTH>(weights, &rows).output,
        false => forward::<{ 2 * WIDTH }>(weights, &rows).output,
    }
}

/// Adds the gradient of the loss on the positions that `chosen` numbers, each with a flag that mirrors it.
pub fn add_gradient(
    gradient: &mut NetworkGradient,
    weights: &FloatWeights,
    examples: &[NetworkExample],
    chosen: &[(u32, bool)],
    target: TrainingTarget,
) {
    vectorised(Backward {
        weights,
        gradient,
        examples,
        chosen,
        target,
    });
}

/// Returns the sum of the losses on some positions.
pub fn total_loss(
    weights: &FloatWeights,
    examples: &[NetworkExample],
    target: TrainingTarget,
) -> f64 {
    vectorised(LossSum {
        weights,
        examples,
        target,
    })
}

/// Backward pass over some positions.
struct Backward<'a> {
    weights: &'a FloatWeights,
    gradient: &'a mut NetworkGradient,
    examples: &'a [NetworkExample],
    chosen: &'a [(u32, bool)],
    target: TrainingTarget,
}

impl Vectorised for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.weights.architecture.is_paired() {
            self.run_with::<WIDTH>();
        } else {
            self.run_with::<{ 2 * WIDTH }>();
        }
    }
}

impl Backward<'_> {
    #[inline(always)]
    fn run_with<const INPUTS: usize>(self) {
        let transposed = transpose(&self.weights.first);
        let mut slopes = vec![[0.0; INPUTS]; HIDDEN];
        for &(number, mirrored) in self.chosen {
            let example = &self.examples[number as usize];
            backward(
                self.weights,
                &transposed,
                self.gradient,
                &mut slopes,
                &example.rows(mirrored),
                self.target.of(example),
            );
        }
        for (input, row) in self.gradient.weights.first.iter_mut().enumerate() {
            for (weight, column) in row.iter_mut().zip(&slopes) {
                *weight += column[input];
            }
        }
    }
}

/// Forward pass over some positions, which sums their loss.
struct LossSum<'a> {
    weights: &'a FloatWeights,
    examples: &'a [NetworkExample],
    target: TrainingTarget,
}

impl Vectorised for LossSum<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        if self.weights.architecture.is_paired() {
            self.run_with::<WIDTH>()
        } else {
            self.run_with::<{ 2 * WIDTH }>()
        }
    }
}

impl LossSum<'_> {
    #[inline(always)]
    fn run_with<const INPUTS: usize>(self) -> f64 {
        let of = |example: &NetworkExample| {
            let output = forward::<INPUTS>(self.weights, &example.rows(false)).output;
            f64::from(loss(self.target.of(example), output))
        };
        self.examples.iter().map(of).sum()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::nnue::descent::{Adam, Descent, WeightLimits};
    use monju_engine::rules::Game;

    /// A linear congruential generator, whose upper bits look random.
    fn numbers(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state
        }
    }

    pub(in crate::nnue) fn random_weights(architecture: Architecture) -> FloatWeights {
        FloatWeights::random(architecture, &mut numbers(1))
    }

    pub(in crate::nnue) fn limits(architecture: Architecture) -> WeightLimits {
        WeightLimits {
            transformer: 799.0 / f32::from(architecture.unit()),
            dense: [2.0, 2.0, 1.9],
        }
    }

    /// Positions of a random game.
    fn examples() -> Vec<NetworkExample> {
        let mut game = Game::startpos();
        let mut random = numbers(3);
        let mut examples = Vec::new();
        for _ in 0..20 {
            let mut below = |bound: u64| (random() >> 33) % bound;
            let (score, result) = (below(2000) as i16 - 1000, below(3) as i8 - 1);
            examples.push(NetworkExample::new(game.position(), score, result));
            let legal = game.legal_moves();
            let mv = legal[below(legal.len() as u64) as usize];
            game.play(mv).expect("legal");
        }
        examples
    }

    fn numbered(examples: &[NetworkExample]) -> Vec<(u32, bool)> {
        (0..examples.len() as u32)
            .map(|number| (number, false))
            .collect()
    }

    /// Compares every part of the network with the difference that a small change of a weight makes.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for architecture in [Architecture::KP, Architecture::KPPairs] {
            compare_with_differences(architecture);
        }
    }

    fn compare_with_differences(architecture: Architecture) {
        let examples = examples();
        let target = TrainingTarget {
            lambda: 0.7,
            scale: 600.0,
        };
        let mut weights = random_weights(architecture);
        let mut gradient = NetworkGradient::zero(architecture);
        let chosen = numbered(&examples);
        add_gradient(&mut gradient, &weights, &examples, &chosen, target);
        let total = total_loss(&weights, &examples, target);
        assert!((gradient.loss - total).abs() < 1e-6);

        // Parts of one row that every position has, and some weights of all other layers.
        let row = usize::from(examples[0].features[0]);
        let expected: Vec<f32> = gradient.weights.all().copied().collect();
        let dense = weights.rows.len() * WIDTH;
        let tried = (row * WIDTH..(row + 1) * WIDTH)
            .step_by(16)
            .chain((dense..expected.len()).step_by(97))
            .chain(expected.len() - 70..expected.len());
        let mut compared = 0;
        for index in tried {
            const STEP: f32 = 2e-3;
            let mut moved = |by: f32| {
                if let Some(weight) = weights.all_mut().nth(index) {
                    *weight += by;
                }
                total_loss(&weights, &examples, target)
            };
            let (up, down) = (moved(STEP), moved(-2.0 * STEP));
            moved(STEP);
            let measured = ((up - down) / f64::from(2.0 * STEP)) as f32;
            let difference = (measured - expected[index]).abs();
            // An activation that is clipped within the step distorts the difference a little.
            let allowed = 2e-3 + 0.05 * measured.abs().max(expected[index].abs());
            assert!(
                difference < allowed,
                "{architecture}, weight {index}: {measured} measured, {} computed",
                expected[index]
            );
            compared += usize::from(measured.abs() > 1e-3);
        }
        assert!(compared > 100, "only {compared} weights matter");
    }

    /// A network depends on data and options, never on the processor's vector instructions.
    #[test]
    fn vector_instructions_change_no_bit_of_a_step() {
        let examples = examples();
        let numbers = 0..examples.len() as u32;
        let chosen: Vec<_> = numbers.map(|number| (number, number % 2 == 0)).collect();
        let target = TrainingTarget {
            lambda: 0.7,
            scale: 600.0,
        };
        for architecture in [Architecture::KP, Architecture::KPPairs] {
            let [plain, wide] = [false, true].map(|is_wide| {
                let mut weights = random_weights(architecture);
                let mut gradient = NetworkGradient::zero(architecture);
                let mut adam = Adam::new(architecture);
                for _ in 0..3 {
                    gradient.clear();
                    let backward = Backward {
                        weights: &weights,
                        gradient: &mut gradient,
                        examples: &examples,
                        chosen: &chosen,
                        target,
                    };
                    match is_wide {
                        true => vectorised(backward),
                        false => backward.run(),
                    }
                    let descent = Descent {
                        adam: &mut adam,
                        weights: &mut weights,
                        gradient: &gradient,
                        count: examples.len(),
                        rate: 0.001,
                        limits: limits(architecture),
                    };
                    match is_wide {
                        true => vectorised(descent),
                        false => descent.run(),
                    }
                }
                let loss = LossSum {
                    weights: &weights,
                    examples: &examples,
                    target,
                };
                let loss = match is_wide {
                    true => vectorised(loss),
                    false => loss.run(),
                };
                let bits: Vec<u32> = weights.all().map(|weight| weight.to_bits()).collect();
                (bits, gradient.loss.to_bits(), loss.to_bits())
            });
            assert!(plain == wide, "{architecture}");
        }
    }

    #[test]
    fn gradients_of_parts_add_up() {
        let examples = examples();
        let architecture = Architecture::KPPairs;
        let weights = random_weights(architecture);
        let target = TrainingTarget {
            lambda: 1.0,
            scale: 600.0,
        };
        let of = |examples: &[NetworkExample]| {
            let mut gradient = NetworkGradient::zero(architecture);
            let chosen = numbered(examples);
            add_gradient(&mut gradient, &weights, examples, &chosen, target);
            gradient
        };
        let whole = of(&examples);
        let mut sum = of(&examples[..7]);
        sum.add(&of(&examples[7..]));
        assert_eq!(sum.touched, whole.touched);
        for (a, b) in sum.weights.all().zip(whole.weights.all()) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        sum.clear();
        assert_eq!(sum.weights, FloatWeights::zero(architecture));
    }
}
