"""Control bones of a rig and the bones that follow them, through parents and constraints."""

from collections.abc import Iterable

import bpy

from . import attached, constrained
from .constrained import COPYING, acts
from .joint_axes import free_axes

TRACKING = {"DAMPED_TRACK", "TRACK_TO", "LOCKED_TRACK"}


class Controls:
    """Bones of an armature object and the bones that they follow by their current constraints. A snapshot:
    make a new instance for each query.
    """

    def __init__(self, rig: bpy.types.Object) -> None:
        self.rig = rig
        self._leaders: dict[str, list[str]] = {}
        self._upstream: dict[str, list[str]] = {}

    def is_followed(self, name: str) -> bool:
        """Whether other bones move a bone, by constraints on the bone or on a bone between it and the nearest
        control above it.
        """
        bone = self.rig.pose.bones[name]
        while bone is not None and not self.is_control(bone.name):
            if constrained.moving_constraint(bone):
                return True
            bone = bone.parent
        return False

    def is_control(self, name: str) -> bool:
        """Whether an animator rotates the bone: it has several unlocked rotation axes, and by no constraint
        copies or tracks anything.
        """
        bone = self.rig.pose.bones[name]
        is_constrained = any(
            acts(constraint) and constraint.type in COPYING | TRACKING for constraint in bone.constraints
        )
        return not is_constrained and len(free_axes(bone)) >= constrained.CONTROL

    def leaders(self, name: str) -> list[str]:
        """The bones that a bone follows directly: those that it copies, or else the targets of the
        constraints that move it; and its parent, unless Copy Transforms replaces the parent's effect.
        """
        if name not in self._leaders:
            self._leaders[name] = self._find_leaders(name)
        return self._leaders[name]

    def _find_leaders(self, name: str) -> list[str]:
        bone = self.rig.pose.bones[name]
        copied, other_targets = [], []
        for constraint in filter(acts, bone.constraints):
            (copied if constraint.type in COPYING else other_targets).extend(self._targets(constraint))
        if not copied and constrained.moving_constraint(bone):
            # a constraint of another type moves the bone, such as one that keeps it between two others
            copied = other_targets
        parent = [bone.parent.name] if bone.parent and attached.copied(bone) is None else []
        return list(dict.fromkeys([*copied, *parent]))

    def _targets(self, constraint: bpy.types.Constraint) -> list[str]:
        targets = (
            [target for target in constraint.targets if target.weight]
            if constraint.type == "ARMATURE"
            else (constraint,)
        )
        names = (entry.subtarget for entry in targets if getattr(entry, "target", None) == self.rig)
        return [name for name in names if name in self.rig.pose.bones]

    def upstream(self, name: str) -> list[str]:
        """All bones that a bone follows, directly or through others, the nearest first."""
        if name not in self._upstream:
            visited, waiting = {name: None}, [name]
            while waiting:
                for leader in self.leaders(waiting.pop(0)):
                    if leader not in visited:
                        visited[leader] = None
                        waiting.append(leader)
            self._upstream[name] = list(visited)[1:]
        return self._upstream[name]

    def control_of(self, name: str, excluded: Iterable[str] = ()) -> str | None:
        """The nearest control that a bone follows, or the bone itself if it is a control; controls in
        `excluded` are skipped. None if no control moves the bone.
        """
        return next(
            (bone for bone in (name, *self.upstream(name)) if bone not in excluded and self.is_control(bone)),
            None,
        )

    def tracked_below(self, name: str) -> dict[str, str]:
        """Bones that follow a given bone and point at a third bone by a tracking constraint, as a dict from
        their names to the bone that they point at.
        """
        aims = {}
        for bone in self.rig.pose.bones:
            for constraint in bone.constraints:
                if constraint.type in TRACKING and acts(constraint) and name in self.upstream(bone.name):
                    for target in self._targets(constraint):
                        aims[bone.name] = target
        return aims
