#!/usr/bin/env bash
# Makes what is given to users: an archive of the program with its documents and examples, a Debian package, checksums.
#   deploy/release/build.sh                                   for this machine's kind
#   deploy/release/build.sh aarch64-unknown-linux-gnu         for another kind that Cargo can link for
# The files are written to target/dist/. Two runs on one commit and compiler give the same archive, byte for byte.
# deploy/README.md says which kinds have been tried.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

complain() {
    echo "deploy/release/build.sh: $*" >&2
    exit 1
}

[ $# -le 1 ] || complain "expected at most one target, got $#"
host=$(rustc -vV | sed -n 's/^host: //p')
target=${1-$host}
[ -z "$(git status --porcelain --untracked-files=no)" ] || complain "the tree has changes: commit them, the archive names its commit"

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
commit=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
name=monju-$version-$target
dist=target/dist
stage=$dist/$name

case "$target" in
    *-windows-*) program=monju.exe ;;
    *) program=monju ;;
esac

if [ "$target" = "$host" ]; then
    cargo build --release --locked --package monju
    built=target/release/$program
else
    cargo build --release --locked --package monju --target "$target"
    built=target/$target/release/$program
fi

rm -rf "$stage" "$dist/debian"
mkdir -p "$stage" "$dist/debian"
cp "$built" "$stage/"
# What git tracks alone, with every page that another one links to. Of results there are reports and figures.
pages=("*.md" LICENSE-APACHE LICENSE-MIT docs configs deploy
    ":(exclude)tests" ":(exclude)configs/experiments/results/*/bundle/*"
    ":(exclude)configs/experiments/results/*.json" ":(exclude)configs/experiments/results/*.csv")
git archive HEAD -- "${pages[@]}" | tar -xf - -C "$stage"
echo "monju $version, commit $commit, $target, $(rustc --version)" >"$stage/VERSION"

# The program writes its own manual and completions, where this machine can run it.
if [ "$target" = "$host" ]; then
    "$built" manual "$stage/man/man1" >/dev/null
    mkdir -p "$stage/completions"
    for shell in bash zsh fish; do
        "$built" completions "$shell" >"$stage/completions/monju.$shell"
    done
fi

# One order, one date, no owner and no umask: the archive depends on the commit and the compiler alone.
pack=(tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$dist" -cf -)
archives=()
case "$target" in
    *-windows-*)
        command -v zip >/dev/null || complain "zip is not installed"
        find "$stage" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
        (cd "$dist" && rm -f "$name.zip" && find "$name" | LC_ALL=C sort | zip --quiet -X "$name.zip" -@)
        archives+=("$name.zip")
        ;;
    *)
        "${pack[@]}" "$name" | gzip --no-name -9 >"$dist/$name.tar.gz"
        archives+=("$name.tar.gz")
        ;;
esac

# The Debian package has the manual compressed, and units that start the program from /usr/bin.
if [ "$target" = "$host" ] && cargo deb --version >/dev/null 2>&1; then
    for page in "$stage"/man/man1/*.1; do
        gzip --no-name -9 <"$page" >"$dist/debian/$(basename "$page").gz"
    done
    for unit in deploy/systemd/*.service; do
        sed 's|^ExecStart=/usr/local/bin/monju|ExecStart=/usr/bin/monju|' "$unit" >"$dist/debian/$(basename "$unit")"
    done
    cp -r "$stage/configs" "$dist/debian/configs"
    cp "$stage"/completions/monju.* "$dist/debian/"
    cargo deb --quiet --package monju --no-build --no-strip --output "$dist" >/dev/null
    archives+=("$(basename "$(ls -t "$dist"/*.deb | head -1)")")
else
    echo "skipped: the Debian package: cargo-deb is not installed (cargo install cargo-deb), or cannot run for $target"
fi

rm -rf "$stage" "$dist/debian"
(cd "$dist" && sha256sum "${archives[@]}" >"SHA256SUMS-$target")
echo "made in $dist:"
(cd "$dist" && ls -l "${archives[@]}" "SHA256SUMS-$target")
