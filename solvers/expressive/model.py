"""Poses of one skeleton for many configurations at once, with the directions that define their shape."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..goals import GazeError, GazeGoal
from ..kernel.binding import CompiledModel
from ..kernel.library import kernel
from ..kinematics.rotations import unit
from ..kinematics.skeleton import SHORTEST_LINK, Angles, Skeleton
from ..kinematics.tree import BASE, Frames
from .options import ExpressiveOptions
from .shape_directions import shape_directions

Indices = NDArray[np.intp]


class Poses:
    """Forward kinematics of m configurations, in the base frame, with their l shape directions.

    Attributes:
        angles: (m, n) [rad], prismatic joints [m].
        frames: Frames of the joints.
        axes: (m, n, 3) joint axes.
        directions: (m, l, 3) unit shape directions.
        slides: (m, l, n, 3) [1/m] derivative of the directions by prismatic joints; None if no direction ends
            at one.
    """

    def __init__(self, model: "Model", angles: Angles, frames: Frames) -> None:
        self.model, self.angles, self.frames, self.axes = model, angles, frames, frames.axes
        self.directions: Angles = (frames.nodes.take(model.carriers, -3)[..., :3, :3] @ model.vectors)[..., 0]
        self.slides = self._slide() if model.slid else None

    def pick(self, candidates: Indices) -> "Poses":
        """The configurations with the given indices."""
        return Poses(self.model, self.angles[candidates], self.frames.pick(candidates))

    def _slide(self) -> Angles:
        """Rotates the directions of links that end at prismatic joints by the joints' displacements; returns
        their derivatives by the joint values, `slides`.
        """
        directions = self.directions
        slides = np.zeros((*directions.shape[:2], self.angles.shape[1], 3))
        for row, k in self.model.slid:
            axis = self.axes[:, k]
            reached = directions[:, row] + self.angles[:, k, None] * axis
            size = np.maximum(np.sqrt((reached**2).sum(-1, keepdims=True)), SHORTEST_LINK)
            directions[:, row] = reached / size
            slides[:, row, k] = (
                axis - directions[:, row] * (axis * directions[:, row]).sum(-1, keepdims=True)
            ) / size
        return slides

    @property
    def whole(self) -> Angles:
        """Axes (m, k, 3) about which the shape rotates: first that of the base, unless the body is held, then
        the joints' `axes`.
        """
        return self.axes if self.model.options.hold_body else np.concatenate((self.axes[:, :1], self.axes), 1)

    def end_axes(self, end: int) -> Angles:
        """Axes (m, 3, 3) of an end: its X, Y and Z as columns."""
        axes: Angles = self.model.skeleton.tree.placed(self.frames, np.array([end]))[:, 0, :3, :3]
        return axes


class Rows:
    """An immutable, hashable copy of an array, such as configurations (m, n) [rad or m], for use in solver
    states.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = np.array(array)
        self.array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.array)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Rows)
            and self.array.shape == other.array.shape
            and self.array.tobytes() == other.array.tobytes()
        )

    def __hash__(self) -> int:
        return hash(self.array.tobytes())


class System(NamedTuple):
    """Quadratic model of a cost as a function of the joint angles."""

    matrix: Angles  # (m, n, n) Gauss-Newton Hessian
    descent: Angles  # (m, n) negative gradient


class Model:
    """One skeleton with its shape directions, and limits as arrays.

    Attributes:
        scale: (n,) movement of each joint that counts as one radian.
        shape: The shape directions.
        weights: (l,) weights of the shape directions, mean 1.
        weighted: (n, l) weight of each direction for joints that rotate it, otherwise 0.
        rooted: (l, k) square root of each direction's weight for axes of `Poses.whole` about which it
            rotates, otherwise 0.
        shared: (k, k) summed weights of the directions that both of two such axes rotate.
    """

    def __init__(self, skeleton: Skeleton, options: ExpressiveOptions | None = None) -> None:
        """Raises GazeError if `options` has link weights, but not one for each joint."""
        self.skeleton, self.options, self.scale = skeleton, options or ExpressiveOptions(), skeleton.units
        tree, n = skeleton.tree, len(skeleton)
        if len(self.options.link_weights) not in (0, n):
            raise GazeError(
                f"there are {len(self.options.link_weights)} link weights for {n} joints: give one for each,"
                " or none"
            )
        self.lower, self.upper = np.array(skeleton.lower), np.array(skeleton.upper)
        self.is_revolute: Angles = tree.is_revolute[:, 0]  # (n,) 1 for revolute joints, otherwise 0
        self.shape = shape = shape_directions(skeleton, self.options)
        self.slid = [(row, direction.slide) for row, direction in enumerate(shape) if direction.slide >= 0]
        self.carriers: Indices = tree.held[[direction.carrier for direction in shape]]
        self.vectors = np.array([each.vector if each.slide >= 0 else unit(each.vector) for each in shape])[
            :, :, None
        ]
        weights = np.array([direction.weight for direction in shape])
        self.weights = weights / weights.mean()
        carried = tree.moved_by[self.carriers, BASE:] * self.is_revolute
        self.weighted = (carried * self.weights[:, None]).T
        whole = carried if self.options.hold_body else np.column_stack([np.ones(len(shape)), carried])
        self.rooted = whole * np.sqrt(self.weights)[:, None]
        self.shared = self.rooted.T @ self.rooted

    @cached_property
    def compiled(self) -> CompiledModel | None:
        """This model in the compiled kernel; None if this machine has no kernel. Raises KernelError if the
        kernel does not support the skeleton.
        """
        library = kernel()
        return None if library is None else CompiledModel(library, self)

    def compiled_for(self, goal: GazeGoal) -> CompiledModel | None:
        """This model in the compiled kernel, for a goal; None if there is no kernel, or the kernel does not
        support an aim of the goal, which Python then solves.
        """
        return None if goal.numbers is None else self.compiled

    def turning_end(self, end: int) -> Angles:
        """(n,) 1 for joints that rotate an end, otherwise 0."""
        tree = self.skeleton.tree
        rotates_end: Angles = tree.moved_by[tree.carriers[end], BASE:] * self.is_revolute
        return rotates_end

    def poses(self, angles: Angles) -> Poses:
        """Forward kinematics for angles (m, n) [rad or m]."""
        return Poses(self, angles, self.skeleton.tree.forward(angles))
