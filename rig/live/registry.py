"""Which rigs are live now, each with its proxy, kept in line with what their movers say of themselves.

References to objects last from one `Registry.sync` to the next; undo, redo and loading make them invalid, and then it is due.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..reading import axes, mimic
from ..reading.body import pairing
from ..reading.dependencies import followers, hangs_on_objects_alone, targets
from ..reading.mechanism import assembled
from ..showing import proxy as proxies
from .mover import Mover
from .movers import live_of, movers_of


@dataclass
class Member:
    """One armature object with a live body or live chains."""

    rig: bpy.types.Object
    proxy: bpy.types.Object | None  # None: the rig cannot show anything
    scenes: frozenset[int]  # session_uids of those in which it is
    order: list[str]  # names of the proxy's bones, in its order

    @property
    def chains(self) -> list:
        return [chain for chain in self.rig.limber.chains if chain.live]

    @property
    def movers(self) -> list[Mover]:
        """What is live and shown by the proxy: the body, then chains."""
        return [mover for mover in live_of(self.rig) if mover.is_on_rig]

    @property
    def names(self) -> list[str]:
        """The bones that its live chains and its retarget move, as far as they exist."""
        bones, chains = self.rig.pose.bones, self.chains
        moved = []
        if self.rig.limber.retarget.live:
            moved += [*pairing.bones(self.rig, self.rig.limber.retarget), *dict.fromkeys(bone for bone, _ in mimic.driven(self.rig))]
        moved += [joint.bone for chain in chains for joint in chain.joints if joint.bone in bones]
        moved += [follower.bone for chain in chains for follower in followers(chain)]
        bodies = assembled.bones(self.rig)  # these are shown where the mechanism has them
        return [name for name in dict.fromkeys(moved) if name not in bodies]

    @property
    def targets(self) -> dict[str, list[bpy.types.Object]]:
        """Bone of the proxy -> targets to keep evaluated. Where one depends on bones or on a skin, that could make a cycle."""
        return {chain.joints[0].bone: list(filter(hangs_on_objects_alone, targets(chain))) for chain in self.chains if chain.joints}


class Registry:
    """The live rigs, as of the last `sync`."""

    def __init__(self) -> None:
        self.members: list[Member] = []

    def __iter__(self) -> Iterator[Member]:
        return (member for member in self.members if exists(member.rig))

    def sync(self) -> None:
        """Finds the live rigs of the file, gives each its proxy, and takes away what is left of others."""
        members = []
        for rig in proxies.rigs():
            if is_live(rig):
                member = Member(rig, proxies.find(rig), frozenset(scene.session_uid for scene in rig.users_scene), [])
                members.append(member)
                if can_show(rig) and rig.mode != "EDIT":  # bones renamed there would lose their pose with a new constraint
                    _heal_renamed(member)
                    self._attach(member)
                if member.proxy is not None:
                    member.order = [bone.name for bone in member.proxy.pose.bones]
            elif can_show(rig) and proxies.has_constraints(rig):
                proxies.detach(rig)
        self.members = members
        proxies.discard_others([member.proxy for member in members if member.proxy])

    def has_lost(self) -> bool:
        """Whether a rig or its proxy was deleted since the last `sync`."""
        return not all(exists(member.rig) and (member.proxy is None or exists(member.proxy)) for member in self.members)

    def is_in_line(self) -> bool:
        """Whether bones, joints and constraints are still as they were at the last `sync`."""
        for member in self.members:
            if not exists(member.rig) or not member.rig.pose:
                return False
            if can_show(member.rig) and member.rig.mode != "EDIT":
                if not exists(member.proxy) or not member.movers or not proxies.is_attached(member.rig, member.proxy, member.names):
                    return False
                proxies.watch(member.proxy, member.targets)
        return True

    def clear(self) -> None:
        """Every rig of the file shows what is authored, and no proxy is left."""
        self.members = []
        for rig in proxies.rigs():
            if can_show(rig) and proxies.has_constraints(rig):
                proxies.detach(rig)
        proxies.discard_others([])

    def _attach(self, member: Member) -> None:
        rig, names = member.rig, member.names
        if member.proxy is None or [bone.name for bone in member.proxy.pose.bones] != names:
            member.proxy = proxies.build(rig, names)
        if not proxies.is_attached(rig, member.proxy, names):
            proxies.attach(rig, member.proxy)
        proxies.watch(member.proxy, member.targets)


def is_live(rig) -> bool:
    """Whether a chain of the rig, or its body, says that it is live."""
    return any(mover.is_live and mover.is_on_rig for mover in movers_of(rig))


def can_show(rig) -> bool:
    """Whether constraints can be put on the rig's bones: a linked rig is another file's own."""
    return rig.library is None


def _heal_renamed(member: Member) -> None:
    """A bone renamed while live still has its constraint, with its old name in it: the chains learn the new one."""
    renamed = {}
    for bone in member.rig.pose.bones:
        constraint = proxies.own(bone)
        if constraint and constraint.target == member.proxy and constraint.subtarget and constraint.subtarget != bone.name:
            renamed[constraint.subtarget] = bone.name
    if not renamed:
        return
    labels = {}
    for chain in member.rig.limber.chains:
        chain.root, chain.end = renamed.get(chain.root, chain.root), renamed.get(chain.end, chain.end)
        for joint in chain.joints:
            new = renamed.get(joint.bone, joint.bone)
            labels[axes.label(joint.bone, joint.axis)] = axes.label(new, joint.axis)
            joint.bone = new
        for end in chain.ends:
            end.bone = renamed.get(end.bone, end.bone)
    for pair in member.rig.limber.retarget.pairs:
        if pair.target in renamed:
            was_known, pair.name = pair.calibrated, renamed[pair.target]
            pair.target, pair.calibrated = pair.name, was_known
    for channel in member.rig.limber.device.channels:  # further servos know their joints by name
        for share in channel.shares:
            share.joint = labels.get(share.joint, share.joint)


def exists(thing) -> bool:
    try:
        return thing is not None and bool(thing.name)
    except ReferenceError:
        return False
