"""Rest frames of bones in double precision, read once and stored."""

import bpy
import numpy as np


class RestFrames:
    """Rest frames of bones relative to their parents. An armature must not be edited while they are in
    use.
    """

    def __init__(self) -> None:
        # (armature's session_uid, bone's name) -> frame (4, 4)
        self._in_parents: dict[tuple[int, str], np.ndarray] = {}

    def in_parent(self, bone: bpy.types.Bone) -> np.ndarray:
        """Rest frame (4, 4) of a bone in its parent's rest frame; the bone must have a parent."""
        key = (bone.id_data.session_uid, bone.name)
        frame = self._in_parents.get(key)
        if frame is None:
            parent = np.array(bone.parent.matrix_local, float)
            frame = np.linalg.inv(parent) @ np.array(bone.matrix_local, float)
            self._in_parents[key] = frame
        return frame
