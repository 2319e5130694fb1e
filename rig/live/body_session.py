"""What is known of one retarget from tick to tick: the evaluated scene is read, the body solved. Nothing of it is saved."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ...character.body.feet import Foot
from ...character.body.tick import NOWHERE, BodyState, Model, Outputs, Wanted, make_model, tick
from ...solvers.skeleton import SkeletonError
from ...solvers.whole_body.limits import Limits
from ...solvers.whole_body.targets import Target, TargetError
from ..blender.errors import RigError
from ..reading.body import pairing, soles, source
from ..reading.body.columns import columns_of, values_of
from ..reading.body.links import BodyReader, Held
from ..reading.body.pairing import Linked
from ..reading.channels import Channel
from ..reading.moving import Moving, Place
from ..reading.placement import Placement
from ..reading.skeleton import Followed

UP = np.array((0.0, 0.0, 1.0))

SETUP_ERRORS = (RigError, SkeletonError, TargetError, ValueError)


class _Asked(NamedTuple):
    """What a tick is asked for."""

    model: Model
    wanted: Wanted
    held: Held


@dataclass
class BodySession(Moving):
    """As a chain's session, of a whole body."""

    linked: Linked | None = None
    linked_key: tuple = ()
    reader: BodyReader | None = None
    reader_key: tuple = ()
    model: Model | None = None
    model_key: tuple = ()
    feet: tuple[Foot, ...] = ()
    feet_key: tuple = ()
    asked: _Asked | None = None
    state: BodyState | None = None
    outputs: Outputs | None = None
    shown: dict[str, Followed] = field(default_factory=dict)  # channels of the bones that follow
    is_broken: bool = False  # the set-up could not be read

    def values(self) -> dict[Place, float]:
        if self.outputs is None or self.reader is None:
            return {}
        return dict(zip(self.reader.places, self.outputs.state.joints.tolist(), strict=True))

    def keys(self, mover, placement, before) -> dict[Channel, float]:
        rig, columns = mover.owner, columns_of(mover.owner, self.reader)
        own = rig.name, rig.session_uid
        last = {column: before[Channel(*own, *column)] for column in columns if Channel(*own, *column) in before}
        return {Channel(*own, *column): value for column, value in values_of(rig, self, columns, last).items()}

    def advance(self, rig, retarget, placement: Placement, dt: float, is_dirty: bool) -> None:
        """One tick. Reads only what the depsgraph has evaluated; the outcome is in the session."""
        self.problem, self.is_broken = "", False
        try:
            asked = self.asked = self._read(rig, retarget, placement, is_dirty)
        except SETUP_ERRORS as error:
            self.problem, self.is_broken = str(error), True
            if self.asked is None or self.state is None:
                return
            asked = self.asked  # it comes to rest where it was going
        self.outputs, self.state = tick(asked.model, asked.wanted, self.state, dt)
        if pairing.is_streamed(retarget):
            self.outputs = replace(self.outputs, at_rest=False)  # more may come at any time
        if self.outputs.lost and not self.problem:
            named = ", ".join(f"'{name}'" for name in self.outputs.lost)
            why = "the source's bones are scaled to nothing or are not numbers"
            if pairing.is_streamed(retarget):
                why = "nothing comes for their sources, or it is no rotation"
            self.problem = f"{named} have no target in this frame and move freely: {why}"
        self.shown = self.reader.channels(rig, placement, asked.held, self.outputs.state)
        # A body is where it is going, as far as chains on it are concerned.
        self.channels = self.going = {name: (pose.rotation, pose.location, pose.scale) for name, pose in self.shown.items()}

    def differs(self, rig, retarget, placement: Placement, is_dirty: bool) -> bool:
        """Whether there is something new to follow, or the set-up became right or wrong, since the last tick."""
        before = self.asked
        try:
            asked = self._read(rig, retarget, placement, is_dirty)
        except SETUP_ERRORS as error:
            return str(error) != self.problem
        return (
            self.is_broken
            or before is None
            or asked.model is not before.model
            or asked.held != before.held
            or not asked.wanted.equals(before.wanted)
        )

    def _read(self, rig, retarget, placement: Placement, is_dirty: bool) -> _Asked:
        """What is to be done now.

        Raises:
            RigError, SkeletonError, TargetError: the set-up cannot be used.
        """
        depsgraph = placement.depsgraph
        evaluated = rig.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise RigError(f"Armature '{rig.name}' is hidden or in no visible collection: show it, Blender does not evaluate it otherwise")
        linked = self._linked(rig, retarget, depsgraph, is_dirty)
        self._update_reader(rig, linked, evaluated, is_dirty)
        held = self.reader.held(evaluated.pose.bones)
        self._update_model(rig, retarget, linked, held)
        return _Asked(self.model, self._wanted(rig, retarget, linked, placement), held)

    def _linked(self, rig, retarget, depsgraph, is_dirty: bool) -> Linked:
        """The pairs; checked anew where any of them, or bones, may have changed."""
        if pairing.is_streamed(retarget):
            key = (retarget.input, *pairing.settings(retarget))
        else:
            thing = pairing.source_of(rig, retarget)
            pairing.check_source(rig, thing, depsgraph)
            key = (thing.session_uid, thing.data.name, *pairing.settings(retarget))
        if self.linked is None or self.linked_key != key or is_dirty:
            self.linked = None
            self.linked = pairing.linked(rig, retarget)
            self.linked_key = key
        return self.linked

    def _update_reader(self, rig, linked: Linked, evaluated, is_dirty: bool) -> None:
        key = (rig.data.name, linked.base, linked.targets, linked.paired_only)
        if self.reader is not None and self.reader_key == key and not is_dirty and not self.reader.is_outdated(evaluated.pose.bones):
            return
        reader = BodyReader(rig, linked.base, linked.targets, linked.paired_only)
        self.reader_key = key
        if reader == self.reader:
            return
        before, self.reader = self.reader, reader
        self.model_key = ()
        if before is None or before.places != reader.places or before.base != reader.base:
            self.model = self.asked = self.outputs = None
            self.shown, self.channels, self.going = {}, {}, {}
            self.restart()

    def _update_model(self, rig, retarget, linked: Linked, held: Held) -> None:
        limits = Limits(velocity=retarget.velocity or None, acceleration=retarget.acceleration or None)
        if self.feet_key != (self.reader, linked.feet):
            self.feet = soles.read(rig, self.reader.names, linked.feet)
            self.feet_key = (self.reader, linked.feet)
        key = (held, linked.weights, linked.levels, linked.floating, linked.planted, limits, retarget.gain)
        if self.model is not None and self.model_key == key:
            return
        body = self.reader.body(held, linked.floating)
        links = [
            Target(name, weight=weight, level=level)
            for name, weight, level in zip(linked.targets, linked.weights, linked.levels, strict=True)
        ]
        self.model = make_model(body, links, linked.base, limits, retarget.gain, self.feet)
        self.model_key = key
        if self.state is not None and len(self.state.wanted.rotation) != len(links):
            self.restart()

    def _wanted(self, rig, retarget, linked: Linked, placement: Placement) -> Wanted:
        """The source's pose as the target's, in its armature's space."""
        origin = np.zeros(3)
        if pairing.is_streamed(retarget):
            turns, places = pairing.stream_of(retarget).posed(linked.sources)
        else:
            turns, places = source.posed(retarget.source, linked.sources, placement.depsgraph)
            origin = np.array(source.evaluated(retarget.source, placement.depsgraph).matrix_world.translation, float)
        turns = turns @ linked.offsets
        world = np.array(placement.object(rig), float)
        to_armature = np.linalg.inv(world)
        still = source.nearest(to_armature[None, :3, :3])[0]
        frame = np.array(self.reader.base_pose(rig, placement), float)
        frame[:3, :3] = source.nearest(frame[None, :3, :3])[0]
        base = frame[:3, 3]
        shift = np.array(retarget.shift, float)
        anchor = np.array((world[0, 3], world[1, 3], origin[2])) + shift
        places = anchor + retarget.scale * (places - origin)
        feet = places[[k for k, plants in enumerate(linked.planted) if plants]]
        floor_up, floor_height = NOWHERE, np.nan
        if linked.floating and retarget.on_floor and retarget.foot_heights_known:
            floor_up = world[:3, :3].T @ UP
            size = float(np.linalg.norm(floor_up))
            floor_up /= size
            floor_height = float(floor_up @ (to_armature[:3, :3] @ (anchor[2] * UP) + to_armature[:3, 3]))
            feet[:, 2] -= anchor[2] + retarget.scale * retarget.source_foot_height
            places[:, 2] += retarget.foot_height * size - retarget.scale * retarget.source_foot_height
        base_known = linked.floating and bool(np.isfinite(told := places[linked.targets.index(linked.base)]).all())
        if base_known:
            base = to_armature[:3, :3] @ told + to_armature[:3, 3]
        return Wanted(still @ turns, base, frame, feet, floor_up, floor_height, base_known)
