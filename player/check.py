"""Proves that a character moves on this computer as it did in Blender, by its file's self-test."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..character.file.contents import CharacterFile
from .errors import PlayerError
from .playing import play
from .script import Script

SAME = 1e-6  # [rad, m] largest difference that nobody sees and no servo resolves


class SelfTestResult(NamedTuple):
    """Result of a self-test.

    Attributes:
        frames: How many frames were compared.
        largest: Largest difference [rad, m].
        frame, joint: First frame of the scene that differs by more than `SAME`, and the joint; None, "": no
            frame does.
    """

    frames: int
    largest: float
    frame: int | None
    joint: str


def check(character: CharacterFile) -> SelfTestResult:
    """The result of the self-test of a character.

    Raises:
        PlayerError: The file has no self-test, or the character cannot play.
    """
    test = character.self_test
    if test is None or not len(test.commanded):
        raise PlayerError("the file has no self-test: export it again")
    seconds_a_frame = character.rate.seconds_a_frame
    clip = replace(character, behaviour=None)
    recording = play(clip, Script((len(test.commanded) - 1) * seconds_a_frame, 1.0 / seconds_a_frame))
    apart = np.maximum(
        np.abs(recording["commanded"] - test.commanded), np.abs(recording["desired"] - test.desired)
    )
    late = np.flatnonzero((apart > SAME).any(axis=1))
    if not len(late):
        return SelfTestResult(len(apart), float(apart.max()), None, "")
    first = int(late[0])
    joint = character.joint_names[int(np.argmax(apart[first]))]
    return SelfTestResult(len(apart), float(apart.max()), character.first_frame + first, joint)
