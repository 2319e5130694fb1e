#!/usr/bin/env bash
# Blender in a real window on a virtual screen, with the built package installed: to test the interface, and to look at it.
#
#   window.sh available [newer|older]      its Blender's version when that window (LIMBER_WINDOW's, else any) can be had here; else says why not
#   window.sh installable                  exit status 0 when one is missing and the next command can get it
#   window.sh install                      gets both: where no such blender is on PATH, Debian's in a folder of its own (root only; 2 minutes, 2.5 GB, once)
#   window.sh run SCRIPT.py [PICTURE.png]  plays SCRIPT (see scripts/stage.py) in a fresh window; keeps a last picture of the whole screen
#   window.sh serve                        plays the scripts of this checkout that standard input names (see scripts/stage.py) in one window
#
# The newer window is a Blender from 5 on, Debian unstable's; the older one is a Blender 4, Debian 13's. A copy that was fetched is kept, however
# old: delete its folder to have unstable's Blender of today.
#
# `run` prints what the script reports, as JSON; other pictures that the script takes are in build/window/. Rendering is in software: slow but
# true. Environment: LIMBER_WINDOW, newer or older (else the newer one where it can be had); with older, pictures are in build/window/older/;
# LIMBER_WINDOW_HOME, a folder with another Debian that has a Blender; LIMBER_WINDOW_LIMIT [s] (400); LIMBER_WINDOW_SIZE (1600x1000);
# LIMBER_WINDOW_SMOOTH, set: smooth lines, floor and outlines, for the documents' pictures, which makes a redraw twice as slow.
set -euo pipefail
REPO=$(cd "$(dirname "$0")/.." && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/limber
WINDOWS=(newer older)
declare -A NAMES=([newer]="a blender >= 5" [older]="a blender 4.2 to 4.5")
declare -A SUITES=([newer]=sid [older]=trixie)
declare -A DEBIANS=([newer]="Debian unstable" [older]="Debian 13")
declare -A HOMES=([newer]=${LIMBER_WINDOW_HOME:-$CACHE/debian-unstable} [older]=${LIMBER_WINDOW_HOME:-$CACHE/debian-13})
SIZE=${LIMBER_WINDOW_SIZE:-1600x1000}
LIMIT=${LIMBER_WINDOW_LIMIT:-400}
LEFT=$REPO/build/window
[ "${LIMBER_WINDOW:-}" != older ] || LEFT=$LEFT/older

on_path() { # window: the version of the blender on PATH, where it is one of that window's
    local version
    version=$(blender --version 2>/dev/null | sed -nE '1s/^Blender ([0-9.]+).*/\1/p')
    case $1,$version in
    *,) return 1 ;;
    newer,[5-9].*) ;;
    older,4.[2-9]*) ;;
    *) return 1 ;;
    esac
    echo "$version"
}

in_folder() { # window: the version of Debian's Blender, where it was fetched
    [ -x "${HOMES[$1]}/usr/bin/blender" ] || return 1
    dpkg-query --admindir="${HOMES[$1]}/var/lib/dpkg" -W -f '${Version}' blender | sed 's/[+-].*//'
}

may_enter() { # may this user enter a folder as another Debian, with mounts of its own?
    [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null
}

available() { # window, or nothing for any
    local version reason
    if [ -z "${1:-}" ]; then
        available newer 2>/dev/null || available older
        return
    fi
    if ! version=$(on_path "$1"); then
        reason="${NAMES[$1]} is not on PATH"
        may_enter || { echo "$reason, and only root outside a container can have the one of ${DEBIANS[$1]}" >&2; return 1; }
        version=$(in_folder "$1") || { echo "$reason, and \`make window\` has not fetched the one of ${DEBIANS[$1]} (2 minutes, 1.3 GB)" >&2; return 1; }
    fi
    has_tools Xvfb mount || { echo "no virtual screen: sudo apt-get install xvfb mount" >&2; return 1; }
    echo "$version"
}

has_tools() {
    local tool
    for tool in "$@"; do command -v "$tool" >/dev/null || return 1; done
}

missing() { # the windows that cannot be had yet
    local window
    for window in "${WINDOWS[@]}"; do available "$window" >/dev/null 2>&1 || echo "$window"; done
}

installable() { # is one missing, and could `install` get it?
    [ -n "$(missing)" ] && command -v apt-get >/dev/null && may_enter
}

install() {
    local window jobs=()
    if installable; then
        if ! has_tools Xvfb mount mmdebstrap; then
            export DEBIAN_FRONTEND=noninteractive
            apt-get update -qq
            apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 xvfb mount mmdebstrap
        fi
        for window in $(missing); do fetch "$window" & jobs+=($!); done
        for window in "${jobs[@]}"; do wait "$window" || true; done # the other one is of use without it
    fi
    for window in $(missing); do available "$window" || true; done
    available >/dev/null 2>&1 || { echo "window: put a blender >= 4.2 on PATH and install Xvfb (sudo apt-get install xvfb)" >&2; return 1; }
}

fetch() { # window
    local debian=${HOMES[$1]} mirror lock
    mkdir -p "$(dirname "$debian")"
    exec {lock}>"$debian.lock"
    flock "$lock" # two clones may ask at once
    [ ! -x "$debian/usr/bin/blender" ] || return 0
    echo "window: the Blender of ${DEBIANS[$1]}, into $debian"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
    rm -rf "$debian.part"
    # a mirror's copy of unstable may be weeks old, and Debian's package forgets libraries of Blender's own extensions
    mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' \
        --include=blender,python3-numpy,python3-cattr,python3-requests,libgl1-mesa-dri,libegl1,libgl1,libglx-mesa0 \
        "${SUITES[$1]}" "$debian.part" "deb ${mirror:-http://deb.debian.org/debian} ${SUITES[$1]} main"
    mv "$debian.part" "$debian"
}

enter() { # command...: becomes that, in the other Debian with this checkout and the script's folder at their own paths; mounts end with the process
    # shellcheck disable=SC2016  # expanded inside
    exec unshare --mount bash -c '
        set -e
        root=$1; shift
        for folder in "$REPO" "$SCRIPT_FOLDER" "$RUN" /tmp/.X11-unix /dev; do
            mkdir -p "$root$folder"
            mount --rbind "$folder" "$root$folder"
        done
        mkdir -p "$root/proc"
        mount -t proc proc "$root/proc"
        exec chroot "$root" "$@"' enter "${HOMES[$WINDOW]}" "$@"
}

start() { # a Blender that plays what standard input names, in SCRIPT_FOLDER or the checkout; its files are in RUN, its process is `job`
    local blender=(blender) screen
    on_path "$WINDOW" >/dev/null || blender=(enter blender)
    mkdir -p /tmp/.X11-unix "$RUN/profile"
    export REPO RUN SCRIPT_FOLDER LEFT BLENDER_USER_RESOURCES=$RUN/profile LIBGL_ALWAYS_SOFTWARE=1

    Xvfb -displayfd 3 -fbdir "$RUN" -screen 0 "${SIZE}x24" -nocursor -nolisten tcp 3>"$RUN/display" >/dev/null 2>&1 &
    screen=$!
    # shellcheck disable=SC2064  # expanded now
    trap "kill $screen 2>/dev/null || true; rm -rf '$RUN'" EXIT
    while [ ! -s "$RUN/display" ]; do kill -0 "$screen" 2>/dev/null || { echo "window: no virtual screen" >&2; return 1; }; sleep 0.05; done
    DISPLAY=:$(tr -d '\n' <"$RUN/display")
    export DISPLAY

    exec 4<&0 # what runs in the background would have no input else
    "${blender[@]}" --factory-startup --enable-event-simulate --window-geometry 0 0 "${SIZE%x*}" "${SIZE#*x}" \
        --python-exit-code 1 --python "$REPO/scripts/stage.py" -- "$RUN" <&4 >"$RUN/blender.log" 2>&1 &
    job=$!
    exec 4<&-
}

choose() { # the window: the one that is asked for, else the newer one where it can be had
    WINDOW=${LIMBER_WINDOW:-newer}
    [ -n "${LIMBER_WINDOW:-}" ] || available newer >/dev/null 2>&1 || WINDOW=older
    available "$WINDOW" >/dev/null
}

photograph() { # picture
    python3 "$REPO/scripts/screen.py" "$RUN/Xvfb_screen0" "$1"
}

end_hung() { # picture: of a Blender that does not end
    photograph "$1" || true
    kill -KILL "$job" 2>/dev/null || true
}

run() {
    local script=$1 picture=${2:-} code=0 timer
    choose
    [ -e "$script" ] || { echo "window: no script $script" >&2; return 1; }
    script=$(realpath "$script")
    SCRIPT_FOLDER=$(dirname "$script")
    RUN=$(mktemp -d)
    start <<<"$script"$'\t'"$RUN/result.json"$'\t'"$RUN/picture.png"$'\t1'
    sleep "$LIMIT" >/dev/null 2>&1 &
    timer=$!
    wait -n "$job" "$timer" || code=$?
    if kill -0 "$job" 2>/dev/null; then
        end_hung "$RUN/picture.png"
        echo "window: $script did not end within $LIMIT s" >&2
        code=124
    fi
    kill "$timer" 2>/dev/null || true
    [ ! -e "$RUN/picture.png" ] || [ -z "$picture" ] || cp "$RUN/picture.png" "$picture"
    [ -e "$RUN/result.json" ] || [ "$code" -ne 0 ] || code=1
    if [ "$code" -eq 0 ]; then cat "$RUN/result.json"; else cat "$RUN/blender.log" >&2; fi
    return "$code"
}

serve() { # until standard input ends; SIGTERM: hung.png among the pictures shows what hung
    local code=0
    choose
    RUN=$(mktemp -d)
    SCRIPT_FOLDER=$REPO
    start
    trap 'end_hung "$LEFT/hung.png"' TERM
    wait "$job" || code=$?
    [ "$code" -eq 0 ] || cat "$RUN/blender.log" >&2
    return "$code"
}

case ${1:-} in
available) available "${2:-${LIMBER_WINDOW:-}}" ;;
installable) installable ;;
install) install && echo "window: a window can be had" ;;
run) shift && run "$@" ;;
serve) serve ;;
*)
    sed -n '2,/^set/{/^#/p}' "$0" >&2
    exit 2
    ;;
esac
