"""The extension as users have it: installed in Blender's profile and enabled, instead of the checkout."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import bpy

# repository into which Blender installs an extension that is dropped onto its window
REPOSITORY = "user_default"
CHECKOUT = Path(__file__).resolve().parents[1]


class NotInstalledError(Exception):
    """The extension is not installed in this profile, or would run from the checkout; the message says what
    to do.
    """


def enable() -> ModuleType:
    """The installed package, enabled if necessary.

    Raises:
        NotInstalledError: there is none in this profile, it cannot be enabled, or it is the checkout.
    """
    if _loaded() is None:
        try:
            bpy.ops.preferences.addon_enable(module=f"bl_ext.{REPOSITORY}.limber")
        except RuntimeError as error:
            raise NotInstalledError(
                "Limber cannot be enabled in this profile: run `make demo`, which installs it"
            ) from error
    package = _loaded()
    if package is None or not hasattr(bpy.types.Object, "limber"):
        raise NotInstalledError("Limber is not installed in this profile: run `make demo`, which installs it")
    package_path = Path(package.__file__).resolve()
    if CHECKOUT in package_path.parents and CHECKOUT / "build" not in package_path.parents:
        raise NotInstalledError(
            f"Limber would run from the checkout ({package_path}): run `make demo`, which installs"
            " the built package"
        )
    return package


def module(name: str) -> ModuleType:
    """A module of the installed package, by its name in the package: "rig.live.live"."""
    package = _loaded()
    return importlib.import_module(f"{package.__name__}.{name}")


def _loaded() -> ModuleType | None:
    return next(
        (sys.modules[name] for name in sorted(sys.modules) if re.fullmatch(r"bl_ext\.\w+\.limber", name)),
        None,
    )
