//! Files that people write: configurations, experiments, calibrations.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_coordinator::calibration::Calibration;
use monju_experiment::specification::Specification;
use monju_team::config::Config;

pub const CONFIGURATION: FuzzTarget = FuzzTarget {
    name: "configuration",
    run: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let path = corpus::path("configs/fuzz.toml");
        if let Err(error) = Config::parse(&text, &path) {
            says_something(&error);
        }
        if let Err(error) = Calibration::parse(&text) {
            says_something(&error);
        }
    },
    corpus: || {
        let mut inputs = corpus::folder("configs", ".toml");
        inputs.extend(corpus::folder("configs/cluster", ".toml"));
        inputs.push(corpus::file("tests/data/small-team.toml"));
        inputs.push(
            b"version = 1\n\n[[engine]]\nname = \"monju material\"\nscale = 300.5\noffset = -0.1\nagainst = \
              \"results\"\nvotes = 900\ngames = 30\n"
                .to_vec(),
        );
        inputs
    },
    words: &[
        "version = 1\n",
        "[worker]\n",
        "[[player]]\n",
        "[coordinator]\n",
        "[ensemble]\n",
        "name = \"a\"\n",
        "count = 3\n",
        "sigma = ",
        "nan",
        "inf",
        "-0.0",
        "path = ",
        "workers = [",
        "\"dns://",
        "listen = ",
        "{ USI_Hash = 1 }",
        "limits = { nodes = 1 }",
        "rule = \"majority\"\n",
        "lanes = 16\n",
        "'''",
        "\"\"\"",
    ],
    mutations: 6_000,
};

pub const EXPERIMENT: FuzzTarget = FuzzTarget {
    name: "experiment",
    run: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let path = corpus::path("configs/experiments/fuzz.toml");
        if let Err(error) = Specification::parse(&text, &path) {
            says_something(&error);
        }
    },
    corpus: || corpus::folder("configs/experiments", ".toml"),
    words: &[
        "version = 1\n",
        "[grid]\n",
        "[base]\n",
        "[ensemble.",
        "[[player]]\n",
        "pairs = ",
        "seed = ",
        "[report]\n",
        "openings = ",
        "nodes = ",
        "[0, 1]",
        "[]",
        "{}",
        "nan",
        "-1",
        "9223372036854775807",
        "\"$m\"",
    ],
    mutations: 1_500,
};

/// An error has a text; the command line makes it one plain line.
fn says_something(error: &dyn std::error::Error) {
    assert!(!error.to_string().is_empty());
}
