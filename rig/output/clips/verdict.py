"""Verdict on a clip: whether the robot follows it well, and if not, the reasons."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import degrees

import numpy as np

from .. import discontinuities
from . import anatomy, measures, pops
from .recorded import Recorded

# [rad] error of a link, while a joint is at its limit, above which the clip counts as beyond the robot's
# range
LIMITED = np.radians(10.0)
# [rad] error of a link, while no joint is at its limit, above which it is a finding; arms with few joints
# have errors of about 30 degrees
AWAY = np.radians(45.0)
LIES = 0.95  # share of frames without an upright figure from which the clip's up axis counts as wrong
MOST_SENTENCES = 20  # largest number of findings that are written for a clip; the others are only counted


@dataclass
class ClipVerdict:
    """How a robot follows a clip.

    Attributes:
        aim_error: Largest error [deg] of a link.
        joints_at_limit: Number of joints that are at a limit while a link's error is above `LIMITED`.
        pops: Number of frames in which the clip or the robot jumps, or limbs of the clip exchange poses.
        joint_jump: Largest rotation [deg] of a joint in one frame; a link may be still while its joints
            rotate.
        slid_feet: Largest distance, as a share of the leg's length, that a foot slides.
        standing_heights: Largest difference, as a share of the leg's length, between heights at which a foot
            stands at one place.
        lying: Share of frames in which the trunk of the clip's figure is far from upright.
        out_of_range: Number of joints of the clip's figure that exceed a person's range.
        findings: Sentences on what was found, at most `MOST_SENTENCES`, then the number of the others; empty
            if the clip is good.
    """

    aim_error: float = 0.0
    joints_at_limit: int = 0
    pops: int = 0
    joint_jump: float = 0.0
    slid_feet: float = 0.0
    standing_heights: float = 0.0
    lying: float = 0.0
    out_of_range: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def judge(recorded: Recorded) -> ClipVerdict:
    """The verdict on a clip that a robot has followed. Of more than `MOST_SENTENCES` findings the further
    ones are only counted, in a last sentence.
    """
    verdict = ClipVerdict()
    verdict.findings += recorded.lost
    verdict.findings += _lying(recorded, verdict)
    clip_pops = list(_pops(recorded, verdict))
    verdict.pops = len({frame for frame, _ in clip_pops})
    verdict.findings += [sentence for _, sentence in clip_pops]
    verdict.findings += _ranges(recorded, verdict)
    verdict.findings += _limits(recorded, verdict)
    verdict.findings += _feet(recorded, verdict)
    if len(verdict.findings) > MOST_SENTENCES:
        more = len(verdict.findings) - MOST_SENTENCES
        verdict.findings[MOST_SENTENCES:] = [f"{more} more"]
    return verdict


def _pops(recorded: Recorded, verdict: ClipVerdict) -> Iterator[tuple[int, str]]:
    """Frame and sentence of pops, of each kind at most one in a frame: of a bone of the clip, of a link of
    the robot, of the clip's position, and of two bones of the clip that exchange their poses. After the last
    one it stores the joints' largest rotation in one frame in the verdict.
    """
    clip = recorded.bones, recorded.source_rotations, pops.POP, "the clip"
    robot = recorded.links, recorded.link_rotations, discontinuities.ROTATION, "the robot"
    for names, rotations, least, whose in (clip, robot):
        amounts = measures.steps(rotations)
        for frame, index in _first_of_each_frame(pops.rotation_pops(rotations, least)):
            angle = degrees(amounts[frame, index])
            number = recorded.frames[frame + 1]
            yield number, f"Frame {number}: bone '{names[index]}' of {whose} jumps by {angle:.0f}°"
    is_pop = pops.position_pops(recorded.source_positions[:, [recorded.hips]], recorded.height)
    for frame, _ in _first_of_each_frame(is_pop):
        number = recorded.frames[frame + 1]
        yield number, f"Frame {number}: '{recorded.bones[recorded.hips]}' of the clip jumps to another place"
    is_exchange = pops.exchanges(recorded.sides.rotations, pops.POP)
    for frame, index in _first_of_each_frame(is_exchange):
        number, (left, right) = recorded.frames[frame + 1], recorded.sides.names[index]
        yield number, f"Frame {number}: bones '{left}' and '{right}' of the clip exchange their poses"
    jumps = np.abs(np.diff(recorded.joints[:, recorded.is_revolute], axis=0))
    verdict.joint_jump = round(degrees(jumps.max()), 2) if jumps.size else 0.0


def _first_of_each_frame(is_pop: np.ndarray) -> Iterator[tuple[int, int]]:
    """(frame, index of the bone) of the first bone in each frame with a pop; bones below it move along with
    it.
    """
    for frame in np.flatnonzero(is_pop.any(1)):
        yield int(frame), int(np.argmax(is_pop[frame]))


def _lying(recorded: Recorded, verdict: ClipVerdict) -> Iterator[str]:
    verdict.lying = round(anatomy.lying(recorded.figure, recorded.source_positions), 4)
    if verdict.lying >= LIES:
        yield "The figure of the clip lies or is upside down from start to end: check the up axis of its file"


def _ranges(recorded: Recorded, verdict: ClipVerdict) -> Iterator[str]:
    poses = recorded.source_rotations, recorded.source_positions
    for joint in anatomy.out_of_range(recorded.figure, *poses):
        verdict.out_of_range += 1
        name, number = recorded.bones[joint.bone], recorded.frames[joint.frame]
        yield f"Frame {number}: bone '{name}' of the clip {joint.fault}"


def _limits(recorded: Recorded, verdict: ClipVerdict) -> Iterator[str]:
    errors = recorded.errors
    verdict.aim_error = round(degrees(errors.max()), 2) if errors.size else 0.0
    at_limit = measures.stopped(recorded.joints, recorded.lower, recorded.upper)
    beyond = at_limit & (errors > LIMITED)[:, None]
    for joint in np.flatnonzero(beyond.any(0)):
        worst = int(np.where(beyond[:, joint], errors, 0.0).argmax())
        verdict.joints_at_limit += 1
        yield (
            f"Frame {recorded.frames[worst]}: joint {recorded.joint_names[joint]} stands at its limit, and"
            f" {recorded.worst[worst]} has an error of {degrees(errors[worst]):.0f}°"
        )
    if not verdict.joints_at_limit and errors.size and errors.max() > AWAY:
        worst = int(errors.argmax())
        number, angle = recorded.frames[worst], degrees(errors[worst])
        yield f"Frame {number}: {recorded.worst[worst]} has an error of {angle:.0f}°"


def _feet(recorded: Recorded, verdict: ClipVerdict) -> Iterator[str]:
    poses = recorded.source_rotations, recorded.source_positions
    distances = measures.slides(*poses, recorded.feet, recorded.hips, recorded.seconds)
    verdict.slid_feet = round(float(distances.max(initial=0.0)), 4)
    for foot, share in zip(recorded.feet, distances, strict=True):
        if share > measures.SLIDES:
            yield f"Foot '{recorded.bones[foot]}' of the clip slides by {share:.2f} of its leg's length"
    heights = measures.two_heights(*poses, recorded.feet, recorded.hips, recorded.seconds)
    verdict.standing_heights = round(float(heights.max(initial=0.0)), 4)
    for foot, share in zip(recorded.feet, heights, strict=True):
        if share > measures.TWO_HEIGHTS:
            yield (
                f"Foot '{recorded.bones[foot]}' of the clip stands at one place at two heights, {share:.2f} of its"
                " leg's length apart: it sinks into the floor, or floats"
            )
