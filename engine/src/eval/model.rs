//! Evaluators by name, and the weights that players share.

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

/// Made by `monju learn linear`; the recipe stands beside it.
const LINEAR_WEIGHTS: &[u8] = include_bytes!("../../weights/linear.bin");

/// Made by `monju learn nnue`; the recipe stands beside it.
const NETWORK: &[u8] = include_bytes!("../../weights/nn.bin");

/// The static evaluations that there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluatorKind {
    /// Piece values, hand values and piece-square values, learned from self-play.
    Material,
    /// Those and the relations of two pieces, learned from game records.
    Linear,
    /// A network: Monju's own, or a `nn.bin`.
    #[default]
    Nnue,
}

impl EvaluatorKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Material, Self::Linear, Self::Nnue];

    /// The name that configurations and ballots use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Linear => "linear",
            Self::Nnue => "nnue",
        }
    }
}

impl fmt::Display for EvaluatorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No evaluator has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown evaluator '{given}', expected one of: {known}, or nnue@N for a network that was made for FV_SCALE = N, \
         1 to 128", known = known_names())]
pub struct UnknownEvaluator {
    /// The name asked for.
    pub given: String,
}

impl UnknownEvaluator {
    fn new(text: &str) -> Self {
        Self {
            given: text.chars().take(80).collect(),
        }
    }
}

fn known_names() -> String {
    EvaluatorKind::ALL.map(EvaluatorKind::name).join(", ")
}

impl FromStr for EvaluatorKind {
    type Err = UnknownEvaluator;

    fn from_str(text: &str) -> Result<Self, UnknownEvaluator> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| UnknownEvaluator::new(text))
    }
}

/// An evaluator as a user names it: `linear` with the weights of this build, or `linear:FILE` with
/// those of a file; `nnue@24:FILE` for a network that was made for another `FV_SCALE` than 16. The engine reads no
/// files; whoever starts it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluatorChoice {
    /// The evaluator.
    pub kind: EvaluatorKind,
    /// The file of its weights, in place of those that this build carries.
    pub weights: Option<PathBuf>,
    /// What the outputs of a network are divided by, if not by 16; see [`Network::scaled`].
    pub fv_scale: Option<NonZeroU8>,
}

/// The largest scale that engines of the field let their users set.
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
                    // Only networks have scales.
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

/// A static evaluation with its weights, which all players and threads share: cloning is cheap.
#[derive(Clone, Debug)]
pub enum Model {
    /// Values of pieces by square.
    Material(Arc<MaterialWeights>),
    /// Learned from game records.
    Linear(Arc<LinearWeights>),
    /// A network.
    Nnue(Arc<Network>),
}

/// The default evaluator with the weights that this build carries.
impl Default for Model {
    fn default() -> Self {
        match Self::embedded(EvaluatorKind::default()) {
            Ok(model) => model,
            Err(error) => unreachable!("a test reads the weights of every build: {error}"),
        }
    }
}

/// The same evaluator with the same weights.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), self.hash()) == (other.kind(), other.hash())
    }
}

impl Model {
    /// The evaluator `material` with the values that this build carries.
    pub fn material() -> Self {
        Self::Material(MaterialWeights::embedded())
    }

    /// The evaluator with the weights that this build carries, which are unpacked once a process.
    ///
    /// # Errors
    /// This build carries none for it.
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

    /// The evaluator with weights from a file's bytes.
    ///
    /// # Errors
    /// The bytes are no such weights.
    pub fn from_bytes(kind: EvaluatorKind, bytes: &[u8]) -> Result<Self, WeightsError> {
        match kind {
            EvaluatorKind::Material => Ok(Self::Material(Arc::new(MaterialWeights::from_bytes(
                bytes,
            )?))),
            EvaluatorKind::Linear => Ok(Self::Linear(Arc::new(LinearWeights::from_bytes(bytes)?))),
            EvaluatorKind::Nnue => Ok(Self::Nnue(Arc::new(Network::from_bytes(bytes)?))),
        }
    }

    /// A network on another scale, see [`Network::scaled`]; other evaluators have none.
    pub fn scaled(self, fv_scale: NonZeroU8) -> Self {
        match self {
            Self::Nnue(network) => {
                Self::Nnue(Arc::new(Arc::unwrap_or_clone(network).scaled(fv_scale)))
            }
            other => other,
        }
    }

    /// An evaluator that is not compiled into a search.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Self::Material(weights) => Box::new(Material::new(Arc::clone(weights))),
            Self::Linear(weights) => Box::new(Linear::new(Arc::clone(weights))),
            Self::Nnue(network) => Box::new(Nnue::new(Arc::clone(network))),
        }
    }

    /// What exchanging a pawn swings, in the evaluator's centipawns: the unit in which the papers
    /// quote noise. A network is asked what it thinks, at least a centipawn.
    pub fn pawn_exchange(&self) -> f64 {
        match self {
            Self::Material(weights) => weights.values().pawn_exchange(),
            Self::Linear(weights) => weights.pawn_exchange(),
            Self::Nnue(network) => Nnue::new(Arc::clone(network)).pawn_exchange().max(1.0),
        }
    }

    /// Which evaluator it is.
    pub fn kind(&self) -> EvaluatorKind {
        match self {
            Self::Material(_) => EvaluatorKind::Material,
            Self::Linear(_) => EvaluatorKind::Linear,
            Self::Nnue(_) => EvaluatorKind::Nnue,
        }
    }

    /// The hash of its weights.
    pub fn hash(&self) -> u64 {
        match self {
            Self::Material(weights) => weights.hash(),
            Self::Linear(weights) => weights.hash(),
            Self::Nnue(network) => network.hash(),
        }
    }
}

/// The name and the hash of the weights: what ballots show.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Eight digits tell apart what one team may ever mix.
        write!(f, "{}#{:08x}", self.kind(), self.hash() >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluator_comes_with_the_build() {
        for kind in EvaluatorKind::ALL {
            let model = Model::embedded(kind).expect("good weights");
            assert_eq!(model.kind(), kind);
            assert_eq!(model, Model::embedded(kind).expect("the same"));
            assert!(model.to_string().starts_with(kind.name()), "{model}");
        }
        assert_eq!(Model::default().kind(), EvaluatorKind::default());
    }

    #[test]
    fn every_evaluator_knows_what_a_pawn_is_worth() {
        for kind in EvaluatorKind::ALL {
            let value = Model::embedded(kind).expect("good weights").pawn_exchange();
            assert!((100.0..500.0).contains(&value), "{kind}: {value}");
        }
    }

    #[test]
    fn a_choice_is_a_name_and_perhaps_a_file() {
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
