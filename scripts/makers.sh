#!/usr/bin/env bash
# Makes .venv-makers: the software of robots' makers (requirements/makers.txt), which tests and benchmarks run against simulated robots.
#
#   makers.sh          makes it, or brings it up to date: 500 MB, about two minutes
#   makers.sh path     prints its Python; fails where it is not there
#
# Nothing needs it: tests that want it are skipped, and name this script. PYTHON names the Python 3.12 or 3.11 to use.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
VENV=.venv-makers
REQUIREMENTS=requirements/makers.txt
LOG=build/setup/makers.log

say() { printf 'makers: %s\n' "$*"; }

find_python() { # a Python that the makers' compiled libraries exist for
    local version candidate
    for version in 3.12 3.11; do
        for candidate in ${PYTHON:+"$PYTHON"} "python$version" python3 "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
            [ "$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$version" ] || continue
            "$candidate" -c 'import ensurepip' 2>/dev/null && { printf '%s\n' "$candidate"; return 0; }
        done
    done
    return 1
}

fingerprint() { # what the environment's contents depend on
    { "$VENV/bin/python" -c 'import sys; print(sys.version_info[:2])'; grep -v '^#' "$REQUIREMENTS"; } | sha256sum | cut -d' ' -f1
}

is_ready() { [ -x "$VENV/bin/python" ] && [ -e "$VENV/ready" ] && [ "$(cat "$VENV/ready")" = "$(fingerprint)" ]; }

if [ "${1:-}" = path ]; then
    is_ready || exit 1
    printf '%s\n' "$PWD/$VENV/bin/python"
    exit 0
fi
is_ready && exit 0
python=$(find_python) || { say "there is no Python 3.12 or 3.11 with venv here: tests against the makers' software are skipped"; exit 0; }
"$VENV/bin/python" -m pip --version >/dev/null 2>&1 || "$python" -m venv --clear "$VENV"
rm -f "$VENV/ready"
mkdir -p "$(dirname "$LOG")"
if "$VENV/bin/python" -m pip install --no-deps --no-compile --only-binary :all: --progress-bar off -r "$REQUIREMENTS" >"$LOG" 2>&1; then
    fingerprint >"$VENV/ready"
    say "$VENV is ready"
else
    say "the makers' software cannot be installed here (no wheels for this machine, or no network; see $LOG): tests against it are skipped"
fi
