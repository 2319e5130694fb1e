"""The pose that a live chain shows."""

import numpy as np

from ...character.chain.hanging import ChainPose


class ShownPose(dict):
    """Basis (rotation wxyz, location, scale) of each bone that a chain moves, by the bone's name.

    Attributes:
        chain: Pose of the chain's skeleton.
        bone_frames: Bone -> (index of the last joint that moves it or -1, frame (4, 4) in that joint's
            frame), from which transforms of what the bones carry are computed.
    """

    def __init__(
        self, channels: dict[str, tuple], chain: ChainPose, bone_frames: dict[str, tuple[int, np.ndarray]]
    ) -> None:
        super().__init__(channels)
        self.chain, self.bone_frames = chain, bone_frames
