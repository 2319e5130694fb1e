"""What an export of the scene's character would say, before it."""

import bpy

from ...hardware.errors import HardwareError
from ...motion import MotionError
from ..blender.errors import RigError
from .character_file import CharacterExport


def remarks_beforehand(scene: bpy.types.Scene, behaviour: str) -> list[str]:
    """What a file of the scene's character would not have, and what would be in its place, as sentences, by
    the scene's first frame; arguments as for `CharacterExport`. If nothing could be exported, why.
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
