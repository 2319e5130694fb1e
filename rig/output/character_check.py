"""Remarks of an export of the scene's character, from its first frame alone and without a file."""

import bpy

from ...hardware.errors import HardwareError
from ...motion import MotionError
from ..blender.errors import RigError
from .character_file import CharacterExport


def remarks_beforehand(scene: bpy.types.Scene, behaviour: str) -> list[str]:
    """Sentences on what a character file of the scene would lack and what would replace it, judged by the
    first frame; if nothing can be exported, the reason. Arguments as for `CharacterExport`.
    """
    try:
        work = CharacterExport(scene, "", behaviour, is_look_ahead=True)
    except (HardwareError, MotionError, RigError) as error:
        return [f"Nothing can be exported: {error}"]
    try:
        work.step()
        return list(work.finish().remarks)
    except (HardwareError, MotionError, RigError) as error:
        return [f"Nothing can be exported: {error}"]
    finally:
        work.cancel()
