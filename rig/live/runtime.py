"""Runtime state of live motion. It is never saved, and loading a file resets it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import bpy

from ...character.fixed_steps import FixedSteps
from ...inputs.speech import Speech
from ..blender.errors import RigError
from ..blender.presence import find
from ..bones import axes
from ..mechanisms import assembled
from ..mechanisms.owners import TYPES
from ..properties.chains import LimberChain
from ..scene.dependencies import depends_on_objects_alone, targets
from ..showing import mechanism_proxy
from ..showing import proxy as proxies
from .mechanism_session import MechanismSession
from .mover import Mover
from .movers import ChainMover, MechanismMover, live_of, movers_of
from .session import SceneSession
from .stage import SceneStage


class Signals(Protocol):
    """Values from one kind of sender, such as another program, that move objects of a scene while live motion
    runs.
    """

    def is_active(self, scene: bpy.types.Scene) -> bool:
        """Whether a value may still move something in the scene, so that live motion must continue."""

    def advance(self, scene: bpy.types.Scene, dt: float) -> bool:
        """Advances the values by `dt` [s] before a tick; returns whether a value has changed."""


signals: dict[str, Signals] = {}  # kind of sender ("remote", "trackers") -> its signals


@dataclass
class Member:
    """An armature object with a live body or live chains."""

    rig: bpy.types.Object
    proxy: bpy.types.Object | None  # proxy armature; None if live poses cannot be shown on the rig
    scenes: frozenset[int]  # session_uids of the scenes that contain the armature
    order: list[str]  # names of the proxy's bones, in the order of its pose

    @property
    def movers(self) -> list[Mover]:
        """The armature's live movers that the proxy shows: the body, then chains."""
        return [mover for mover in live_of(self.rig) if mover.is_on_rig]

    @property
    def names(self) -> list[str]:
        """Names of the existing bones that the armature's live movers move, without those that show bodies of
        a mechanism: these have the mechanism's poses.
        """
        bones, bodies = self.rig.pose.bones, assembled.bones(self.rig)
        moved = dict.fromkeys(name for mover in self.movers for name in mover.shown_bones)
        return [name for name in moved if name in bones and name not in bodies]

    @property
    def targets(self) -> dict[str, list[bpy.types.Object]]:
        """Bone of a live chain's first joint -> the chain's target objects, which must stay evaluated;
        without targets that could cause a dependency cycle: bones, and objects that have, or whose parents
        have, constraints, drivers, or a bone or vertices as parent.
        """
        chains = [chain for chain in self.rig.limber.chains if chain.live and chain.joints]
        return {
            chain.joints[0].bone: [
                target.obj
                for target in targets(chain)
                if not target.bone and depends_on_objects_alone(target.obj)
            ]
            for chain in chains
        }

    def is_in_line(self) -> bool:
        """Whether bones, joints, constraints and targets are unchanged since the last `sync`; always True for
        an armature that is linked or in Edit Mode.
        """
        if not exists(self.rig) or not self.rig.pose:
            return False
        if not can_show(self.rig) or self.rig.mode == "EDIT":
            return True
        return (
            exists(self.proxy)
            and bool(self.movers)
            and proxies.RIGS.is_attached(self.rig, proxies.holders(self.rig, self.names))
            and proxies.is_watching(self.proxy, self.targets)
        )


@dataclass
class Registry:
    """Registry of the live armatures and mechanisms and their proxies, as of the last `sync`."""

    members: list[Member] = field(default_factory=list)  # armatures with a live body or live chains
    mechanisms: dict[int, str] = field(default_factory=dict)  # owner's session_uid -> owner's name
    unread: dict[int, str] = field(default_factory=dict)  # owner's session_uid -> why it could not be read
    scenes: frozenset[int] = frozenset()  # session_uids of all scenes of the file
    counted: int = -1  # number of objects in the file after the last `sync`; -1 before the first

    def __iter__(self) -> Iterator[Member]:
        return (member for member in self.members if exists(member.rig))

    def movers_of_mechanisms(self, scene: bpy.types.Scene | None = None) -> list[Mover]:
        """All live mechanisms; with `scene`, those of that scene."""
        owners = [owner for uid, name in self.mechanisms.items() if (owner := find(name, uid)) is not None]
        return [
            MechanismMover(owner, owner.limber.mechanism)
            for owner in owners
            if scene is None or owner.name in scene.objects
        ]

    def sync(self) -> None:
        """Finds what is live in the file, attaches a proxy to each armature and mechanism, and removes
        proxies of others. Mechanisms that have not been read yet, such as after opening a file, are read.
        """
        self.mechanisms = {
            obj.session_uid: obj.name
            for obj in bpy.data.objects
            if obj.type in TYPES and obj.limber.mechanism.live and obj.library is None and obj.users_scene
        }
        assembled.drop_others(self.mechanisms)
        owners = [owner for owner, _ in self.movers_of_mechanisms()]
        if unread := [owner for owner in owners if assembled.stored(owner) is None]:
            self.show_authored()
            self._read(unread)
        self.sync_rigs()
        mechanism_proxy.discard_others(owners)
        for owner in owners:
            if (mechanism := assembled.stored(owner)) is not None:
                mechanism_proxy.attach(owner, mechanism.reading)

    def sync_rigs(self) -> None:
        """As `sync`, only for armatures with a live body or live chains; settings that name bones which were
        renamed are updated.
        """
        members = []
        for rig in proxies.rigs():
            if is_live(rig):
                member = Member(
                    rig, proxies.find(rig), frozenset(scene.session_uid for scene in rig.users_scene), []
                )
                members.append(member)
                if can_show(rig) and rig.mode != "EDIT":
                    # before `attach`, which replaces the old names in the constraints
                    _update_renamed(member)
                    member.proxy = proxies.attach(rig, member.names)
                    proxies.watch(member.proxy, member.targets)
                if member.proxy is not None:
                    member.order = [bone.name for bone in member.proxy.pose.bones]
            elif can_show(rig) and proxies.has_constraints(rig):
                proxies.detach(rig)
        self.members = members
        self.scenes = frozenset(scene.session_uid for scene in bpy.data.scenes)
        proxies.RIGS.discard_others([member.rig for member in members])

    def _read(self, owners: Sequence[bpy.types.Object]) -> None:
        """Reads mechanisms, and sets `unread` for those that cannot be read. Call it while the scene shows
        its authored pose.
        """
        self.unread = {}
        for owner in owners:
            try:
                assembled.store(owner, assembled.prepare(owner, bpy.context.evaluated_depsgraph_get()))
            except RigError as error:
                self.unread[owner.session_uid] = str(error)

    def show_authored(self) -> None:
        """Removes all proxies, and evaluates the scene, which then shows its authored pose."""
        self.clear()
        bpy.context.view_layer.update()

    @property
    def has_no_mechanism(self) -> bool:
        """Whether no mechanism was live at the last `sync`, and the number of objects is still the same."""
        return not self.mechanisms and len(bpy.data.objects) == self.counted

    def is_new(self, scene: bpy.types.Scene) -> bool:
        """Whether a scene was added since the last `sync`, for example as a copy of one with live movers."""
        return scene.session_uid not in self.scenes

    def has_lost(self) -> bool:
        """Whether a live armature or its proxy was deleted since the last `sync`."""
        return not all(
            exists(member.rig) and (member.proxy is None or exists(member.proxy)) for member in self.members
        )

    def is_in_line(self) -> bool:
        """Whether owners, bones, joints, constraints and targets are unchanged since the last `sync`."""
        return all(member.is_in_line() for member in self.members) and all(
            _is_attached(find(name, uid)) for uid, name in self.mechanisms.items()
        )

    def clear(self) -> None:
        """Removes all proxies, so that everything shows its authored pose."""
        self.members = []
        for rig in proxies.rigs():
            if can_show(rig) and proxies.has_constraints(rig):
                proxies.detach(rig)
        proxies.RIGS.discard_others(())
        mechanism_proxy.discard_others(())


def _is_attached(owner: bpy.types.Object) -> bool:
    """Whether a mechanism's owner exists and, if the mechanism could be read, its bodies copy the proxy."""
    if owner is None:
        return False
    mechanism = assembled.stored(owner)
    return mechanism is None or mechanism_proxy.is_attached(owner, mechanism.reading)


def is_live(rig: bpy.types.Object) -> bool:
    """Whether a mover on the armature is switched to live."""
    return any(mover.is_live and mover.is_on_rig for mover in movers_of(rig))


def can_show(rig: bpy.types.Object) -> bool:
    """Whether constraints can be added to the armature's bones, which is impossible for a linked armature."""
    return rig.library is None


def _update_renamed(member: Member) -> None:
    """Updates settings that refer to bones by name, after bones were renamed while live."""
    renamed = _renamed(member)
    if not renamed:
        return
    settings = member.rig.limber
    labels = {}  # old -> new labels of joints
    for chain in settings.chains:
        labels |= _rename_in_chain(chain, renamed)
    for pair in settings.retarget.pairs:
        if pair.target in renamed:
            # a new target clears `calibrated`
            was_calibrated, pair.name = pair.calibrated, renamed[pair.target]
            pair.target, pair.calibrated = pair.name, was_calibrated
    # channels refer to joints by their labels, so the labels are updated
    for channel in settings.device.channels:
        for share in channel.shares:
            share.joint = labels.get(share.joint, share.joint)


def _renamed(member: Member) -> dict[str, str]:
    """New names of renamed bones, by the old names, which the bones' constraints still contain."""
    renamed = {}
    for bone in member.rig.pose.bones:
        constraint = proxies.own(bone)
        if constraint and constraint.target == member.proxy and constraint.subtarget not in ("", bone.name):
            renamed[constraint.subtarget] = bone.name
    return renamed


def _rename_in_chain(chain: LimberChain, renamed: Mapping[str, str]) -> dict[str, str]:
    """Renames bones in a chain; returns the new labels of its joints by the old ones."""
    labels = {}
    chain.root, chain.end = renamed.get(chain.root, chain.root), renamed.get(chain.end, chain.end)
    for joint in chain.joints:
        new = renamed.get(joint.bone, joint.bone)
        labels[joint.label] = axes.label(new, joint.axis)
        joint.bone = new
    for end in chain.ends:
        end.bone = renamed.get(end.bone, end.bone)
    for lid in chain.eyes.lids:
        lid.bone = renamed.get(lid.bone, lid.bone)
    for settings in (chain, *chain.targets, *chain.ends):
        if settings.target == chain.id_data:
            settings.target_bone = renamed.get(settings.target_bone, settings.target_bone)
    return labels


def exists(obj: bpy.types.Object | None) -> bool:
    """Whether a reference to an object is still valid; False for None."""
    try:
        return obj is not None and bool(obj.name)
    except ReferenceError:
        return False


def show(owner: bpy.types.Object, session: MechanismSession) -> None:
    """Writes the poses of a mechanism's bodies to its proxy: the solved ones, or the authored ones before the
    first tick.
    """
    mechanism, shown = assembled.stored(owner), mechanism_proxy.MECHANISMS.find(owner)
    if mechanism is None or shown is None or not exists(shown):
        return
    if session.outputs is not None and session.assembled is mechanism:
        mechanism_proxy.write(shown, mechanism.reading, session.base, session.outputs.poses)
    else:
        mechanism_proxy.write(
            shown, mechanism.reading, mechanism.base, mechanism.model.solver.poses(mechanism.model.rest)
        )


@dataclass
class Runtime:
    """Runtime state: the live movers, their stages and proxies."""

    registry: Registry = field(default_factory=Registry)
    stage: SceneStage = field(default_factory=partial(SceneStage, isolates_defects=True))
    # stage whose poses the proxies show since the last frame change; None: `stage`
    shown: SceneStage | None = None
    # session_uids of scenes in which something is still moving, so that the clock must run
    moving: set[int] = field(default_factory=set)
    # session_uid of a scene -> wall time of its live motion while nothing plays
    steps: dict[int, FixedSteps] = field(default_factory=dict)
    suspended: bool = False  # whether live motion is switched off because a bake uses the scene
    must_sync: bool = False  # whether movers may have changed while Blender refused writes or rendered
    busy: bool = False  # whether Limber itself is writing, and so causes the depsgraph updates
    has_rendered: bool = False  # whether a render was running when a timer last checked
    rendering: SceneStage | None = None  # stage of the running render; None: there is none
    # session_uid of a scene -> events for its behaviour since the last tick
    events: dict[int, list[str]] = field(default_factory=dict)
    speech: Speech = field(default_factory=Speech)  # the character's speech while a behaviour is rehearsed

    @property
    def is_any(self) -> bool:
        """Whether any mover of the file is live."""
        return bool(self.registry.members or self.registry.mechanisms)

    def note_rest(self, scene: bpy.types.Scene, movers: list[Mover]) -> None:
        """Records whether any mover of a scene still moves."""
        if self.stage.is_at_rest(movers):
            self.moving.discard(scene.session_uid)
        else:
            self.moving.add(scene.session_uid)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Context manager that marks depsgraph updates as caused by Limber's own writes, so that no handler
        reacts to them.
        """
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before


# functions called with the scene and its depsgraph after each frame outside of renders, while takes are
# recorded or armatures follow robots; each removes itself at the end
after_frame: dict[Callable[[bpy.types.Scene, bpy.types.Depsgraph], object], None] = {}

_runtime = Runtime()


def current() -> Runtime:
    """The runtime state of live motion."""
    return _runtime


def forget() -> None:
    """Discards the runtime state, before Blender frees the data to which the state refers."""
    global _runtime
    _runtime.speech.close()
    _runtime = Runtime()


def are_signals_active(scene: bpy.types.Scene) -> bool:
    """Whether a value from a sender may still move something in the scene."""
    return any(sender.is_active(scene) for sender in signals.values())


def advance_signals(scene: bpy.types.Scene, dt: float) -> bool:
    """Advances all signals by `dt` [s]; returns whether something has changed and must be evaluated."""
    changes = [sender.advance(scene, dt) for sender in signals.values()]
    return any(changes)


def live_movers(scene: bpy.types.Scene | None = None) -> list[Mover]:
    """All live movers, or those of one scene: for each armature its body, then its chains; then
    mechanisms.
    """
    rig_movers = [
        mover
        for member in _runtime.registry
        if scene is None or scene.session_uid in member.scenes
        for mover in member.movers
    ]
    return rig_movers + _runtime.registry.movers_of_mechanisms(scene)


def live_chains(scene: bpy.types.Scene | None = None) -> list[Mover]:
    """All live chains, or those of one scene."""
    return [mover for mover in live_movers(scene) if isinstance(mover, ChainMover)]


def session(owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> SceneSession:
    """The session of a mover on the live stage, given its owner object and its settings."""
    return _runtime.stage.session(owner, settings)
