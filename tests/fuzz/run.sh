#!/usr/bin/env bash
# Fuzzes targets with libFuzzer, for as many executions as one likes:
#
#   tests/fuzz/run.sh                      every target, 100,000 executions each
#   tests/fuzz/run.sh --runs 1000000 sfen gui
#
# What breaks a target is written to target/fuzz/TARGET/ and ends the command. Mend it, and keep the input in
# tests/fuzz/found/TARGET/: the tests run everything in there. The corpus that a target has grown is kept in
# target/fuzz/TARGET/corpus/ for the next time. Needs a C++ compiler, and Linux or macOS.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

all=(sfen gui child csa kif ki2 jkf lines configuration experiment ballots book weights messages votes)
runs=100000
targets=()
while [ $# -gt 0 ]; do
    case "$1" in
        --runs) runs=${2:?--runs needs a number}; shift ;;
        --*) echo "tests/fuzz/run.sh: unknown option '$1', expected --runs N or names of targets" >&2; exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")

RUSTC_WORKSPACE_WRAPPER="$PWD/tests/fuzz/rustc.sh" cargo build --release --locked --package monju-fuzz \
    --features libfuzzer --bin libfuzzer
binary=${CARGO_TARGET_DIR:-target}/release/libfuzzer
for target in "${targets[@]}"; do
    folder=target/fuzz/$target
    mkdir -p "$folder/corpus"
    longest=4096
    [ "$target" != experiment ] || longest=8192
    MONJU_FUZZ_TARGET=$target MONJU_FUZZ_CORPUS=$folder/corpus "$binary" -runs="$runs" -max_len=$longest \
        -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$folder/" \
        -dict="$folder/corpus.dict" "$folder/corpus" \
        2>"$folder/log" || { tail -40 "$folder/log" >&2; exit 1; }
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log") executions," \
        "$(grep -o 'cov: [0-9]*' "$folder/log" | tail -1)"
done
