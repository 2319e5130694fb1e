"""Baking a mechanism: the same tick as live, frame by frame, to keys on new actions of its bodies, and of its motors' values."""

import bpy
from mathutils import Matrix

from ..blender import actions
from ..blender.errors import RigError
from ..blender.identity import find
from ..live import live as chains_live
from ..live import mechanisms
from ..live.stage import Stage
from ..properties.frame_range import bake_range
from ..reading.mechanism import assembled
from ..reading.mechanism import channels as authored
from ..reading.mechanism.parents import refuse_unknown
from ..reading.mechanism.reading import Reading
from ..showing import mechanism_proxy
from . import muting
from .chain_bake import baked_action, refuse_what_would_hide_keys
from .stepped import Stepped


class MechanismBake(Stepped):
    """A bake of one mechanism over a range of frames, one frame a step. Nothing is written before `finish`.

    What else is live moves along as it does live, so a body that hangs on a chain drives the mechanism in the bake as well.

    Raises:
        RigError: the range is empty, or the mechanism cannot be read or assembled.
    """

    def __init__(self, context, owner) -> None:
        kept = owner.limber.mechanism
        self.owner, self.kept = owner, kept
        self.start, self.end = bake_range(kept, context.scene)
        if self.end < self.start:
            raise RigError(f"The range to bake ends at frame {self.end}, before it starts at {self.start}: exchange the two")
        others = [pair for pair in chains_live.live_movers(context.scene) if pair[0] != owner or pair[1].uid != kept.uid]
        self.pairs = [*others, (owner, kept)]
        self.stage = Stage()
        made = assembled.kept(owner) if kept.live else None
        session = self.stage.session(owner, kept)
        session.take(made or mechanisms.prepare(owner))
        for thing in self._written(session.reading):
            refuse_what_would_hide_keys(thing)
        refuse_unknown([part for _, part in mechanism_proxy.movers(session.reading)])
        self.reading = session.reading
        self.frames: list[int] = []
        self.values: list[tuple[float, ...]] = []
        self.channels: dict[tuple, list[list[float]]] = {}  # (place among what moves, channel) -> numbers of every frame
        self.held: dict[int, str] = {}  # frames in which the targets could not be followed, and why
        super().__init__(context.scene)

    @property
    def total(self) -> int:
        return self.end - self.start + 1

    @property
    def done(self) -> int:
        return len(self.frames)

    @property
    def frame(self) -> int:
        """The one that comes next."""
        return self.start + len(self.frames)

    def step(self) -> bool:
        """Bakes one frame; returns whether there are more.

        Raises:
            RigError: the set-up cannot be solved.
        """
        frame = self.frame
        self.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        dt = self.seconds_a_frame if self.frames else 0.0
        self.stage.advance(self.pairs, depsgraph, dt)
        session = self.stage.session(self.owner, self.kept)
        if session.outputs is None:
            raise RigError(f"Frame {frame}: {session.problem}")
        if session.problem or session.remark:
            self.held[frame] = session.problem or session.remark
        self.values.append(session.outputs.values)
        placement = self.stage.placement(self.pairs, depsgraph)
        authored.place(session.reading, session.base, session.outputs.poses, placement)
        for k, (_, part) in enumerate(mechanism_proxy.movers(session.reading)):
            self._note(k, part, authored.basis(part, placement))
        self.frames.append(frame)
        return len(self.frames) < self.total

    def _note(self, k: int, part, matrix: Matrix) -> None:
        has = authored.holder(part)
        self.channels.setdefault((k, "location"), []).append(authored.location_numbers(has, matrix))
        turns = self.channels.setdefault((k, authored.rotation_channel(has)), [])
        turns.append(authored.rotation_numbers(has, matrix, turns[-1] if turns else None))

    def _written(self, reading: Reading) -> list:
        """Objects that get keys."""
        things = [find(part.thing, part.uid) for _, part in mechanism_proxy.movers(reading)]
        return list({thing.session_uid: thing for thing in [*things, *([self.owner] if self.kept.motors else [])]}.values())

    def mute_drivers(self) -> list[str]:
        """Mutes the drivers of baked channels, which would win over the keys; returns what they drive."""
        return [label for thing, found in self._curves() for label in muting.mute_drivers(thing, found)]

    def mute_constraints(self) -> list[str]:
        """Mutes the constraints of what gets keys, which would act on top of them; returns their names and whose they are."""
        muted = []
        for k, (_, part) in enumerate(mechanism_proxy.movers(self.reading)):
            has = authored.holder(part)
            turns = self.channels[k, authored.rotation_channel(has)]
            for held in muting.in_the_way(has, self.channels[k, "location"], turns):
                muting.mute(held)
                muted.append(f"'{held.name}' of '{has.name}'")
        return muted

    def finish(self) -> list[bpy.types.Action]:
        """Writes the keys; live ends, and the bodies play what was baked. Returns the new actions."""
        if self.kept.live:
            mechanisms.stop(self.owner)
        made = [self._write(thing, found) for thing, found in self._curves()]
        self._end()
        return made

    def _curves(self) -> list[tuple]:
        """Objects that get keys, each with its channels: path, index, group, numbers."""
        curves: dict[int, tuple] = {}  # by session_uid
        for (k, channel), rows in self.channels.items():
            _, part = mechanism_proxy.movers(self.reading)[k]
            has = authored.holder(part)
            thing = has.id_data
            path = has.path_from_id(channel) if part.bone else channel
            _, found = curves.setdefault(thing.session_uid, (thing, []))
            found += [(path, index, part.bone or "Object Transforms", list(column)) for index, column in enumerate(zip(*rows, strict=True))]
        if self.kept.motors:
            _, found = curves.setdefault(self.owner.session_uid, (self.owner, []))
            columns = zip(*self.values, strict=True)
            found += [(f"limber.mechanism.motors[{k}].value", 0, "Motors", list(column)) for k, column in enumerate(columns)]
        return list(curves.values())

    def _write(self, thing, channels: list[tuple]) -> bpy.types.Action:
        action, handle, curves = baked_action(thing)
        for path, index, group, numbers in channels:
            actions.bake_keys(curves, path, index, group, self.frames, numbers)
        for _, part in mechanism_proxy.movers(self.reading):
            if part.uid == thing.session_uid:
                muting.mute_switches(authored.holder(part), curves)
        actions.assign(thing, action, handle)
        return action

    def _put_back(self) -> None:
        chains_live.suspend(False)  # what is live still follows to the frame
        super()._put_back()
