#!/usr/bin/env bash
# Makes what development needs, and nothing twice: Debian's packages where they are missing, and virtual environments with a real Blender in each.
#
#   setup.sh main        .venv alone, the newest Blender for Python 3.11: what building, the demo and the benchmarks need
#   setup.sh             all that the tests want: .venv-4.2 too (the oldest Blender that Limber supports); .venv-newest (the newest of all) where
#                        there is a Python 3.13; and, for root on Debian, two Blenders with a window
#
# An environment is filled again when its requirements file changes. PYTHON names the Python 3.11 to use (default: the system's, else the one on PATH).
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
LOGS=build/setup
mkdir -p "$LOGS"

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

run_slowly() { # label command...: keeps the output in a log, says every 10 s how far it is, shows the log's end when it fails
    local label=$1 log started=$SECONDS job code=0
    shift
    log=$LOGS/${label//[^A-Za-z0-9.-]/_}.log
    "$@" >"$log" 2>&1 </dev/null &
    job=$!
    while kill -0 "$job" 2>/dev/null; do
        for _ in {1..50}; do sleep 0.2; kill -0 "$job" 2>/dev/null || break; done
        kill -0 "$job" 2>/dev/null && say "$label: $((SECONDS - started)) s: $(doing "$log")"
    done
    wait "$job" || code=$?
    if [ "$code" -ne 0 ]; then
        tail -n 25 "$log" >&2
        say "$label: failed after $((SECONDS - started)) s (all of its output: $log)" >&2
        return "$code"
    fi
    say "$label: done in $((SECONDS - started)) s"
}

doing() { # log: its last line that says what is being done
    grep -aE '^ *(Downloading|Collecting|Installing|Unpacking|Setting up|Get:|I:|try)' "$1" | tail -n 1 | sed 's/^ *//; s/collected packages:.*/packages/' | cut -c1-90
}

# --- Debian's packages -------------------------------------------------------------------------------------------------------------------------

missing_packages() { # the packages among the arguments that are not installed
    command -v dpkg-query >/dev/null || return 0
    local installed
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
    printf '%s\n' "$@" | grep -vxF "$installed" || true
}

apt_install() { # label package...: installs what is missing where it may, else says what to run
    local label=$1 packages
    shift
    mapfile -t packages < <(missing_packages "$@")
    [ "${#packages[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "$label: some Debian packages are missing, and only root may install them. Tests that need them will say so. The command:"
        say "    sudo apt-get install --no-install-recommends ${packages[*]}"
        return 0
    fi
    run_slowly "$label (apt: ${#packages[@]} packages)" apt_get "${packages[@]}"
}

apt_get() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q && apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# --- Python ------------------------------------------------------------------------------------------------------------------------------------

is_python() { # command version: does it run, is it that version, and can it make environments?
    [ "$("$1" -c 'import ensurepip, sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$2" ]
}

find_python() { # version: a command or path of that Python
    # the system's first: distributions compile it with profiles, pyenv without, which takes up to a fifth more processor time
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} "/usr/bin/python$1" "python$1" python3 "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        is_python "$candidate" "$1" && { printf '%s\n' "$candidate"; return 0; }
    done
    return 1
}

fingerprint() { # what an environment's contents depend on
    { "$1" -c 'import sys; print(sys.version_info[:2])'; grep -v '^#' "$2"; } | sha256sum | cut -d' ' -f1
}

is_ready() { # environment requirements
    [ -x "$1/bin/python" ] && [ -e "$1/ready" ] && [ "$(cat "$1/ready")" = "$(fingerprint "$1/bin/python" "$2")" ]
}

fill() { # environment requirements python: a half-made or damaged environment is made anew, a whole one is brought up to date
    # Python compiles what is imported, a tenth of what is in a Blender: pip would take 10 s of a processor for all of it
    local venv=$1 requirements=$2 python=$3 try
    "$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$python" -m venv --clear "$venv"
    rm -f "$venv/ready"
    for try in 1 2 3; do
        "$venv/bin/python" -m pip install --no-compile --progress-bar off --prefer-binary --upgrade -r "$requirements" && break
        [ "$try" -lt 3 ] || return 1
        echo "try $try failed; once more in $((5 * try)) s"
        sleep $((5 * try))
    done
    fingerprint "$venv/bin/python" "$requirements" >"$venv/ready"
}

environment() { # environment requirements python-version
    local python
    is_ready "$1" "$2" && return 0
    python=$(find_python "$3") || fail "$1 needs Python $3: install it (Debian 12: apt-get install python3 python3-venv), or name it: make setup PYTHON=/path/to/python$3"
    say "$1: downloads a Blender of about 350 MB and unpacks it to 1 GB"
    run_slowly "$1" fill "$1" "$2" "$python"
}

link_types() { # mypy finds this checkout as the package `limber` there
    mkdir -p .venv/types
    ln -sfn ../.. .venv/types/limber
}

# --- All together ------------------------------------------------------------------------------------------------------------------------------

debian_packages() { # group...: of requirements/debian.txt
    local group
    for group in "$@"; do sed -n "s/^$group: //p" requirements/debian.txt; done
}

system() { # group...: Debian's packages; for root the windows too, where it is asked for
    # shellcheck disable=SC2046  # a list of words
    apt_install "Debian's packages" $(debian_packages "$@")
    case " $* " in *" window "*) ;; *) return 0 ;; esac
    if scripts/window.sh installable; then
        run_slowly "the Blenders with a window (2.5 GB)" scripts/window.sh install ||
            say "without them the tests in a window are skipped; \`make window\` tries again"
    fi
}

makers() { # the makers' software; nothing depends on it but tests of its own
    scripts/makers.sh path >/dev/null 2>&1 || run_slowly ".venv-makers" scripts/makers.sh || say "without .venv-makers its tests are skipped"
}

wheels() { # the compiled kernel for all platforms, which the package carries: while the environments wait for the network
    run_slowly "the kernel for all platforms" "${python:-.venv/bin/python}" scripts/build_kernel.py --wheels || say "\`make build\` tries again"
}

newest() { # the newest Blender, where there is a Python for it; nothing depends on it but its own tests
    find_python 3.13 >/dev/null || return 0
    environment .venv-newest requirements/blender-newest.txt 3.13 || say "without .venv-newest its tests are skipped"
}

python=$(find_python 3.11 || true)
if [ ! -e .venv/ready ] && [ -z "$python" ]; then
    apt_install "Python" python3 python3-venv
fi
environment .venv requirements/dev.txt 3.11 &
jobs=($!)
if [ "${1:-}" = main ]; then
    system blender &
    jobs+=($!)
else
    system blender firmware window browser &
    jobs+=($!)
    environment .venv-4.2 requirements/blender-4.2.txt 3.11 &
    jobs+=($!)
    newest &
    jobs+=($!)
    makers &
    jobs+=($!)
    wheels &
    jobs+=($!)
fi
code=0
for job in "${jobs[@]}"; do wait "$job" || code=1; done
[ "$code" -eq 0 ] || fail "not everything could be set up; the lines above say what"
link_types
.venv/bin/python scripts/build_kernel.py || say "the tests of the solvers run on the Python reference"
