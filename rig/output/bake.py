"""Baking: ticks movers frame by frame, as live motion does, and writes their motion as keyframes on new
actions. Previous actions stay.
"""

import math
import re
from collections.abc import Iterable

import bpy

from ...solvers.goals import GazeGoal
from ..blender import actions
from ..blender.errors import RigError
from ..bones.channels import Channel
from ..live import live, rehearsal
from ..live.mover import Mover
from ..live.movers import mover_of
from ..live.runtime import live_chains, live_movers
from ..live.stage import SceneStage
from ..live.uses import Use, why_not
from ..scene.dependencies import moved_targets
from . import muting
from .new_actions import keyed_action, refuse_what_would_hide_keys
from .stepped import SteppedJob
from .take import RecordedTake

SUFFIX = " Baked"
# end of the name of a baked action, with the number that Blender adds to a name that exists already
NUMBERED = re.compile(re.escape(SUFFIX) + r"(\.\d+)?$")


class Bake(SteppedJob):
    """A bake of movers over a range of frames, one frame per step. Nothing is changed before `mute` and
    `finish`, which are called after the last step.

    For movers that look ahead (`Mover.time_ahead`) there are two passes. The first pass stores the goal of
    each such mover in every frame; the second starts again and gives the movers the goals of the next frames.
    These goals are exact for targets that no mover moves. For targets and bases that another chain moves,
    they are those of the first pass, although that chain may move differently in the second. Beyond the last
    frame, the goal of the last frame is repeated.

    Args:
        scene: The scene with the movers.
        movers: Pairs of an owner and its settings; with a body its live chains are baked too. If a mechanism
            is among them or live, all other live movers are ticked, but not baked.
        start, end: First and last frame.

    Raises:
        RigError: the range is empty, a mover cannot be baked or read, it depends on a live one that is not
            baked, or something would override the keyframes.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        movers: Iterable[tuple[bpy.types.Object, bpy.types.PropertyGroup]],
        start: int,
        end: int,
    ) -> None:
        if end < start:
            raise RigError(
                f"The range to bake ends at frame {end}, before it starts at {start}: exchange the two"
            )
        chosen_movers = [mover_of(*mover) for mover in movers]
        self.movers = list(
            {mover.key: mover for chosen in chosen_movers for mover in (chosen, *chosen.bakes_with)}.values()
        )
        self.along = _along(scene, self.movers)
        for mover in self.movers:
            if why := why_not(Use.BAKE, mover):
                raise RigError(why)
        _refuse_half_of_what_depends(scene, self.movers)
        for owner in {mover.owner for mover in self.movers if mover.is_on_rig}:
            refuse_what_would_hide_keys(owner)
        self.start, self.end = start, end
        rate = scene.render.fps / scene.render.fps_base
        # key of a mover that looks ahead -> number of frames that it looks ahead
        self.horizons = {
            mover.key: math.ceil(mover.time_ahead * rate) for mover in self.movers if mover.time_ahead
        }
        # key of a mover that looks ahead -> its goal in each frame of the first pass
        self.goals: dict[tuple[int, str], list[GazeGoal]] = {key: [] for key in self.horizons}
        self.passes = self.passes_left = 2 if self.goals else 1
        self._begin_pass(scene)
        super().__init__(scene)

    def _begin_pass(self, scene: bpy.types.Scene) -> None:
        """Begins the first or the second pass: all movers at rest, and nothing recorded yet.

        Raises:
            RigError: a mover cannot be read, or keyframes cannot represent its motion.
        """
        self.stage = SceneStage()
        live.prepare(self.stage, self.movers)
        for mover in self.movers:
            self.stage.session(*mover).check_keys()
        self.take = RecordedTake()
        # key of a mover -> the values [rad; prismatic joints m] of its joints in each frame
        self.values: dict[tuple[int, str], list[dict]] = {mover.key: [] for mover in self.movers}
        self.held: dict[int, str] = {}  # frame in which goals could not be followed -> the reason
        self.remarks = rehearsal.remarks(scene)  # label of a mover -> a warning, reported once

    @property
    def length(self) -> int:
        """Number of frames in the bake's range."""
        return self.end - self.start + 1

    @property
    def frame(self) -> int:
        """Number of the frame to bake next."""
        return self.start + len(self.take.frames)

    @property
    def is_first_of_two(self) -> bool:
        """Whether this is the first of two passes."""
        return self.passes_left == 2

    @property
    def total(self) -> int:
        """Number of steps of the bake in all passes."""
        return self.passes * self.length

    @property
    def done(self) -> int:
        return self.total - self.passes_left * self.length + len(self.take.frames)

    def step(self) -> bool:
        """Bakes one frame of the first or second pass; returns whether there are more.

        Raises:
            RigError: the setup cannot be solved in the first frame, a channel that had keys has no value any
                more, or something would override the keyframes.
        """
        frame = self.frame
        self.scene.frame_set(frame)
        dt = self.seconds_a_frame if self.take.frames else 0.0
        depsgraph = bpy.context.evaluated_depsgraph_get()
        moving = [*self.movers, *self.along]
        rehearsal.perform(self.stage, self.scene, dt)
        self.stage.advance(moving, depsgraph, dt, {} if self.is_first_of_two else self._ahead())
        placement = self.stage.placement(moving, depsgraph)
        before = self.take.rows[-1] if self.take.rows else {}
        row: dict[Channel, float] = {}
        for mover in self.movers:
            self._note(mover, frame)
            row |= self.stage.session(*mover).keys(mover, placement, before)
        if lost := next((channel for channel in before if channel not in row), None):
            raise RigError(
                f"Frame {frame}: '{lost.bone or lost.object_name}' does not move any more as it did in the"
                " frames before: take back what was changed meanwhile (a pair or a joint that was switched"
                " off), then bake again"
            )
        if not self.take.frames:
            for owner in {channel.uid: channel.owner for channel in row}.values():
                refuse_what_would_hide_keys(owner)
        self.take.frames.append(frame)
        self.take.rows.append(row)
        if self.is_first_of_two and len(self.take.frames) == self.length:
            self.passes_left = 1
            super()._put_back()  # so that both passes begin at the same frame
            self._begin_pass(self.scene)
        return self.done < self.total

    def _note(self, mover: Mover, frame: int) -> None:
        """Stores a mover's values in a frame, the reason if it does not follow its goal, its first warning
        and, in the first of two passes, its goal.

        Raises:
            RigError: the mover cannot be solved in the first frame.
        """
        session = self.stage.session(*mover)
        if session.outputs is None:
            raise RigError(f"Frame {frame}: {session.problem}")
        if session.unmet:
            self.held[frame] = session.unmet
        if session.warning:
            self.remarks.setdefault(mover.label, session.warning)
        self.values[mover.key].append(session.values())
        if self.is_first_of_two and (goals := self.goals.get(mover.key)) is not None:
            # a goal that cannot be used is replaced by the last usable one
            goals.append(goals[-1] if session.problem else session.goal)

    def _ahead(self) -> dict[tuple[int, str], list[GazeGoal]]:
        """Goals of the next frames for each mover that looks ahead: as many as it uses, or as the range still
        has; in the last frame, the goal of that frame.
        """
        frame_index = len(self.take.frames)
        return {
            key: goals[frame_index + 1 : frame_index + 1 + self.horizons[key]] or goals[-1:]
            for key, goals in self.goals.items()
        }

    def finish(self) -> list[bpy.types.Action]:
        """Writes the keyframes and ends live motion of the baked movers, so that the new actions play;
        returns the actions.
        """
        for mover in self.movers:
            if mover.is_live:
                live.stop(*mover)
        new_actions = [
            self._write(channel.owner)
            for channel in {channel.uid: channel for channel in self.take.rows[0]}.values()
        ]
        self._end()
        return new_actions

    def mute(self) -> list[str]:
        """Mutes drivers and constraints that would override or change the baked motion; returns sentences
        that name them.
        """
        return muting.mute_what_wins(self.take.keys)

    def _write(self, owner: bpy.types.Object) -> bpy.types.Action:
        """Makes an action with the keyframes of an object, and assigns it; returns the action."""
        old = owner.animation_data.action if owner.animation_data else None
        action, handle = keyed_action(
            owner, NUMBERED.sub("", old.name if old else owner.name) + SUFFIX, self.take
        )
        actions.assign(owner, action, handle)
        return action

    def _put_back(self) -> None:
        live.suspend(False)  # live movers return to the restored frame
        super()._put_back()


def _along(scene: bpy.types.Scene, movers: list[Mover]) -> list[Mover]:
    """Live movers that are ticked along with the baked ones: all of them if a mechanism is baked or live,
    since it may depend on them or they on it; otherwise none.
    """
    baked = {mover.key for mover in movers}
    other_movers = [mover for mover in live_movers(scene) if mover.key not in baked]
    return other_movers if any(not mover.is_on_rig for mover in [*movers, *other_movers]) else []


def _refuse_half_of_what_depends(scene: bpy.types.Scene, movers: list[Mover]) -> None:
    """Raises RigError, with both names and the remedy, if a baked mover depends on a live chain or body that
    is not baked.
    """
    baked = {mover.key for mover in movers}
    for mover in movers:
        body = mover.owner.limber.retarget
        if mover.is_on_rig and body.live and mover_of(mover.owner, body).key not in baked:
            raise RigError(
                f"Armature '{mover.owner.name}' follows another one, and its chains what it does: bake its"
                " body, which bakes them as well (Bake in the Retarget panel), or press End Live there first"
            )
    # a chain that stays live can still change its motion, and keys would fit only its present motion
    other_chains = [chain for chain in live_chains(scene) if chain.key not in baked]
    for mover in movers:
        for other in other_chains:
            part = mover.part_moved_by(other)
            # Bake All Chains covers one armature, so the remedy differs for a chain of another armature
            if part and other.owner == mover.owner:
                subject = (
                    f"The target of {mover.label.lower()[0] + mover.label[1:]}"
                    if part == "target"
                    else mover.label
                )
                raise RigError(
                    f"{subject} depends on chain '{other.settings.name}', which is live: bake both at once (Bake"
                    " All Chains), or end its Live first"
                )
            if part:
                subject = f"Armature '{mover.owner.name}'"
                if part == "target":
                    subject = f"Target '{moved_targets(mover.settings, other.moves)[0].name}'"
                raise RigError(
                    f"{subject} depends on '{other.owner.name}', whose chain '{other.settings.name}' is live:"
                    " bake that one first, or end its Live"
                )
