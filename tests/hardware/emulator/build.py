"""Builds the emulator's parts into build/emulator/ if they are out of date: the firmware, the two hosts on
libsimavr, and the core as a library.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FIRMWARE_SOURCES = ROOT / "hardware" / "firmware"
OUT = ROOT / "build" / "emulator"
ARDUINO_CORE = Path("/usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h")

TOOLS = {  # required program -> Debian package that contains it
    "avr-gcc": "gcc-avr",
    "avr-size": "binutils-avr",
    "gcc": "gcc",
    "pkg-config": "pkg-config",
}
FILES = {
    ARDUINO_CORE: "arduino-core-avr",
    Path("/usr/lib/avr/include/avr/io.h"): "avr-libc",
    Path("/usr/include/simavr/sim_avr.h"): "libsimavr-dev",
    Path("/usr/include/libelf.h"): "libelf-dev",
    Path("/usr/include/stdlib.h"): "libc6-dev",
}


def missing_packages() -> list[str]:
    """The Debian packages that the emulator needs and this machine does not have."""
    tools = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    return tools + [package for path, package in FILES.items() if not path.exists()]


def firmware() -> Path:
    """Path of the firmware for the Uno, an ELF file."""
    sources = [path for path in FIRMWARE_SOURCES.rglob("*") if path.is_file()]
    return _made(
        OUT / "limber_uno.elf",
        sources,
        lambda out: [str(FIRMWARE_SOURCES / "build"), str(out.with_suffix(""))],
    )


def host(name: str) -> Path:
    """Path of a host, `timeline` or `live`."""
    sources = [HERE / f"{name}_host.c", HERE / "uno.c", HERE / "uno.h"]

    def command(out: Path) -> list[str]:
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "simavr"], check=True, capture_output=True, text=True
        ).stdout.split()
        return [
            "gcc",
            "-std=gnu11",
            "-O2",
            *(str(source) for source in sources if source.suffix == ".c"),
            "-o",
            str(out),
            *flags,
            "-lelf",
            "-lutil",
            "-pthread",
        ]

    return _made(OUT / f"{name}_host", sources, command)


def core_library() -> Path:
    """Path of the firmware's portable core as a library for ctypes (core_shim.c)."""
    core = FIRMWARE_SOURCES / "limber_firmware" / "src"
    sources = [core / name for name in ("frame.c", "channel.c", "device.c")]
    headers = list(core.glob("*.h"))

    def command(out: Path) -> list[str]:
        options = [
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
            "-fsanitize=undefined",
            "-fsanitize-undefined-trap-on-error",
        ]
        return ["gcc", *options, f"-I{core}", str(HERE / "core_shim.c"), *map(str, sources), "-o", str(out)]

    return _made(OUT / "limber_core.so", [HERE / "core_shim.c", *sources, *headers], command)


def _made(target: Path, sources: Iterable[Path], command) -> Path:
    """Path `target`, built again if a source is newer; several processes may call this at the same time."""
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        youngest = max(source.stat().st_mtime for source in [*sources, Path(__file__)])
        if not target.exists() or target.stat().st_mtime < youngest:
            fresh = target.with_name(f"fresh-{target.name}")
            made = subprocess.run(command(fresh), capture_output=True, text=True, check=False)
            if made.returncode:
                raise RuntimeError(f"cannot build {target.name}:\n{made.stdout}{made.stderr}")
            os.replace(fresh, target)
    return target
