#!/usr/bin/env bash
# Compiles a crate of the workspace with the coverage that libFuzzer reads. Cargo calls it as
# RUSTC_WORKSPACE_WRAPPER, so that the crates of others are built once, and as ever.
exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Coverflow-checks=yes -Cdebug-assertions=yes
