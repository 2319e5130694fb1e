#!/usr/bin/env bash
# Blender in a real window on a virtual screen, with the built package installed: to test the interface, and to look at it.
#
#   window.sh available                    exit status 0 when a window can be had here, else says why not
#   window.sh installable                  exit status 0 when there is none yet and the next command can get one
#   window.sh install                      gets one: where no blender >= 4.2 is on PATH, Debian 13's in a folder of its own (root only; 2 minutes, 1.3 GB, once)
#   window.sh run SCRIPT.py [PICTURE.png]  plays SCRIPT (see scripts/stage.py) in a fresh window; keeps a last picture of the whole screen
#   window.sh serve                        plays the scripts of this checkout that standard input names (see scripts/stage.py) in one window
#
# `run` prints what the script reports, as JSON; other pictures that the script takes are in build/window/. Rendering is in software: slow but
# true. Environment: LIMBER_WINDOW_HOME, the folder of Debian's Blender; LIMBER_WINDOW_LIMIT [s] (400); LIMBER_WINDOW_SIZE (1600x1000);
# LIMBER_WINDOW_SMOOTH, set: smooth lines, floor and outlines, for the documents' pictures, which makes a redraw twice as slow.
set -euo pipefail
REPO=$(cd "$(dirname "$0")/.." && pwd)
DEBIAN=${LIMBER_WINDOW_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/limber/debian-13}
SIZE=${LIMBER_WINDOW_SIZE:-1600x1000}
LIMIT=${LIMBER_WINDOW_LIMIT:-400}

own_blender() { # is there a blender on PATH, and is it new enough for extensions?
    local version
    version=$(blender --version 2>/dev/null | sed -nE '1s/^Blender ([0-9]+)\.([0-9]+).*/\1 \2/p')
    [ -n "$version" ] && set -- $version && { [ "$1" -gt 4 ] || { [ "$1" -eq 4 ] && [ "$2" -ge 2 ]; }; }
}

may_enter() { # may this user enter a folder as another Debian, with mounts of its own?
    [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null
}

available() {
    if ! own_blender; then
        may_enter || { echo "no blender >= 4.2 on PATH, and only root outside a container can have Debian's newer one" >&2; return 1; }
        [ -x "$DEBIAN/usr/bin/blender" ] || { echo "no blender >= 4.2 on PATH, and \`make window\` has not fetched one (2 minutes, 1.3 GB)" >&2; return 1; }
    fi
    has_tools Xvfb mount || { echo "no virtual screen: sudo apt-get install xvfb mount" >&2; return 1; }
}

has_tools() {
    local tool
    for tool in "$@"; do command -v "$tool" >/dev/null || return 1; done
}

installable() { # is there none yet, and could `install` get one?
    ! available 2>/dev/null && command -v apt-get >/dev/null && may_enter
}

install() {
    available 2>/dev/null && return
    if ! installable; then
        echo "window: put a blender >= 4.2 on PATH and install Xvfb (sudo apt-get install xvfb)" >&2
        return 1
    fi
    if ! has_tools Xvfb mount mmdebstrap; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 xvfb mount mmdebstrap
    fi
    available 2>/dev/null && return
    mkdir -p "$(dirname "$DEBIAN")"
    exec {lock}>"$DEBIAN.lock"
    flock "$lock" # two clones may ask at once
    [ -x "$DEBIAN/usr/bin/blender" ] && return
    echo "window: Debian 13's Blender, into $DEBIAN"
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
    rm -rf "$DEBIAN.part"
    mmdebstrap --variant=apt --include=blender,python3-numpy,libgl1-mesa-dri,libegl1,libgl1,libglx-mesa0 trixie "$DEBIAN.part" $mirror
    mv "$DEBIAN.part" "$DEBIAN"
}

enter() { # command...: becomes that, in Debian 13 with this checkout and the script's folder at their own paths; mounts end with the process
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
        exec chroot "$root" "$@"' enter "$DEBIAN" "$@"
}

start() { # a Blender that plays what standard input names, in SCRIPT_FOLDER or the checkout; its files are in RUN, its process is `job`
    local blender=(blender) screen
    own_blender || blender=(enter blender)
    mkdir -p /tmp/.X11-unix "$RUN/profile"
    export REPO RUN SCRIPT_FOLDER BLENDER_USER_RESOURCES=$RUN/profile LIBGL_ALWAYS_SOFTWARE=1

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

photograph() { # picture
    python3 "$REPO/scripts/screen.py" "$RUN/Xvfb_screen0" "$1"
}

end_hung() { # picture: of a Blender that does not end
    photograph "$1" || true
    kill -KILL "$job" 2>/dev/null || true
}

run() {
    local script=$1 picture=${2:-} code=0 timer
    available
    [ -e "$script" ] || { echo "window: no script $script" >&2; return 1; }
    script=$(realpath "$script")
    SCRIPT_FOLDER=$(dirname "$script")
    RUN=$(mktemp -d)
    start <<<"$script"$'\t'"$RUN/result.json"$'\t'"$RUN/picture.png"
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

serve() { # until standard input ends; SIGTERM: build/window/hung.png shows what hung
    local code=0
    available
    RUN=$(mktemp -d)
    SCRIPT_FOLDER=$REPO
    start
    trap 'end_hung "$REPO/build/window/hung.png"' TERM
    wait "$job" || code=$?
    [ "$code" -eq 0 ] || cat "$RUN/blender.log" >&2
    return "$code"
}

case ${1:-} in
available) available ;;
installable) installable ;;
install) install && echo "window: a window can be had" ;;
run) shift && run "$@" ;;
serve) serve ;;
*)
    sed -n '2,/^set/{/^#/p}' "$0" >&2
    exit 2
    ;;
esac
