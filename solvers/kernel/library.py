"""The compiled library for this machine: where it is, and the types of its functions."""

import _ctypes
import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

VERSION = 10  # version of the functions and their arguments: LIMBER_VERSION of limber.h
PACKAGE = "limber_kernel"  # Python package of the wheel, which contains the library
CHOICE = "LIMBER_KERNEL"  # environment variable: path of another library, or `WITHOUT`
WITHOUT = "none"
NAME = {"win32": "limber_kernel.dll", "darwin": "liblimber_kernel.dylib"}.get(
    sys.platform, "liblimber_kernel.so"
)
# path of the library that scripts/build_kernel.py builds in a checkout
NATIVE = Path(__file__).resolve().parents[2] / "build" / "kernel" / NAME

Pointer, Count, Real = ctypes.c_void_p, ctypes.c_int32, ctypes.c_double
# Argument types of the functions; all return an error code, except the version and those in `SIZES`.
ENTRIES = {
    "version": (),
    "model_bytes": (Pointer,),
    "workspace_bytes": (Pointer, Count, Count),
    "model": (Pointer, ctypes.c_size_t, Pointer),
    "forward": (Pointer,) * 4,
    "boxed": (Count, *(Pointer,) * 4, Count, Pointer, Pointer),
    "evaluate": (Pointer, Pointer, Real, *(Pointer,) * 5),
    "descend": (Pointer, Count, Pointer, Pointer, Pointer, Count, Count, Pointer),
    "search": (Pointer,) * 5,
    "local_frame": (Pointer, Pointer),
    "transition_frame": (Pointer, Pointer),
    "plan": (Pointer, Pointer),
    "forecast": (Pointer, Pointer, Count, Pointer, Count, Pointer),
    "erik_bytes": (Pointer,),
    "erik": (Pointer, ctypes.c_size_t, Pointer),
    "erik_solve": (Pointer,),
    "correct": (Pointer, Pointer),
    "body_bytes": (Pointer,),
    "body_workspace_bytes": (Pointer,),
    "body": (Pointer, ctypes.c_size_t, Pointer),
    "body_step": (Pointer,),
    "mechanism_bytes": (Pointer,),
    "mechanism": (Pointer, ctypes.c_size_t, Pointer),
    "mechanism_mode_count": (Pointer,),
    "mechanism_workspace_bytes": (Pointer, Count, Count),
    "mechanism_solve": (Pointer,),
    "bones_bytes": (Pointer,),
    "bones_workspace_bytes": (Pointer, Count),
    "bones": (Pointer, ctypes.c_size_t, Pointer),
    "bones_solve": (Pointer,),
    "bones_step": (Pointer, Real, *(Pointer,) * 4),
    "filter_step": (Count, Pointer, Pointer, Real, Pointer, Pointer),
}
SIZES = {name for name in ENTRIES if name.endswith(("_bytes", "_count"))}
MESSAGES = {
    1: "a count or the size of an array is wrong",
    2: "a number is not finite, or too large",
    3: "the model is not prepared",
    4: "a goal names an end that does not exist, or an unknown aim",
    5: "a joint comes before its parent, or its limits are exchanged",
}


class KernelError(ValueError):
    """A call that the kernel refused; the message says what is wrong."""


def check(code: int) -> None:
    """Raises KernelError for a function's error code other than 0."""
    if code:
        raise KernelError(f"the compiled solver refused a call: {MESSAGES.get(code, f'code {code}')}")


class Kernel:
    """The functions of one loaded library, as attributes named without the prefix `limber_`."""

    def __init__(self, path: Path) -> None:
        """Loads the library at `path`; raises OSError if the library does not fit this machine."""
        # PyDLL keeps the interpreter's lock: a call takes only microseconds, and its workspace belongs to one
        # solver.
        self.path, library = path, ctypes.PyDLL(str(path))
        self._handle: int = library._handle
        for name, types in ENTRIES.items():
            entry = getattr(library, f"limber_{name}")
            entry.argtypes, entry.restype = types, ctypes.c_size_t if name in SIZES else Count
            setattr(self, name, entry)
        if self.version() != VERSION:
            raise OSError(f"{path} has version {self.version()}, this Limber needs {VERSION}")

    def unload(self) -> None:
        """Unloads the library; solvers that still hold it raise errors from then on."""
        for name in ENTRIES:
            setattr(self, name, _refuse)
        if sys.platform == "win32":
            _ctypes.FreeLibrary(self._handle)
        else:
            _ctypes.dlclose(self._handle)

    def __getattr__(self, name: str) -> Callable[..., int]:
        """Raises AttributeError for an unknown name; the functions are set as attributes on loading."""
        raise AttributeError(name)


def _refuse(*_: object) -> int:
    raise KernelError("Limber was switched off, and its compiled solver with it: start live motion again")


def candidates() -> list[Path]:
    """Possible paths of the library, in order of preference."""
    choice = os.environ.get(CHOICE, "")
    if choice:
        return [] if choice == WITHOUT else [Path(choice)]
    package = importlib.util.find_spec(PACKAGE)
    installed = [] if package is None or not package.origin else [Path(package.origin).with_name(NAME)]
    return [path for path in (*installed, NATIVE) if path.exists()]


@cache
def kernel() -> Kernel | None:
    """The library for this machine; None if no library fits the machine."""
    for path in candidates():
        try:
            return Kernel(path)
        except (OSError, AttributeError):
            continue
    return None


def unload() -> None:
    """Unloads the library, if it is loaded, so that its file can be replaced or removed: some systems lock
    the file of a loaded library.
    """
    loaded = kernel() if kernel.cache_info().currsize else None
    kernel.cache_clear()
    if loaded is not None:
        loaded.unload()
