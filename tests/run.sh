#!/usr/bin/env bash
# Installs the programs that the tests need where that is possible, runs all tests, and lists the skipped ones.
#
#   tests/run.sh          all that every change must pass: some minutes, and the build
#   tests/run.sh --full   also every perft count, a million random positions and all match games:
#                         an hour or two
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
    "") ;;
    --full) export MONJU_FULL_PERFT=1 MONJU_FULL_MATCHES=1 MONJU_FUZZ_CHUNKS=100 ;;
    *)
        echo "tests/run.sh: unknown option '$1', expected --full or nothing" >&2
        exit 2
        ;;
esac

# A caller may have begun the list of what is skipped.
if [ -z "${MONJU_SKIP_LOG-}" ]; then
    MONJU_SKIP_LOG=$(mktemp)
    export MONJU_SKIP_LOG
    trap 'rm -f "$MONJU_SKIP_LOG"' EXIT
fi

skip() {
    echo "skipped: $1" | tee -a "$MONJU_SKIP_LOG"
}

has_program() {
    command -v "$1" >/dev/null || [ -x "/usr/games/$1" ]
}

# Succeeds if python3 can make a virtual environment with pip in it, which Debian packages apart.
has_venv() {
    python3 -c 'import venv, ensurepip' 2>/dev/null
}

# Succeeds if there is a PostgreSQL server that a test can start for itself.
has_postgresql() {
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

# Installs Debian packages, as root or by a sudo that asks for no password; the others where one cannot be had.
install_packages() {
    local as_root=()
    if ! command -v apt-get >/dev/null; then
        echo "tests/run.sh: no apt-get here, cannot install: $*" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "tests/run.sh: neither root nor sudo without a password, cannot install: $*" >&2
            return 1
        fi
        as_root=(sudo -n)
    fi
    echo "installing: $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update || return
    local package
    for package in "$@"; do
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -qq install --yes --no-install-recommends "$package" ||
            echo "tests/run.sh: cannot install $package" >&2
    done
}

packages=()
has_program gpsusi || packages+=(gpsshogi)
has_program fairy-stockfish || packages+=(fairy-stockfish)
has_venv || packages+=(python3 python3-venv)
has_postgresql || packages+=(postgresql)
[ -x /usr/sbin/pgbouncer ] || packages+=(pgbouncer)
has_program chromium || packages+=(chromium)
has_program systemd-analyze || packages+=(systemd)
if [ ${#packages[@]} -gt 0 ]; then
    install_packages "${packages[@]}" || true
fi

# The referee's rules library and the schemas of Kubernetes get an environment of their own.
requirements=tests/referee/requirements.txt
make_venv() {
    rm -rf .venv
    python3 -m venv .venv &&
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement "$requirements" &&
        cp "$requirements" .venv/installed-requirements.txt
}
# Succeeds if that environment has a module.
can_import() {
    .venv/bin/python -c "import $1" 2>/dev/null
}
if ! cmp -s "$requirements" .venv/installed-requirements.txt || ! can_import cshogi ||
    ! can_import kubernetes_validate; then
    echo "making .venv with the referee's rules library and the schemas of Kubernetes"
    make_venv || true
fi

# With everything here, no test may skip for want of a program; otherwise those tests are skipped.
complete=1
for program in gpsusi fairy-stockfish; do
    has_program "$program" || { complete=0; skip "tests against $program: not installed"; }
done
has_postgresql || { complete=0; skip "stores in PostgreSQL: not installed"; }
[ -x /usr/sbin/pgbouncer ] || { complete=0; skip "stores behind PgBouncer: not installed"; }
has_program chromium || { complete=0; skip "pages in a browser: not installed"; }
has_program systemd-analyze || { complete=0; skip "units of systemd: systemd-analyze is not installed"; }
can_import cshogi || { complete=0; skip "refereed games: cshogi could not be installed in .venv"; }
can_import kubernetes_validate ||
    { complete=0; skip "Kubernetes manifests: kubernetes-validate could not be installed in .venv"; }
export MONJU_REQUIRE_ENGINES=$complete

# Each target is fuzzed for some seconds.
export MONJU_FUZZ_FACTOR=${MONJU_FUZZ_FACTOR:-2}

status=0
cargo test --workspace --locked --no-fail-fast || status=$?
cargo test --package monju-engine --features tuning --locked --test search every_search_option || status=$?

echo
if [ -s "$MONJU_SKIP_LOG" ]; then
    echo "not run:"
    sort -u "$MONJU_SKIP_LOG" | sed 's/^skipped: /  /'
else
    echo "nothing was skipped"
fi
exit "$status"
