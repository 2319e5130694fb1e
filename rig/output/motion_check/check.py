"""Goes through the frames as a bake does, and notes what chains do there. Nothing is written; what was found is runtime state."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...blender.errors import RigError
from ...live import live
from ...live.stage import Stage
from ...reading import axes
from ...reading.goal import followed
from .. import unkeyed
from ..stepped import Stepped
from .findings import Finding, JointRange, Take, findings
from .zones import Links, intrusions, zones_of


@dataclass(frozen=True)
class Result:
    """What came of a check of an armature's chains."""

    takes: tuple[Take, ...]
    findings: tuple[Finding, ...]
    frames: range


_results: dict[int, Result] = {}  # by the armature object's session_uid


def result(rig) -> Result | None:
    """What the last check of an armature has found in this session."""
    return _results.get(rig.session_uid)


@dataclass(frozen=True)
class Entered:
    """A link in a no-go zone at a frame: its line (2, 3) in the world [m], and what is so in words."""

    line: np.ndarray
    words: str


def entered(frame: int, rigs) -> list[Entered]:
    """What the last checks of these armatures have found in no-go zones at a frame."""
    if not _results:
        return []
    found = []
    for rig in rigs:
        for take in getattr(result(rig), "takes", ()):
            if take.inside and frame in take.frames:
                now = take.frames.index(frame)
                for k, j in np.argwhere(take.inside[now] > 0.0):
                    how = "in {}" if take.there[now][k, j] > 0.0 else "through {} on the way here"
                    words = f"{take.links[k]} {how.format(take.zones[j])}: {1e3 * take.inside[now][k, j]:.0f} mm"
                    found.append(Entered(take.lines[now][k], words))
    return found


def forget() -> None:
    """Drop all results: the data that they speak of is gone."""
    _results.clear()


class MotionCheck(Stepped):
    """A check of all chains of an armature that have a target, one frame a step.

    Args:
        scene: The scene with the armature.
        rig: The armature object.
        frames: Those to check, in order.
        lost_beyond, changed_beyond: [rad] see `findings`.

    Raises:
        RigError: the range is empty, no chain has a target, or a no-go zone cannot be looked at.
    """

    def __init__(self, scene, rig, frames: range, lost_beyond: float, changed_beyond: float) -> None:
        if not frames:
            raise RigError(f"The range to check ends at frame {frames.stop - 1}, before it starts at {frames.start}: exchange the two")
        own = [(rig, chain) for chain in rig.limber.chains if followed(chain) is not None]
        if not own:
            raise RigError(f"No chain of '{rig.name}' has a target: choose one in the Gaze panel")
        self.rig, self.frames, self.own, self.zones = rig, frames, own, zones_of(rig)
        known = {chain.uid for _, chain in own}
        self.pairs = [*own, *(pair for pair in live.live_movers(scene) if pair[0] != rig or pair[1].uid not in known)]
        self.beyond = lost_beyond, changed_beyond
        self.stage = Stage()
        self.takes: dict[str, Take] = {}
        self.links: dict[str, Links] = {}
        self.done = 0
        self.unkeyed = unkeyed.remember(scene)
        super().__init__(scene)

    @property
    def total(self) -> int:
        return len(self.frames)

    @property
    def frame(self) -> int:
        """The one that comes next, or the last."""
        return self.frames[min(self.done, self.total - 1)]

    def step(self) -> bool:
        """Checks one frame; returns whether there are more.

        Raises:
            RigError: a chain cannot be solved from the first frame on, or a no-go zone was deleted meanwhile.
        """
        frame = self.frame
        self.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.stage.advance(self.pairs, depsgraph, self.seconds_a_frame if self.done else 0.0)
        placement = self.stage.placement(self.pairs, depsgraph)
        for zone in self.zones:
            zone.look(placement)
        for rig, chain in self.own:
            session = self.stage.session(rig, chain)
            if session.outputs is None:
                raise RigError(f"Frame {frame}: {session.problem}")
            take = self.takes.get(chain.uid) or self._begin(rig, chain, session)
            self._note(take, frame, session)
            if self.zones:
                self._note_zones(take, self.links[chain.uid], placement)
        self.done += 1
        return self.done < self.total

    def _begin(self, rig, chain, session) -> Take:
        joints = tuple(
            JointRange(axes.label(*place), j.lower, j.upper, j.velocity, j.acceleration, j.jerk, j.kind == "prismatic")
            for place, j in zip(session.reader.places, session.model.skeleton.joints, strict=True)
        )
        self.links[chain.uid] = links = Links(rig, chain)
        zones = tuple(zone.name for zone in self.zones)
        take = self.takes[chain.uid] = Take(chain.name, self.seconds_a_frame, joints, links=links.names, zones=zones)
        return take

    def _note(self, take: Take, frame: int, session) -> None:
        outputs = session.outputs
        take.frames.append(frame)
        take.wanted.append(outputs.desired)
        take.filtered.append(outputs.angles)
        take.missed.append(outputs.solution.aim_error)
        take.missed_after.append(outputs.filtered_aim_error)
        take.influence.append(session.influence)
        if session.problem:
            take.problems[frame] = session.problem

    def _note_zones(self, take: Take, links: Links, placement) -> None:
        lines = links.places(placement)
        before = take.lines[-1] if take.lines else None
        take.lines.append(lines)
        there, deepest = intrusions(links, self.zones, lines, before)
        take.there.append(there)
        take.inside.append(deepest)

    def finish(self) -> Result:
        """What was found, which is kept for the panel as well."""
        self._end()
        takes = tuple(self.takes.values())
        found = tuple(finding for take in takes for finding in findings(take, *self.beyond))
        _results[self.rig.session_uid] = made = Result(takes, found, self.frames)
        return made

    def _put_back(self) -> None:
        super()._put_back()
        unkeyed.put_back(self.unkeyed)
