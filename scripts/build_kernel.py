"""Compiles the solvers' kernel (solvers/kernel/*.c).

    python scripts/build_kernel.py             for this machine, with its C compiler, if sources have changed
    python scripts/build_kernel.py --wheels    for all six platforms, by zig, into wheels/
    python scripts/build_kernel.py --check     with gcc's sanitizers, into build/kernel/checked/

The same sources give the same wheels, wherever and whenever they are built. The zig compiler is a Python
package (requirements/kernel.txt) with a separate environment, .venv-kernel, which is made when it is needed.
"""

import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "solvers" / "kernel"
BUILD = ROOT / "build" / "kernel"
WHEELS = ROOT / "wheels"
COMPILER = ROOT / ".venv-kernel"
PINS = ROOT / "requirements" / "kernel.txt"
# C compilers of a developer's machine, in the order in which they are tried
COMPILERS = ("gcc", "cc", "clang")
ENTRY_DATE, ENTRY_MODE = (1980, 1, 1, 0, 0, 0), 0o100644  # as in scripts/build.py

# Contraction of products and sums differs between processors; nothing reads errno.
FLAGS = ("-std=c11", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden")
# Sources that are compiled for speed: the functions that a plan of a frame calls a thousand times, and ERIK.
# The others are compiled for size, since the package contains six libraries. Both give the same results, bit
# for bit.
FAST = (
    "aims.c",
    "coordinate_descent.c",
    "descent.c",
    "erik.c",
    "erik_solver.c",
    "exact.c",
    "joint_model.c",
    "look.c",
    "phases.c",
    "shape.c",
    "step.c",
    "tree.c",
)
# Loops there run over three components or a few joints: as vectors they would be larger and slower.
FAST_FLAGS = ("-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror")
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# C code throws no exceptions, so that tables for unwinding the stack are not needed
NO_UNWINDING = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
POSITION_INDEPENDENT, MATHEMATICS = ("-fPIC", *NO_UNWINDING), ("-lm",)


class Platform(NamedTuple):
    """A platform for which a wheel is built."""

    tag: str  # platform tag of the wheel
    target: str  # the target's name for zig
    library: str  # file name of the library, as in solvers/kernel/library.py
    more: tuple[str, ...] = ()  # additional compiler flags
    linked: tuple[str, ...] = ()  # libraries to link


LINUX, MACOS, WINDOWS = "liblimber_kernel.so", "liblimber_kernel.dylib", "limber_kernel.dll"
PLATFORMS = (
    Platform("manylinux2014_x86_64", "x86_64-linux-gnu.2.17", LINUX, POSITION_INDEPENDENT, MATHEMATICS),
    Platform("manylinux2014_aarch64", "aarch64-linux-gnu.2.17", LINUX, POSITION_INDEPENDENT, MATHEMATICS),
    Platform("macosx_11_0_x86_64", "x86_64-macos.11.0", MACOS, NO_UNWINDING),
    Platform("macosx_11_0_arm64", "aarch64-macos.11.0", MACOS, NO_UNWINDING),
    Platform("win_amd64", "x86_64-windows-gnu", WINDOWS),
    Platform("win_arm64", "aarch64-windows-gnu", WINDOWS),
)


class KernelBuildError(Exception):
    """The kernel cannot be compiled; the message says why, and what to do."""


def run(command: list[str], folder: Path) -> None:
    """Runs a command in a folder; raises KernelBuildError with its output if it fails."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": "315532800", "ZERO_AR_DATE": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise KernelBuildError(f"{' '.join(command[:4])} failed:\n{done.stdout}{done.stderr}")


def copied_sources(folder: Path) -> list[str]:
    """Replaces `folder`, with all its content, by a copy of the sources, so that the compiler records no path
    of this machine; returns the names of the files to compile.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in sorted(SOURCES.glob("*.[ch]")):
        shutil.copy(source, folder)
    return sorted(source.name for source in folder.glob("*.c"))


def compile_library(
    compiler: list[str],
    platform: Platform,
    folder: Path,
    flags: tuple[str, ...],
    linking: tuple[str, ...] = (),
) -> Path:
    """Compiles the library of one platform in a folder; returns the library's path."""
    others = [source for source in copied_sources(folder) if source not in FAST]
    compile_with = [*compiler, *FLAGS, *flags, *platform.more]
    objects = [f"{Path(source).stem}.o" for source in FAST]
    for source, compiled in zip(FAST, objects, strict=True):
        run([*compile_with, *FAST_FLAGS, "-c", source, "-o", compiled], folder)
    library = ["-shared", *linking, "-o", platform.library]
    run([*compile_with, "-Os", *library, *others, *objects, *platform.linked], folder)
    return folder / platform.library


def compile_native(folder: Path, flags: tuple[str, ...] = ()) -> Path:
    """Compiles the library of this machine in a folder; returns the library's path. Raises KernelBuildError
    without a compiler, or if it fails.
    """
    compiler = next((path for name in COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        raise KernelBuildError(
            "this machine has no C compiler (gcc, cc or clang); without the kernel all works, slower"
        )
    more = () if sys.platform == "win32" else (POSITION_INDEPENDENT, MATHEMATICS)  # values of `Platform.more`
    platform = Platform("", "", native_library(), *more)
    return compile_library([compiler], platform, folder, (*WARNINGS, *flags))


def native_library() -> str:
    """File name of the library of this machine."""
    return {"darwin": MACOS, "win32": WINDOWS}.get(sys.platform, LINUX)


def zig() -> str:
    """Path of a Python with the zig compiler, in an environment that is made if it is missing."""
    python = COMPILER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(COMPILER, with_pip=True)
    run([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(PINS)], ROOT)
    return str(python)


def sources_digest() -> str:
    """Digest of everything that the wheels are built from."""
    digest = hashlib.sha256()
    for source in (*sorted(SOURCES.glob("*.[ch]")), Path(__file__), PINS, ROOT / "blender_manifest.toml"):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def wheel_version() -> str:
    """Version of the wheels: that of the package, then that of the kernel's functions.

    Blender installs no wheel whose version is installed already, so an update of a package with the same
    version would keep a library whose functions do not fit.
    """
    package = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    functions = re.search(r"#define LIMBER_VERSION (\d+)", (SOURCES / "limber.h").read_text(encoding="utf-8"))
    return f"{package}.{functions[1]}"


def wheel_path(platform: Platform) -> Path:
    return WHEELS / f"limber_kernel-{wheel_version()}-py3-none-{platform.tag}.whl"


def make_wheel(platform: Platform, library: bytes) -> Path:
    """Writes the wheel of one platform, with its compiled `library`; returns its path."""
    path, version = wheel_path(platform), wheel_version()
    record = f"limber_kernel-{version}.dist-info/RECORD"
    files = {
        "limber_kernel/__init__.py": b'"""The compiled kernel of Limber\'s solvers, a library beside this file."""\n',
        f"limber_kernel/{platform.library}": library,
        f"limber_kernel-{version}.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: limber_kernel\nVersion: {version}\n"
            "Summary: The compiled kernel of Limber's solvers\nLicense: GPL-3.0-or-later\n"
        ).encode(),
        f"limber_kernel-{version}.dist-info/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: limber\nRoot-Is-Purelib: false\nTag: py3-none-{platform.tag}\n"
        ).encode(),
    }
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = "".join([*rows, f"{record},,\n"]).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, ENTRY_DATE)
            # written as Unix on every system, so that the bytes are the same
            entry.create_system, entry.external_attr = 3, ENTRY_MODE << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return path


def make_native() -> Path:
    """Path of the library of this machine, which is built if it is missing or the sources have changed."""
    stamp, digest = BUILD / "native.sources", sources_digest()
    library = BUILD / native_library()
    if not (library.exists() and stamp.exists() and stamp.read_text() == digest):
        shutil.copy(compile_native(BUILD / "native"), library)
        stamp.write_text(digest)
    return library


def make_wheels() -> list[Path]:
    """Paths of the wheels of all platforms; they are built if one is missing or the sources have changed."""
    stamp, digest = WHEELS / "limber_kernel.sources", sources_digest()
    wheels = [wheel_path(platform) for platform in PLATFORMS]
    if all(path.exists() for path in wheels) and stamp.exists() and stamp.read_text() == digest:
        return wheels
    WHEELS.mkdir(exist_ok=True)
    for old in WHEELS.glob("limber_kernel-*.whl"):
        old.unlink()
    python = zig()

    def compile_one(platform: Platform) -> None:
        compiler = [python, "-m", "ziglang", "cc", "-target", platform.target]
        library = compile_library(compiler, platform, BUILD / platform.target, (), ("-s",))
        make_wheel(platform, library.read_bytes())

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, PLATFORMS))  # consumed, so that an exception in a thread is raised here
    stamp.write_text(digest)
    return wheels


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = ask.add_mutually_exclusive_group()
    kind.add_argument("--wheels", action="store_true", help="for all platforms")
    kind.add_argument("--check", action="store_true", help="with sanitizers")
    choice = ask.parse_args()
    try:
        if choice.wheels:
            built = make_wheels()
        elif choice.check:
            built = [compile_native(BUILD / "checked", SANITIZERS)]
        else:
            built = [make_native()]
    except KernelBuildError as error:
        print(f"kernel: {error}", file=sys.stderr)
        return 1
    for path in built:
        print(f"kernel: {path.relative_to(ROOT)}, {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
