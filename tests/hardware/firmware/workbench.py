"""Builds the parts for the tests of the firmware's boards and player: variants of it for the emulated Uno,
and parts of it for this machine.
"""

import ctypes
import os
import subprocess
from pathlib import Path

from tests.hardware.emulator import build

HERE = Path(__file__).resolve().parent
SOURCES = build.FIRMWARE_SOURCES / "limber_firmware" / "src"
STRICT = [
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-shared",
    "-fPIC",
    "-fsanitize=undefined",
    "-fsanitize-undefined-trap-on-error",
]


def firmware(folder: Path, flags: str = "", motion: Path | None = None) -> Path:
    """An ELF file of the firmware, with other flags or with a motion that it plays."""
    out = folder / "firmware"
    _run(
        [str(build.FIRMWARE_SOURCES / "build"), str(out), *([str(motion)] if motion else [])],
        LIMBER_FLAGS=flags,
    )
    return out.with_suffix(".elf")


def flash_taken(elf: Path) -> int:
    """[bytes] of flash that a program occupies: its code and the initial values of its variables."""
    code, variables, *_ = _run(["avr-size", str(elf)]).splitlines()[1].split()
    return int(code) + int(variables)


def bench(folder: Path) -> Path:
    """The host for an Uno with an I2C chip and a button."""
    flags = _run(["pkg-config", "--cflags", "--libs", "simavr"]).split()
    out = folder / "bench_host"
    _run(["gcc", "-std=gnu11", "-O2", str(HERE / "host" / "bench_host.c"), "-o", str(out), *flags, "-lelf"])
    return out


def library(folder: Path, shim: str, *sources: str, options: tuple[str, ...] = ()) -> ctypes.CDLL:
    """Parts of the firmware and a shim from this folder's `host`, compiled for this machine."""
    out = folder / f"{Path(shim).stem}.so"
    objects = []
    for source in (HERE / "host" / shim, *(SOURCES / name for name in sources)):
        compiler = ["g++", "-std=gnu++17"] if source.suffix == ".cpp" else ["gcc", "-std=gnu11"]
        objects.append(str(folder / f"{source.name}.o"))
        _run([*compiler, *STRICT, *options, f"-I{SOURCES}", "-c", str(source), "-o", objects[-1]])
    _run(["g++", "-shared", *objects, "-o", str(out)])
    return ctypes.CDLL(str(out))


def _run(command: list[str], **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout
