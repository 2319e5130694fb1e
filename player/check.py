"""Proves that a character moves on this computer as it did in Blender, by its file's self-test.

Solvers and motion filters of chains are tested separately: solutions are compared with Blender's, and filters
are run on Blender's solutions. A filter plans again at every step, and may amplify the last digit, in which
numpy differs between computers, a hundred thousand times; such a difference is no fault.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..character.file.contents import ChainEntry, CharacterFile
from ..motion import NO_FILTER, Limits, make_filter
from ..solvers.kinematics.se3 import Array
from .errors import PlayerError
from .playing import play
from .script import Script

# [rad, m] largest difference between two values that count as equal: invisible, and below servos' resolution
SAME = 1e-6


class SelfTestResult(NamedTuple):
    """Result of a self-test.

    Attributes:
        frames: Number of compared frames.
        largest: Largest difference [rad, m].
        frame, joint: First frame of the scene that differs by more than `SAME`, and the joint that differs
            most there; None and "" if no frame does.
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
    commanded = recording["commanded"].copy()
    filtered = _filtered(character, test.desired)
    commanded[:, : filtered.shape[1]] = filtered
    differences = np.maximum(np.abs(commanded - test.commanded), np.abs(recording["desired"] - test.desired))
    failing_frames = np.flatnonzero((differences > SAME).any(axis=1))
    if not len(failing_frames):
        return SelfTestResult(len(differences), float(differences.max()), None, "")
    first = int(failing_frames[0])
    joint = character.joint_names[int(np.argmax(differences[first]))]
    return SelfTestResult(len(differences), float(differences.max()), character.first_frame + first, joint)


def _filtered(character: CharacterFile, desired: Array) -> Array:
    """Output of the chains' motion filters for desired joint values (t, n) [rad, m]: the columns of the
    chains' joints, which come first.
    """
    columns: list[Array] = []
    for entry in character.chains:
        count, first = len(entry.skeleton), len(columns)
        rows = desired[:, first : first + count]
        columns += list(rows.T) if entry.filter_name == NO_FILTER else _filtered_chain(character, entry, rows)
    return np.array(columns).reshape(len(columns), len(desired)).T


def _filtered_chain(character: CharacterFile, entry: ChainEntry, rows: Array) -> list[Array]:
    """Values (t,) of each joint of a chain after its motion filter, for desired values (t, n)."""
    joints = []
    for joint, style, values in zip(entry.skeleton.joints, entry.styles, rows.T.tolist(), strict=True):
        limits = Limits(joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.jerk)
        joint_filter = make_filter(entry.filter_name, limits, style)
        states = [joint_filter.rest(values[0])]
        for value in values[1:]:
            states.append(joint_filter.step(states[-1], value, character.rate.seconds_a_frame))
        joints.append(np.array([state.position for state in states]))
    return joints
