"""Baking: the same tick as live, frame by frame, to keys on a new action. The action that was there is kept."""

import re
from collections.abc import Sequence

import bpy
from bpy.utils import escape_identifier

from ...solvers.goals import GazeGoal
from ...solvers.table import SOLVERS
from ..blender import actions
from ..blender.errors import RigError
from ..live import live, mechanisms
from ..live.movers import BodyMover, ChainMover, MechanismMover, mover_of
from ..live.stage import Stage
from ..reading import axes
from ..reading.dependencies import is_carried, moved_part, moved_targets, mover
from .stepped import Stepped

SUFFIX = " Baked"
NUMBERED = re.compile(re.escape(SUFFIX) + r"(\.\d+)?$")  # as Blender numbers the second of a name


class Bake(Stepped):
    """A bake of some chains over a range of frames, one frame a step. Nothing is written before `finish`.

    Where chains look ahead (`chain.look_ahead`, and their solver can), the range is gone through twice. The first time each chain's goal is
    noted at every frame; the second time all begins anew, and those chains are told the goals of the next frames. Of targets in the world
    these are exact. Of a chain that hangs on another one, or whose target does, they are as the first pass had them, while in the second
    that other one may move differently. After the last frame the last goal is taken to stay.

    Args:
        scene: The scene with the chains' rigs.
        pairs: (rig, chain) of each chain; a chain that hangs on another needs it among them where that one is live. Where one hangs on a
            live mechanism, all that is live moves along.
        start, end: First and last frame.

    Raises:
        RigError: the range is empty, or something would play over the keys.
    """

    def __init__(self, scene, pairs: list[tuple], start: int, end: int) -> None:
        if end < start:
            raise RigError(f"The range to bake ends at frame {end}, before it starts at {start}: exchange the two")
        self.rigs = list({rig.session_uid: rig for rig, _ in pairs}.values())
        for rig in self.rigs:
            refuse_what_would_hide_keys(rig)
        _refuse_half_of_what_hangs_together(scene, pairs)
        self.pairs = pairs
        self.of_joints = {mover.key for mover in (mover_of(*pair) for pair in pairs) if mover.joints()}
        self.moving = [*pairs, *_along(scene, pairs)]
        self.start, self.end = start, end
        self.horizons = {(rig.session_uid, chain.uid): frames_ahead(chain) for rig, chain in pairs if chain.look_ahead}
        self.noted: dict[tuple[int, str], list[GazeGoal]] = {key: [] for key, frames in self.horizons.items() if frames}  # first pass's
        self.passes = self.passes_left = 2 if self.noted else 1
        self._begin_pass()
        super().__init__(scene)

    def _begin_pass(self) -> None:
        self.stage = Stage()
        self.frames: list[int] = []
        self.angles: dict[tuple[int, str], list] = {(rig.session_uid, chain.uid): [] for rig, chain in self.pairs}
        self.held: dict[int, str] = {}  # frames in which a chain had no goal to follow and came to rest, and why
        self.remarks: dict[str, str] = {}  # chain -> what its solver changed of the goal, said once

    @property
    def length(self) -> int:
        """Frames of the range."""
        return self.end - self.start + 1

    @property
    def frame(self) -> int:
        """The one that comes next."""
        return self.start + len(self.frames)

    @property
    def is_scouting(self) -> bool:
        """Whether this is the first of two passes."""
        return self.passes_left == 2

    @property
    def total(self) -> int:
        """Steps of all passes."""
        return self.passes * self.length

    @property
    def done(self) -> int:
        return self.total - self.passes_left * self.length + len(self.frames)

    def step(self) -> bool:
        """Bakes one frame, of the first pass or the second; returns whether there are more.

        Raises:
            RigError: the set-up cannot be solved from the first frame on.
        """
        frame = self.frame
        self.scene.frame_set(frame)
        dt = self.seconds_a_frame if self.frames else 0.0
        self.stage.advance(self.moving, bpy.context.evaluated_depsgraph_get(), dt, {} if self.is_scouting else self._ahead())
        for rig, chain in self.pairs:
            session = self.stage.session(rig, chain)
            if session.outputs is None:
                raise RigError(f"Frame {frame}: {session.problem}")
            if session.problem:
                self.held[frame] = session.problem
            self._note(rig, chain, session)
            if self.is_scouting and (noted := self.noted.get((rig.session_uid, chain.uid))) is not None:
                noted.append(noted[-1] if session.problem else session.goal)  # a goal that cannot be used is no help
        self.frames.append(frame)
        if self.is_scouting and len(self.frames) == self.length:
            self.passes_left = 1
            self._begin_pass()
        return self.done < self.total

    def _note(self, rig, chain, session) -> None:
        """Keeps what a frame has come to."""
        if session.outputs.solution.remark:
            self.remarks.setdefault(chain.name, session.outputs.solution.remark)
        self.angles[rig.session_uid, chain.uid].append(session.outputs.angles)

    def _ahead(self) -> dict[tuple[int, str], list[GazeGoal]]:
        """The goals of the frames after this one, by chain; the last frame's stays, so that nothing is guessed."""
        now = len(self.frames)
        return {key: noted[now + 1 : now + 1 + self.horizons[key]] or noted[-1:] for key, noted in self.noted.items()}

    def finish(self) -> list[bpy.types.Action]:
        """Writes the keys; live ends for the chains, which now play what was baked. Returns the new actions."""
        for rig, chain in self.pairs:
            if chain.live:
                live.stop(rig, chain)
        made = [self._write(rig) for rig in self.rigs]
        self._end()
        return made

    def channels(self, rig) -> list[tuple[str, int, str, str, list[float]]]:
        """What is baked of a rig: data path, index, bone, axis and the value [rad or m] of every frame, for each joint of its chains."""
        found = []
        for owner, chain in self.pairs:
            if owner == rig and (rig.session_uid, chain.uid) in self.of_joints:
                rows = self.angles[rig.session_uid, chain.uid]
                for k, (bone, axis) in enumerate(self.stage.session(rig, chain).reader.places):
                    path = f'pose.bones["{escape_identifier(bone)}"].{axes.channel(axis)}'
                    found.append((path, axes.index(axis), bone, axis, [float(row[k]) for row in rows]))
        return found

    def mute_drivers(self) -> list[str]:
        """Mutes the drivers of baked channels, which would win over the keys; returns their bones and axes."""
        muted = []
        for rig in self.rigs:
            labels = {(path, index): axes.label(bone, axis) for path, index, bone, axis, _ in self.channels(rig)}
            for driver in rig.animation_data.drivers if rig.animation_data else ():
                label = labels.get((driver.data_path, driver.array_index))
                if label and not driver.mute:
                    driver.mute = True
                    muted.append(label)
        return muted

    def _write(self, rig) -> bpy.types.Action:
        action, handle, curves = baked_action(rig)
        for path, index, bone, _, angles in self.channels(rig):
            actions.bake_keys(curves, path, index, bone, self.frames, angles)
        actions.assign(rig, action, handle)
        return action

    def _put_back(self) -> None:
        live.suspend(False)  # chains that are live still follow to the frame
        super()._put_back()


def muted_remarks(drivers: Sequence[str], constraints: Sequence[str] = ()) -> list[str]:
    """What a bake has muted, as sentences."""
    found = [f"Drivers of {', '.join(drivers)} are muted: they would win over the keys"] if drivers else []
    return found + ([f"Constraints are muted, which would act on top of the keys: {', '.join(constraints)}"] if constraints else [])


def baked_action(thing) -> tuple:
    """A `new_action` that is named as baked."""
    old = thing.animation_data.action if thing.animation_data else None
    return new_action(thing, NUMBERED.sub("", old.name if old else thing.name) + SUFFIX)


def new_action(thing, name: str) -> tuple:
    """An action for keys of an object, not yet its own: a copy of the one that plays, which is kept, or an empty one.

    Returns the action, the handle of its slot (None where the first will do), and its F-curves.
    """
    animation = thing.animation_data or thing.animation_data_create()
    old = animation.action
    if old is None:
        action, handle = bpy.data.actions.new(name), None
        animation.action_blend_type, animation.action_influence = "REPLACE", 1.0
    else:
        handle = getattr(animation, "action_slot_handle", None)
        if old.is_editable:
            old.use_fake_user = True  # kept, also when nothing uses it any more
        action = old.copy()
        action.name = name
    slot = next((slot for slot in getattr(action, "slots", ()) if slot.handle == handle), None)
    return action, handle, actions.writable_fcurves(action, thing, slot)


def frames_ahead(chain) -> int:
    """Frames to come whose goals the chain's solver makes use of; 0 where it cannot look ahead, or is not known to this version."""
    info = SOLVERS.get(chain.solver)
    return info.looks_ahead if info else 0


def refuse_what_would_hide_keys(rig) -> None:
    """Whether an action of the object plays as it is.

    Raises:
        RigError: NLA tracks would hide it.
    """
    animation = rig.animation_data
    if animation is None or not animation.nla_tracks:
        return
    if animation.use_tweak_mode:
        raise RigError(f"An NLA strip of '{rig.name}' is being tweaked: leave tweak mode (Tab in the NLA editor), then bake")
    solo = next((track for track in animation.nla_tracks if track.is_solo), None)
    if solo:
        raise RigError(f"NLA track '{solo.name}' of '{rig.name}' plays alone, over any keys: end its solo in the NLA editor, then bake")
    if animation.action and (animation.action_blend_type != "REPLACE" or animation.action_influence < 1):
        raise RigError(
            f"Action '{animation.action.name}' of '{rig.name}' mixes with the NLA strips below it:"
            " set its blending to Replace and its influence to 1 in the NLA editor, or push it down, then bake"
        )


def _along(scene, pairs: list[tuple]) -> list[tuple]:
    """What else moves while chains are baked: all that is live, where one of them hangs on a live mechanism."""
    movers = [mechanisms.mover(mover.owner) for mover in live.live_movers(scene) if isinstance(mover, MechanismMover)]
    chains = {pair for pair in pairs if isinstance(mover_of(*pair), ChainMover)}
    if not any(moved_part(pair, mover) if pair in chains else is_carried(pair[0], mover) for mover in movers for pair in pairs):
        return []
    baked = {(rig.session_uid, mover.uid) for rig, mover in pairs}
    return [(rig, mover) for rig, mover in live.live_movers(scene) if (rig.session_uid, mover.uid) not in baked]


def _refuse_half_of_what_hangs_together(scene, pairs: list[tuple]) -> None:
    baked = {(rig.session_uid, chain.uid) for rig, chain in pairs}
    for rig, _ in pairs:
        if rig.limber.retarget.live and (rig.session_uid, rig.limber.retarget.uid) not in baked:
            raise RigError(
                f"Armature '{rig.name}' follows another one, and its chains what it does: bake it with them (Bake in the Retarget panel),"
                " or press End Retarget first"
            )
    pairs = [(rig, chain) for rig, chain in pairs if not isinstance(mover_of(rig, chain), BodyMover)]
    others = [(chain, mover(chain)) for rig, chain in live.live_chains(scene) if (rig.session_uid, chain.uid) not in baked]
    for rig, chain in pairs:
        for other, its in others:
            part = moved_part((rig, chain), its)
            if part and its.rig == rig:
                what = f"The target of chain '{chain.name}'" if part == "target" else f"Chain '{chain.name}'"
                raise RigError(
                    f"{what} hangs on chain '{other.name}', which is live: bake both at once (All Chains), or end its Live first"
                )
            if part:
                moved = moved_targets(chain, its)
                what = f"Target '{moved[0].name}'" if part == "target" else f"Armature '{rig.name}'"
                raise RigError(
                    f"{what} hangs on '{its.rig.name}', whose chain '{other.name}' is live: bake that one first, or end its Live"
                )
