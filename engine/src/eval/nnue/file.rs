//! Network files: Monju's own format, and the `nn.bin` of other engines.
//!
//! Both hold the weights in the same order, little-endian: 256 biases and the rows of the first layer
//! (`i16`); biases (`i32`) and weights (`i8`, all of the first output first) of the layers with 32,
//! 32 and 1 outputs. A `nn.bin` has before them a version, a hash of the architecture, and the
//! length and the text of its description; a further hash precedes the first and the second layer.
//! Monju's file begins with `monju network 1`, a line feed, the hash of the architecture as in a
//! `nn.bin` (or a hash of its own for Monju's architecture), and the FNV-1a hash of everything that
//! follows (`u64`), so that a damaged file is recognised.

use super::{
    architecture::Architecture,
    network::{Layer, Network, Parts},
    shape::{HIDDEN, WIDTH},
};
use crate::fnv1a::fnv1a;

/// Error of bytes that are not a network, or of a network that a `nn.bin` cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file has neither format.
    #[error("not a network: it begins neither like an nn.bin nor like a network of Monju's own")]
    Unknown,
    /// The network has another architecture.
    #[error(
        "network is of architecture {hash:08x} ('{description}'), expected HalfKP 256x2-32-32 \
         (3e5aa6ee), K-P 256x2-32-32 (5c6464a9), or Monju's own"
    )]
    Architecture {
        /// Hash of the architecture.
        hash: u32,
        /// Description in the file.
        description: String,
    },
    /// The file is too short or too long.
    #[error("network file has {given} bytes, {expected} are right for its architecture")]
    Length {
        /// Length of the file, in bytes.
        given: usize,
        /// Expected length, in bytes.
        expected: usize,
    },
    /// A hash between the layers is wrong.
    #[error("network file is damaged: hash {given:08x} before a layer, expected {expected:08x}")]
    LayerHash {
        /// The hash found.
        given: u32,
        /// The hash expected.
        expected: u32,
    },
    /// The weights do not match the hash in the file.
    #[error("network file is damaged: its weights have hash {given:016x}, not {expected:016x}")]
    Damaged {
        /// The hash of the weights.
        given: u64,
        /// The hash in the file.
        expected: u64,
    },
    /// No `nn.bin` can hold a network of this architecture.
    #[error("no nn.bin holds a network of architecture {0}, only k-p and half-k-p")]
    Own(Architecture),
}

const MAGIC: &[u8] = b"monju network 1\n";

/// Version of a `nn.bin`.
const VERSION: u32 = 0x7af3_2f16;

/// Hash of the layers after the first.
const LAYERS_HASH: u32 = 0x6333_7156;

/// Largest length of a description, in bytes.
const LONGEST_DESCRIPTION: usize = 4096;

impl Architecture {
    /// Hash of the first layer in a `nn.bin`.
    const fn layer_hash(self) -> u32 {
        match self {
            Self::KP => 0x3f57_15ff,
            Self::HalfKP => 0x5d69_d7b8,
            Self::KPPairs => 0x3f57_15ff ^ 0x7061_6972,
        }
    }

    /// Hash of the whole architecture in files.
    const fn hash(self) -> u32 {
        self.layer_hash() ^ LAYERS_HASH
    }

    /// Tells whether other engines have this architecture.
    const fn is_common(self) -> bool {
        matches!(self, Self::KP | Self::HalfKP)
    }

    fn description(self) -> String {
        let name = match self {
            Self::KP | Self::KPPairs => "K+P",
            Self::HalfKP => "HalfKP(Friend)",
        };
        let layers = "AffineTransform[1<-32](ClippedReLU[32](AffineTransform[32<-32](ClippedReLU[32]\
                      (AffineTransform[32<-512](InputSlice[512(0:512)])))))";
        format!(
            "Features={name}[{}->{WIDTH}x2],Network={layers}",
            self.features()
        )
    }

    /// Returns the length of the weights in bytes, without the two hashes of a `nn.bin`.
    const fn weight_bytes(self) -> usize {
        let first = 2 * (WIDTH + self.features() * WIDTH);
        let hidden = 4 * HIDDEN + self.inputs() * HIDDEN + 4 * HIDDEN + HIDDEN * HIDDEN;
        first + hidden + 4 + HIDDEN
    }
}

/// A reader of bytes whose length has been checked.
struct WeightReader<'a>(&'a [u8]);

impl<'a> WeightReader<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }

    fn u32(&mut self) -> u32 {
        self.bytes(4)
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u32::from(byte))
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        let (pairs, _) = self.bytes(2 * count).as_chunks();
        pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect()
    }

    fn layer(&mut self, inputs: usize, outputs: usize) -> Layer {
        let biases = (0..outputs).map(|_| self.u32() as i32).collect();
        let weights = self.bytes(inputs * outputs);
        Layer {
            biases,
            weights: weights.iter().map(|&weight| weight as i8).collect(),
        }
    }

    fn layer_hash(&mut self, expected: u32) -> Result<(), NetworkError> {
        let given = self.u32();
        if given == expected {
            Ok(())
        } else {
            Err(NetworkError::LayerHash { given, expected })
        }
    }

    fn parts(
        &mut self,
        architecture: Architecture,
        has_hashes: bool,
    ) -> Result<Parts, NetworkError> {
        if has_hashes {
            self.layer_hash(architecture.layer_hash())?;
        }
        let biases = self.i16s(WIDTH);
        let rows = self.i16s(architecture.features() * WIDTH);
        if has_hashes {
            self.layer_hash(LAYERS_HASH)?;
        }
        Ok(Parts {
            architecture,
            biases,
            rows,
            first: self.layer(architecture.inputs(), HIDDEN),
            second: self.layer(HIDDEN, HIDDEN),
            output: self.layer(HIDDEN, 1),
        })
    }
}

fn write_parts(parts: &Parts, with_hashes: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.architecture.weight_bytes() + 8);
    if with_hashes {
        bytes.extend(parts.architecture.layer_hash().to_le_bytes());
    }
    for number in parts.biases.iter().chain(&parts.rows) {
        bytes.extend(number.to_le_bytes());
    }
    if with_hashes {
        bytes.extend(LAYERS_HASH.to_le_bytes());
    }
    for layer in [&parts.first, &parts.second, &parts.output] {
        bytes.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes.extend(layer.weights.iter().map(|&weight| weight as u8));
    }
    bytes
}

fn check_length(given: usize, expected: usize) -> Result<(), NetworkError> {
    if given == expected {
        Ok(())
    } else {
        Err(NetworkError::Length { given, expected })
    }
}

/// Returns the architecture with a hash.
fn architecture(hash: u32, description: &[u8]) -> Result<Architecture, NetworkError> {
    let known = Architecture::ALL.iter().copied();
    let mut fitting = known.filter(|architecture| architecture.hash() == hash);
    fitting.next().ok_or_else(|| NetworkError::Architecture {
        hash,
        description: String::from_utf8_lossy(description)
            .chars()
            .filter(|letter| !letter.is_control())
            .take(80)
            .collect(),
    })
}

impl Network {
    /// Reads a network from the bytes of Monju's own file or of a `nn.bin`.
    ///
    /// # Errors
    /// The bytes are not a network of a known architecture, or they are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if let Some(rest) = bytes.strip_prefix(MAGIC) {
            Self::from_own(bytes.len(), rest)
        } else {
            Self::from_nn_bin(bytes)
        }
    }

    /// Reads the part of Monju's own file after its first line.
    fn from_own(length: usize, rest: &[u8]) -> Result<Self, NetworkError> {
        let Some((header, weights)) = rest.split_first_chunk::<12>() else {
            return Err(NetworkError::Unknown);
        };
        let mut header = WeightReader(header);
        let architecture = architecture(header.u32(), b"")?;
        let expected = u64::from(header.u32()) | u64::from(header.u32()) << 32;
        check_length(length, MAGIC.len() + 12 + architecture.weight_bytes())?;
        let given = fnv1a(weights);
        if given != expected {
            return Err(NetworkError::Damaged { given, expected });
        }
        let parts = WeightReader(weights).parts(architecture, false)?;
        Ok(Self::new(&parts, given))
    }

    fn from_nn_bin(bytes: &[u8]) -> Result<Self, NetworkError> {
        let Some((header, rest)) = bytes.split_first_chunk::<12>() else {
            return Err(NetworkError::Unknown);
        };
        let mut header = WeightReader(header);
        if header.u32() != VERSION {
            return Err(NetworkError::Unknown);
        }
        let hash = header.u32();
        let length = header.u32() as usize;
        if length > LONGEST_DESCRIPTION || length > rest.len() {
            return Err(NetworkError::Unknown);
        }
        let (description, weights) = rest.split_at(length);
        let architecture = architecture(hash, description)?;
        if !architecture.is_common() {
            return Err(NetworkError::Own(architecture));
        }
        check_length(bytes.len(), 12 + length + 8 + architecture.weight_bytes())?;
        let parts = WeightReader(weights).parts(architecture, true)?;
        // The hash does not depend on the format of the file.
        let hash = fnv1a(&write_parts(&parts, false));
        Ok(Self::new(&parts, hash))
    }

    /// Returns the bytes of a file in Monju's own format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = write_parts(&self.parts(), false);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.architecture().hash().to_le_bytes());
        bytes.extend(fnv1a(&weights).to_le_bytes());
        bytes.extend(weights);
        bytes
    }

    /// Returns the bytes of a `nn.bin` for other engines.
    ///
    /// # Errors
    /// Other engines do not have this architecture.
    pub fn to_nn_bin(&self) -> Result<Vec<u8>, NetworkError> {
        let architecture = self.architecture();
        if !architecture.is_common() {
            return Err(NetworkError::Own(architecture));
        }
        let description = architecture.description();
        let mut bytes = VERSION.to_le_bytes().to_vec();
        bytes.extend(architecture.hash().to_le_bytes());
        bytes.extend((description.len() as u32).to_le_bytes());
        bytes.extend(description.as_bytes());
        bytes.extend(write_parts(&self.parts(), true));
        Ok(bytes)
    }

    /// Creates a network of these weights.
    pub fn from_parts(parts: &Parts) -> Self {
        Self::new(parts, fnv1a(&write_parts(parts, false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read_as_they_were_written() {
        for &architecture in Architecture::ALL {
            let network = Network::sample(architecture);
            let own = Network::from_bytes(&network.to_bytes()).unwrap();
            assert_eq!(own.parts(), network.parts());
            if architecture == Architecture::KPPairs {
                assert_eq!(network.to_nn_bin(), Err(NetworkError::Own(architecture)));
                continue;
            }
            let foreign = Network::from_bytes(&network.to_nn_bin().unwrap()).unwrap();
            assert_eq!(foreign.parts(), network.parts());
            assert_eq!(own.hash(), foreign.hash());
        }
    }

    #[test]
    fn a_nn_bin_with_products_is_refused() {
        let mut bytes = Network::sample(Architecture::KP).to_nn_bin().unwrap();
        bytes[4..8].copy_from_slice(&Architecture::KPPairs.hash().to_le_bytes());
        let error = Network::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("architecture k-p-pairs"), "{error}");
    }

    /// The expected bytes are those of YaneuraOu's K-P networks and of published HalfKP networks.
    #[test]
    fn a_nn_bin_has_the_usual_size_and_header() {
        let kp = Network::sample(Architecture::KP).to_nn_bin().unwrap();
        assert_eq!(kp.len(), 893_917);
        assert_eq!(kp[..12], *b"\x16\x2f\xf3\x7a\xa9\x64\x64\x5c\xa5\0\0\0");
        assert!(kp[12..].starts_with(b"Features=K+P[1710->256x2],Network=AffineTransform[1<-32]"));
        let halfkp = Network::sample(Architecture::HalfKP).to_nn_bin().unwrap();
        assert_eq!(halfkp[4..8], 0x3e5a_a6ee_u32.to_le_bytes());
        assert!(halfkp[12..].starts_with(b"Features=HalfKP(Friend)[125388->256x2],"));
    }

    #[test]
    fn wrong_files_are_refused_with_a_reason() {
        let network = Network::sample(Architecture::KP);
        for good in [network.to_bytes(), network.to_nn_bin().unwrap()] {
            for length in [0, 3, 11, 20, 40, 1000, good.len() - 1] {
                let error = Network::from_bytes(&good[..length]).unwrap_err();
                assert!(!error.to_string().contains('\n'), "{error}");
            }
            let mut long = good.clone();
            long.push(0);
            assert!(matches!(
                Network::from_bytes(&long),
                Err(NetworkError::Length { .. })
            ));
        }
        let mut damaged = network.to_bytes();
        damaged[500_000] ^= 1;
        assert!(matches!(
            Network::from_bytes(&damaged),
            Err(NetworkError::Damaged { .. })
        ));
        let mut other = network.to_nn_bin().unwrap();
        other[4] ^= 1;
        let error = Network::from_bytes(&other).unwrap_err().to_string();
        assert!(error.contains("5c6464a8 ('Features=K+P"), "{error}");
        let mut shifted = network.to_nn_bin().unwrap();
        shifted[12 + 165] ^= 1;
        assert!(matches!(
            Network::from_bytes(&shifted),
            Err(NetworkError::LayerHash { .. })
        ));
        let mut endless = network.to_nn_bin().unwrap();
        endless[8..12].copy_from_slice(&[0xff; 4]);
        assert_eq!(Network::from_bytes(&endless), Err(NetworkError::Unknown));
    }
}
