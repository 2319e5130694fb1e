"""Installs the built package into an empty Blender profile, with Blender's own operator: `python
scripts/install.py PROFILE`.

A Blender (or bpy module) that is started with BLENDER_USER_RESOURCES=PROFILE then has the extension, enabled
in the saved preferences.
"""

import os
import shutil
import sys
from pathlib import Path

import build

MODULE = "bl_ext.user_default.limber"


def install(package: Path, profile: Path) -> None:
    """Empties the profile, installs and enables the package in it, and saves the preferences. Raises
    RuntimeError if Blender cannot enable it.
    """
    shutil.rmtree(profile, ignore_errors=True)
    profile.mkdir(parents=True)
    os.environ["BLENDER_USER_RESOURCES"] = str(profile)  # bpy reads it when it is imported
    import bpy

    bpy.ops.extensions.package_install_files(
        filepath=str(package), repo="user_default", enable_on_install=True
    )
    if MODULE not in bpy.context.preferences.addons:
        raise RuntimeError(f"{package.name} was installed, but Blender could not enable it")
    bpy.ops.wm.save_userpref()


def main() -> None:
    profile = Path(sys.argv[1]).resolve()
    install(build.package_path(), profile)
    import bpy

    # removed here, since os._exit skips Blender's own cleanup
    shutil.rmtree(bpy.app.tempdir, ignore_errors=True)
    print(f"install: {build.package_path().name} into {profile}")
    sys.stdout.flush()
    os._exit(0)  # a Blender module may hang while the interpreter ends


if __name__ == "__main__":
    main()
