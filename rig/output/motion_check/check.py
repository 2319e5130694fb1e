"""Motion Check: steps through the frames as a bake does, and records the movers' motion for `findings`.
Results last for this session.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from ...blender.errors import RigError
from ...bones import axes
from ...live import live, rehearsal
from ...live.mover import Mover
from ...live.session import SceneSession
from ...live.stage import SceneStage
from ...live.uses import Use, as_seen, why_not, with_company
from ...scene.placement import Placement
from ..stepped import SteppedJob
from .findings import CheckedJoint, CheckedTake, MotionFinding, by_severity, findings
from .zones import Links, intrusions, zones_of


@dataclass(frozen=True)
class MotionCheckResult:
    """Result of a motion check of an object's movers: the motion and the findings."""

    takes: tuple[CheckedTake, ...]  # the motion of each mover
    findings: tuple[MotionFinding, ...]  # the most serious first
    frames: range  # the checked frames


_results: dict[int, MotionCheckResult] = {}  # each object's last check, by its session_uid


def result(rig: bpy.types.Object) -> MotionCheckResult | None:
    """The last check of an object's movers in this session; None if there is none."""
    return _results.get(rig.session_uid)


@dataclass(frozen=True)
class Entered:
    """A link that is in a no-go zone at a frame, or has passed through it since the frame before: head and
    tail (2, 3) [m, world] at the frame, and a description.
    """

    line: np.ndarray
    words: str


def entered(frame: int, rigs: Iterable[bpy.types.Object]) -> list[Entered]:
    """Links of these armatures that are in no-go zones at a frame, or have passed through them since the
    frame before, according to their last checks.
    """
    if not _results:
        return []
    entered_links = []
    for rig in rigs:
        for take in getattr(result(rig), "takes", ()):
            if take.inside and frame in take.frames:
                index = take.frames.index(frame)
                for k, j in np.argwhere(take.inside[index] > 0.0):
                    how = (
                        "in {}" if take.zone_depths[index][k, j] > 0.0 else "through {} since the last frame"
                    )
                    words = (
                        f"{take.links[k]} {how.format(take.zones[j])}:"
                        f" {1e3 * take.inside[index][k, j]:.0f} mm"
                    )
                    entered_links.append(Entered(take.lines[index][k], words))
    return entered_links


def forget() -> None:
    """Discards all results, before Blender frees the data that they refer to."""
    _results.clear()


class MotionCheck(SteppedJob):
    """A check of a mover and of its object's other movers (`with_company`), one frame per step.

    Args:
        scene: The scene with the object.
        mover: The chain, body or mechanism.
        frames: Frames to check, in order.
        lost_beyond, changed_beyond: Thresholds [rad] of `findings`.

    Raises:
        RigError: the range is empty, nothing can be checked or read, or a no-go zone cannot be used.
    """

    keeps_unkeyed = True

    def __init__(
        self, scene: bpy.types.Scene, mover: Mover, frames: range, lost_beyond: float, changed_beyond: float
    ) -> None:
        if not frames:
            raise RigError(
                f"The range to check ends at frame {frames.stop - 1}, before it starts at {frames.start}:"
                " exchange the two"
            )
        self.own, self.seen = with_company(Use.CHECK, mover), as_seen(mover)
        if not (self.own or self.seen):
            raise RigError(why_not(Use.CHECK, mover))
        self.rig, self.frames, self.zones = mover.owner, frames, zones_of(mover.owner)
        known = {m.key for m in self.own}
        self.movers = [*self.own, *(m for m in live.live_movers(scene) if m.key not in known)]
        self.beyond = lost_beyond, changed_beyond
        self.stage = SceneStage()
        live.prepare(self.stage, self.own)
        self.takes: dict[tuple[int, str], CheckedTake] = {}
        self.links: dict[tuple[int, str], Links] = {}
        self.unmeasured = [
            sentence for m in self.own if self.zones and (sentence := m.unmeasured(self.stage.session(*m)))
        ]
        self.done = 0
        # called last: it suspends live motion and robots, which an error raised above would leave suspended
        super().__init__(scene)

    @property
    def total(self) -> int:
        return len(self.frames)

    @property
    def frame(self) -> int:
        """Number of the frame to check next; at the end, of the last frame."""
        return self.frames[min(self.done, self.total - 1)]

    def step(self) -> bool:
        """Checks one frame; returns whether there are more.

        Raises:
            RigError: a mover cannot be solved from the first frame on, or a no-go zone is no longer there or
                shown.
        """
        frame = self.frame
        self.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        dt = self.seconds_a_frame if self.done else 0.0
        rehearsal.perform(self.stage, self.scene, dt)
        self.stage.advance(self.movers, depsgraph, dt)
        placement = self.stage.placement(self.movers, depsgraph)
        for zone in self.zones:
            zone.look(placement)
        for mover in self.own:
            session = self.stage.session(*mover)
            if session.outputs is None:
                raise RigError(f"Frame {frame}: {session.problem}")
            take = self.takes.get(mover.key) or self._begin(mover, session)
            self._note(take, frame, session)
            if self.zones:
                self._note_zones(take, self.links[mover.key], placement)
        if self.seen:
            self._show(self.stage, depsgraph)
        for mover in self.seen:
            self._note_seen(mover, frame)
        self.done += 1
        return self.done < self.total

    def _begin(self, mover: Mover, session: SceneSession) -> CheckedTake:
        """Begins to record a mover, after its first tick."""
        joints = tuple(
            CheckedJoint(mover.joint_label(key), *bounds, axes.is_prismatic(key[1]))
            for key, bounds in session.limits().items()
        )
        self.links[mover.key] = links = Links(mover.owner, mover.links(session))
        zones = tuple(zone.name for zone in self.zones)
        take = self.takes[mover.key] = CheckedTake(
            mover.name, self.seconds_a_frame, joints, links=links.names, zones=zones
        )
        return take

    def _note(self, take: CheckedTake, frame: int, session: SceneSession) -> None:
        """Records the motion and the errors of a mover in a frame, after its tick."""
        limit_keys = list(session.limits())
        for rows, known in ((take.desired, session.desired()), (take.filtered, session.values())):
            rows.append(np.array([known[key] for key in limit_keys]))
        end, error, filtered_error = session.aim_errors()
        take.frames.append(frame)
        take.ends.append(end)
        take.errors.append(error)
        take.filtered_errors.append(filtered_error)
        take.influence.append(session.influence)
        if cause := session.why_missed:
            take.causes[frame] = cause
        if session.problem:
            take.problems[frame] = session.problem
        elif session.remark:
            take.remarks[frame] = session.remark

    def _note_seen(self, mover: Mover, frame: int) -> None:
        """Records the values of joints that no solver moves, as the scene shows them, and the bone whose pose
        its joints can represent least.
        """
        take = self.takes.get(mover.key)
        joints = [joint for joint in mover.joints() if joint.bone in mover.owner.pose.bones]
        keys = [joint.key for joint in joints]
        values = mover.posed(lambda: dict(zip(keys, take.desired[-1].tolist(), strict=True)) if take else {})
        if take is None:
            ranges = (
                CheckedJoint(mover.joint_label(joint.key), *_limits_of(joint), axes.is_prismatic(joint.axis))
                for joint in joints
            )
            take = self.takes[mover.key] = CheckedTake(
                mover.name, self.seconds_a_frame, tuple(ranges), is_solved=False
            )
        joint_values = np.array([values[key] for key in keys])
        take.frames.append(frame)
        take.desired.append(joint_values)
        take.filtered.append(joint_values)
        take.ends.append("The end")
        take.errors.append(0.0)
        take.filtered_errors.append(0.0)
        take.influence.append(0.0)
        if deviations := mover.deviations():
            take.off_axis[frame] = max(deviations, key=lambda deviation: deviation.worst).sentence

    def _note_zones(self, take: CheckedTake, links: Links, placement: Placement) -> None:
        """Records the positions of a mover's links in a frame, and how deep they are in the zones."""
        lines = links.end_positions(placement)
        before = take.lines[-1] if take.lines else None
        take.lines.append(lines)
        depths, deepest = intrusions(links, self.zones, lines, before)
        take.zone_depths.append(depths)
        take.inside.append(deepest)

    @property
    def checked(self) -> list[Mover]:
        """All movers that are checked: movers that are solved, and movers whose joints are read from the
        scene.
        """
        return [*self.own, *self.seen]

    def finish(self) -> MotionCheckResult:
        """Ends the check; returns its result, which is also stored for the panel."""
        self._end()
        takes = tuple(self.takes.values())
        all_findings = by_severity(finding for take in takes for finding in findings(take, *self.beyond))
        check_result = MotionCheckResult(takes, tuple(all_findings), self.frames)
        _results[self.rig.session_uid] = check_result
        return check_result


def _limits_of(joint: bpy.types.PropertyGroup) -> tuple[float, float, float, float, float]:
    """Limits of a joint's position [rad or m], velocity, acceleration and jerk (per s, s2, s3)."""
    return joint.lower, joint.upper, joint.velocity, joint.acceleration, joint.jerk
