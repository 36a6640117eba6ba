//! Evaluators by name, with the weights that players share.

use super::{
    evaluator::Evaluator,
    linear::{Linear, LinearWeights},
    material::{Material, MaterialWeights},
    nnue::{Network, Nnue},
    weights_error::WeightsError,
};
use std::{
    fmt,
    num::NonZeroU8,
    path::PathBuf,
    str::FromStr,
    sync::{Arc, OnceLock},
};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Made by `monju learn linear`, with the recipe beside it.
const LINEAR_WEIGHTS: &[u8] = include_bytes!("../../weights/linear.bin");

/// Made by `monju learn nnue`, with the recipe beside it.
const NETWORK: &[u8] = include_bytes!("../../weights/nn.bin");

/// Kind of a static evaluation.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownEvaluator, parse_err_fn = unknown)]
pub enum EvaluatorKind {
    /// Piece values, hand values and piece-square values, learned from self-play.
    Material,
    /// Those values and the relations of two pieces, learned from game records.
    Linear,
    /// A network: Monju's own or a `nn.bin`.
    #[default]
    Nnue,
}

impl EvaluatorKind {
    /// Every kind.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name used in configurations and ballots.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Error of a name that is not an evaluator's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown evaluator '{given}', expected one of: {known}, or nnue@N for a network that was made for FV_SCALE = N, \
         1 to 128", known = <EvaluatorKind as VariantNames>::VARIANTS.join(", "))]
pub struct UnknownEvaluator {
    /// The given name.
    pub given: String,
}

impl UnknownEvaluator {
    fn new(text: &str) -> Self {
        Self {
            given: text.chars().take(80).collect(),
        }
    }
}

fn unknown(text: &str) -> UnknownEvaluator {
    UnknownEvaluator::new(text)
}

/// An evaluator in a user's words: `linear` with the weights of this build, `linear:FILE` with those
/// of a file, or `nnue@24:FILE` for a network made for another `FV_SCALE` than 16. The engine itself
/// reads no files.
///
/// ```
/// use monju_engine::{EvaluatorChoice, EvaluatorKind};
/// let choice: EvaluatorChoice = "nnue@24:nn.bin".parse()?;
/// assert_eq!(choice.kind, EvaluatorKind::Nnue);
/// assert_eq!(choice.to_string(), "nnue@24:nn.bin");
/// # Ok::<(), monju_engine::eval::UnknownEvaluator>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluatorChoice {
    /// Kind of the evaluator.
    pub kind: EvaluatorKind,
    /// File of weights, in place of those of this build.
    pub weights: Option<PathBuf>,
    /// Divisor of a network's outputs other than 16; see [`Network::scaled`].
    pub fv_scale: Option<NonZeroU8>,
}

/// Largest scale that other shogi engines allow.
const MOST_FV_SCALE: u8 = 128;

impl FromStr for EvaluatorChoice {
    type Err = UnknownEvaluator;

    fn from_str(text: &str) -> Result<Self, UnknownEvaluator> {
        let (evaluator, weights) = match text.split_once(':') {
            Some((evaluator, path)) => (evaluator, Some(PathBuf::from(path))),
            None => (text, None),
        };
        let (kind, fv_scale) = match evaluator.split_once('@') {
            None => (evaluator.parse()?, None),
            Some((kind, scale)) => {
                let scale = scale.parse::<NonZeroU8>();
                let scale = scale.ok().filter(|scale| scale.get() <= MOST_FV_SCALE);
                match (kind.parse(), scale) {
                    (Ok(EvaluatorKind::Nnue), Some(scale)) => (EvaluatorKind::Nnue, Some(scale)),
                    // Only networks have a scale.
                    _ => return Err(UnknownEvaluator::new(evaluator)),
                }
            }
        };
        Ok(Self {
            kind,
            weights,
            fv_scale,
        })
    }
}

impl fmt::Display for EvaluatorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        if let Some(fv_scale) = self.fv_scale {
            write!(f, "@{fv_scale}")?;
        }
        if let Some(path) = &self.weights {
            write!(f, ":{}", path.display())?;
        }
        Ok(())
    }
}

/// A static evaluation with its weights, shared by players and threads, so that cloning is cheap.
///
/// ```
/// use monju_engine::{EvaluatorKind, Model};
/// let model = Model::embedded(EvaluatorKind::Linear)?;
/// assert_eq!(model.kind(), EvaluatorKind::Linear);
/// assert!(model.to_string().starts_with("linear#"));
/// # Ok::<(), monju_engine::eval::WeightsError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Model {
    /// The evaluator `material`.
    Material(Arc<MaterialWeights>),
    /// The evaluator `linear`.
    Linear(Arc<LinearWeights>),
    /// The evaluator `nnue`.
    Nnue(Arc<Network>),
}

/// The default evaluator with the weights of this build.
impl Default for Model {
    fn default() -> Self {
        match Self::embedded(EvaluatorKind::default()) {
            Ok(model) => model,
            Err(error) => unreachable!("a test reads the weights of every build: {error}"),
        }
    }
}

/// Models are equal if they have the same evaluator with the same weights.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), self.hash()) == (other.kind(), other.hash())
    }
}

impl Model {
    /// Returns the evaluator `material` with the values of this build.
    pub fn material() -> Self {
        Self::Material(MaterialWeights::embedded())
    }

    /// Returns an evaluator with the weights of this build, which are unpacked once in a process.
    ///
    /// # Errors
    /// The weights of this build cannot be read.
    pub fn embedded(kind: EvaluatorKind) -> Result<Self, WeightsError> {
        match kind {
            EvaluatorKind::Material => Ok(Self::material()),
            EvaluatorKind::Linear => {
                static LINEAR: OnceLock<Result<Model, WeightsError>> = OnceLock::new();
                LINEAR
                    .get_or_init(|| Self::from_bytes(kind, LINEAR_WEIGHTS))
                    .clone()
            }
            EvaluatorKind::Nnue => {
                static NNUE: OnceLock<Result<Model, WeightsError>> = OnceLock::new();
                NNUE.get_or_init(|| Self::from_bytes(kind, NETWORK)).clone()
            }
        }
    }

    /// Returns an evaluator with weights from a file's bytes.
    ///
    /// # Errors
    /// The bytes are not weights of this evaluator.
    pub fn from_bytes(kind: EvaluatorKind, bytes: &[u8]) -> Result<Self, WeightsError> {
        match kind {
            EvaluatorKind::Material => Ok(Self::Material(Arc::new(MaterialWeights::from_bytes(
                bytes,
            )?))),
            EvaluatorKind::Linear => Ok(Self::Linear(Arc::new(LinearWeights::from_bytes(bytes)?))),
            EvaluatorKind::Nnue => Ok(Self::Nnue(Arc::new(Network::from_bytes(bytes)?))),
        }
    }

    /// Returns a network with another scale, see [`Network::scaled`]. Other evaluators stay the same.
    pub fn scaled(self, fv_scale: NonZeroU8) -> Self {
        match self {
            Self::Nnue(network) => {
                Self::Nnue(Arc::new(Arc::unwrap_or_clone(network).scaled(fv_scale)))
            }
            other => other,
        }
    }

    /// Returns an evaluator for use outside a search.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Self::Material(weights) => Box::new(Material::new(Arc::clone(weights))),
            Self::Linear(weights) => Box::new(Linear::new(Arc::clone(weights))),
            Self::Nnue(network) => Box::new(Nnue::new(Arc::clone(network))),
        }
    }

    /// Returns the value of exchanging a pawn, in the evaluator's centipawns: the unit in which the
    /// papers quote noise. For a network it is measured, and at least one centipawn.
    pub fn pawn_exchange(&self) -> f64 {
        match self {
            Self::Material(weights) => weights.values().pawn_exchange(),
            Self::Linear(weights) => weights.pawn_exchange(),
            Self::Nnue(network) => Nnue::new(Arc::clone(network)).pawn_exchange().max(1.0),
        }
    }

    /// Returns the kind of the evaluator.
    pub fn kind(&self) -> EvaluatorKind {
        match self {
            Self::Material(_) => EvaluatorKind::Material,
            Self::Linear(_) => EvaluatorKind::Linear,
            Self::Nnue(_) => EvaluatorKind::Nnue,
        }
    }

    /// Returns the hash of the weights.
    pub fn hash(&self) -> u64 {
        match self {
            Self::Material(weights) => weights.hash(),
            Self::Linear(weights) => weights.hash(),
            Self::Nnue(network) => network.hash(),
        }
    }
}

/// Writes the name and the hash of the weights, as ballots show them.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Eight digits suffice to distinguish the models of one team.
        write!(f, "{}#{:08x}", self.kind(), self.hash() >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluator_comes_with_the_build() {
        for &kind in EvaluatorKind::ALL {
            let model = Model::embedded(kind).expect("good weights");
            assert_eq!(model.kind(), kind);
            assert_eq!(model, Model::embedded(kind).expect("the same"));
            assert!(model.to_string().starts_with(kind.name()), "{model}");
        }
        assert_eq!(Model::default().kind(), EvaluatorKind::default());
    }

    #[test]
    fn every_evaluator_has_a_plausible_pawn_exchange() {
        for &kind in EvaluatorKind::ALL {
            let value = Model::embedded(kind).expect("good weights").pawn_exchange();
            assert!((100.0..500.0).contains(&value), "{kind}: {value}");
        }
    }

    #[test]
    fn a_choice_is_a_name_with_an_optional_file() {
        let choice: EvaluatorChoice = "linear:C:\\weights\\a b.bin".parse().expect("known");
        assert_eq!(choice.kind, EvaluatorKind::Linear);
        assert_eq!(choice.weights, Some(PathBuf::from("C:\\weights\\a b.bin")));
        assert_eq!(choice.to_string(), "linear:C:\\weights\\a b.bin");
        assert_eq!(
            "linear".parse(),
            Ok(EvaluatorChoice {
                kind: EvaluatorKind::Linear,
                weights: None,
                fv_scale: None,
            })
        );
        let scaled: EvaluatorChoice = "nnue@24:a@7:b.bin".parse().expect("known");
        assert_eq!(scaled.fv_scale.map(NonZeroU8::get), Some(24));
        assert_eq!(scaled.weights, Some(PathBuf::from("a@7:b.bin")));
        assert_eq!(scaled.to_string(), "nnue@24:a@7:b.bin");
        for wrong in ["nnue@0", "nnue@129:a", "nnue@", "linear@24", "nnue@2.5"] {
            let error = wrong.parse::<EvaluatorChoice>().expect_err(wrong);
            let given = wrong.split(':').next().expect("a part");
            let text = error.to_string();
            assert!(
                text.contains(&format!("'{given}'")) && text.contains("1 to 128"),
                "{text}"
            );
        }
        let error = "magic:a"
            .parse::<EvaluatorChoice>()
            .expect_err("unknown")
            .to_string();
        assert!(
            error.contains("'magic'") && error.contains("material, linear, nnue"),
            "{error}"
        );
    }
}
