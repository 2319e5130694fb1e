"""The chain of virtual unit links that ERIK sees in a skeleton (sections 3.4, 3.5, 3.8).

All frames are rotated so that at zero angles every one of them, and the tool's, is the same: rest transforms
vanish, the end's segment is +Y, and the target of the virtual chain is the tool's target, rotated in the same
way. Links have unit length regardless of the real lengths, so joints that share a position are no special
case, and only the directions of links are needed.
"""

from collections.abc import Sequence

from ..kinematics.rotations import (
    IDENTITY,
    Quaternion,
    Vector,
    Y,
    conjugate,
    length,
    multiply,
    rotate,
    subtract,
    unit,
)
from ..kinematics.skeleton import SHORTEST_LINK, Skeleton, SkeletonError
from .joint_model import JointModel


class VirtualChain:
    """Joint models, starting at the root, and their relation to the skeleton.

    Attributes:
        models: One for each revolute joint of the skeleton.
        turning: Indices of these joints in the skeleton.
        to_virtual: Rotation that converts directions and orientations from the base frame to the virtual one,
            by multiplication from the left.
        end_is_twister: Whether the last of these joints is a twister.
        shapeless: Indices, in `models`, of twisters at the root and the end, which do not affect the shape.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        """Raises SkeletonError if the skeleton has no revolute joint."""
        self.turning = [k for k, joint in enumerate(skeleton.joints) if joint.kind == "revolute"]
        if not self.turning:
            raise SkeletonError(
                "no joint of the chain is revolute: unlock a rotation axis of one of the bones"
            )
        rest = skeleton.forward([0.0] * len(skeleton))
        self.to_virtual = conjugate(rest.tool_rotation)
        axes = [rotate(self.to_virtual, skeleton.world_axes(rest)[k]) for k in self.turning]
        positions = [rest.positions[k] for k in self.turning]
        segments = self._segments(positions, axes)
        parents = [segments[0], *segments[:-1]]  # the root's parent is its own segment at rest (eq. 21)
        self.models = [
            JointModel(axis, segment, parent, skeleton.lower[k], skeleton.upper[k])
            for axis, segment, parent, k in zip(axes, segments, parents, self.turning, strict=True)
        ]
        self.end_is_twister = self.models[-1].is_twister
        self.shapeless = {0, len(axes) - 1} & {i for i, model in enumerate(self.models) if model.is_twister}

    def _segments(self, positions: list[Vector], axes: list[Vector]) -> list[Vector]:
        """Directions of the links at rest, each to the next joint at another position; that of the end is
        along the tool's Y.
        """
        segments = [Y]
        for k in range(len(positions) - 2, -1, -1):
            link = subtract(positions[k + 1], positions[k])
            segments.append(
                unit(rotate(self.to_virtual, link)) if length(link) > SHORTEST_LINK else segments[-1]
            )
        return segments[::-1]

    def __len__(self) -> int:
        return len(self.models)

    def target(self, tool_target: Quaternion) -> Quaternion:
        """The target of the virtual end for an orientation of the tool in the base frame."""
        return multiply(self.to_virtual, tool_target)

    def bases(self, angles: Sequence[float]) -> list[Quaternion]:
        """World bases (n + 1,) for angles (n,) [rad]: those of the links, then that of the paper's
        Superpoint, which is the end's frame after its rotation (eq. 18, 24).
        """
        bases = [IDENTITY]
        for model, angle in zip(self.models, angles, strict=True):
            bases.append(multiply(bases[-1], model.rotation(angle)))
        return bases
