//! Evaluators by name, and the weights that players share.

use super::{
    Evaluator, Material, exchange_value,
    nnue::{Network, NetworkError, Nnue},
};
use crate::rules::PieceKind;
use std::{
    fmt,
    path::PathBuf,
    str::FromStr,
    sync::{Arc, LazyLock},
};

/// Made by `monju learn nnue`; the recipe stands beside it.
const NETWORK: &[u8] = include_bytes!("../../weights/nnue.bin");

/// The static evaluations that there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluatorKind {
    /// Piece values, hand values and piece-square values, set by hand.
    #[default]
    Material,
    /// A network: Monju's own, or a `nn.bin`.
    Nnue,
}

impl EvaluatorKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Material, Self::Nnue];

    /// The name that configurations and ballots use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
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
#[error("unknown evaluator '{given}', expected one of: {known}", known = known_names())]
pub struct UnknownEvaluator {
    /// The name asked for.
    pub given: String,
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
            .ok_or_else(|| UnknownEvaluator {
                given: text.chars().take(80).collect(),
            })
    }
}

/// An evaluator as a user names it: `linear` with the weights of this build, or `linear:FILE` with
/// those of a file. The engine reads no files; whoever starts it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluatorChoice {
    /// The evaluator.
    pub kind: EvaluatorKind,
    /// The file of its weights, in place of those that this build carries.
    pub weights: Option<PathBuf>,
}

impl FromStr for EvaluatorChoice {
    type Err = UnknownEvaluator;

    fn from_str(text: &str) -> Result<Self, UnknownEvaluator> {
        let (kind, weights) = match text.split_once(':') {
            Some((kind, path)) => (kind, Some(PathBuf::from(path))),
            None => (text, None),
        };
        Ok(Self {
            kind: kind.parse()?,
            weights,
        })
    }
}

impl fmt::Display for EvaluatorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.weights {
            Some(path) => write!(f, "{}:{}", self.kind, path.display()),
            None => self.kind.fmt(f),
        }
    }
}

/// Why there is no such evaluator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// Weights for an evaluator that has none.
    #[error("evaluator {0} takes no file of weights, leave it out")]
    None(EvaluatorKind),
    /// Weights that are no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// A static evaluation with its weights, which all players and threads share: cloning is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Model {
    /// Needs no weights.
    #[default]
    Material,
    /// A network.
    Nnue(Arc<Network>),
}

impl Model {
    /// The evaluator with the weights that this build carries, which are unpacked once a process.
    ///
    /// # Errors
    /// This build carries none for it.
    pub fn embedded(kind: EvaluatorKind) -> Result<Self, WeightsError> {
        match kind {
            EvaluatorKind::Material => Ok(Self::Material),
            EvaluatorKind::Nnue => {
                static SHARED: LazyLock<Result<Arc<Network>, NetworkError>> =
                    LazyLock::new(|| Network::from_bytes(NETWORK).map(Arc::new));
                Ok(Self::Nnue(SHARED.clone()?))
            }
        }
    }

    /// The evaluator with weights from a file's bytes.
    ///
    /// # Errors
    /// The bytes are no such weights.
    pub fn from_bytes(kind: EvaluatorKind, bytes: &[u8]) -> Result<Self, WeightsError> {
        match kind {
            EvaluatorKind::Material => Err(WeightsError::None(kind)),
            EvaluatorKind::Nnue => Ok(Self::Nnue(Arc::new(Network::from_bytes(bytes)?))),
        }
    }

    /// An evaluator that is not compiled into a search.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Self::Material => Box::new(Material::default()),
            Self::Nnue(network) => Box::new(Nnue::new(Arc::clone(network))),
        }
    }

    /// What exchanging a pawn swings, in the evaluator's centipawns: the unit in which the papers
    /// quote noise.
    pub fn pawn_exchange(&self) -> f64 {
        match self {
            Self::Material => exchange_value(PieceKind::Pawn).into(),
            // Networks are told that a pawn is worth 100, wherever it is.
            Self::Nnue(_) => 200.0,
        }
    }

    /// Which evaluator it is.
    pub fn kind(&self) -> EvaluatorKind {
        match self {
            Self::Material => EvaluatorKind::Material,
            Self::Nnue(_) => EvaluatorKind::Nnue,
        }
    }
}

/// The name, and the hash of the weights where there are some: what ballots show.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Material => self.kind().fmt(f),
            Self::Nnue(network) => write!(f, "{} {:016x}", self.kind(), network.hash()),
        }
    }
}
