"""The pose that a live chain shows."""

import numpy as np

from ...character.chain.hanging import ChainPose


class ShownPose(dict):
    """Basis of each bone that a chain moves, and the frames of its joints for the objects that they carry."""

    def __init__(
        self, channels: dict[str, tuple], chain: ChainPose, bone_frames: dict[str, tuple[int, np.ndarray]]
    ) -> None:
        super().__init__(channels)
        self.chain, self.bone_frames = chain, bone_frames
