"""One whole-body solver in the compiled kernel: arrays are prepared once, so a call takes microseconds."""

import ctypes
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import BASE, Indices
from ..whole_body.body import Body
from .library import Count, Kernel, Pointer, Real, check
from .structures import Buffer, frame_numbers

Flags = np.typing.NDArray[np.int8]


class _Body(ctypes.Structure):
    """`struct limber_body`."""

    _fields_ = [
        *((name, Count) for name in ("joints", "turning", "placed", "floating")),
        *(
            (name, Pointer)
            for name in (
                "parents",
                "prismatic",
                "rows",
                "rests",
                "axes",
                "lower",
                "upper",
                "turning_joints",
                "turning_ends",
                "placed_joints",
                "placed_ends",
            )
        ),
    ]


class _Step(ctypes.Structure):
    """`struct limber_body_step`."""

    _fields_ = [
        ("body", Pointer),
        ("workspace", Pointer),
        ("workspace_bytes", ctypes.c_size_t),
        *(
            (name, Pointer)
            for name in (
                "joints",
                "base",
                "least",
                "most",
                "turns",
                "places",
                "spins",
                "speeds",
                "turn_weights",
                "weights",
                "turn_shares",
                "shares",
                "posture",
            )
        ),
        *((name, Real) for name in ("dt", "acceleration", "damping", "damping_by_error", "pull")),
        *((name, Count) for name in ("has_spins", "has_speeds", "corrects")),
        *((name, Pointer) for name in ("moved", "frames", "sides", "lost")),
        *((name, Count) for name in ("rounds", "stopped")),
    ]


class Stepped(NamedTuple):
    """Result of a step: n joints, k orientation targets and p position targets."""

    joints: Array  # (n,)
    base: Array  # (12,) rotation, row by row, and position
    velocity: Array  # (6 + n,)
    nodes: Array  # (1 + n, 4, 4) as in `tree.Frames`
    sides: Flags  # (6 + n,)
    lost: Flags  # (k + p,)
    rounds: int
    stopped: bool


class CompiledBody:
    """A body with the links that have targets, and the buffers of its steps; for one thread at a time."""

    def __init__(self, kernel: Kernel, body: Body, turning: Indices, placed: Indices) -> None:
        """Links `turning` (k,) have orientation targets, links `placed` (p,) position targets."""
        self.kernel, n, k, p = kernel, len(body), len(turning), len(placed)
        arrays: dict[str, np.typing.NDArray[np.generic]] = {
            "parents": np.array(body.parents, np.int32),
            "prismatic": body.slides.astype(np.int32),
            "rows": body.held.astype(np.int32),
            "rests": frame_numbers(body.rests),
            "axes": np.ascontiguousarray(body.axes[:, :, 0]),
            "lower": np.ascontiguousarray(body.lower),
            "upper": np.ascontiguousarray(body.upper),
            "turning_joints": body.carrying[turning].astype(np.int32),
            "turning_ends": frame_numbers(body.ends[turning]),
            "placed_joints": body.carrying[placed].astype(np.int32),
            "placed_ends": frame_numbers(body.ends[placed]),
        }
        described = _Body(
            joints=n,
            turning=k,
            placed=p,
            floating=body.floating,
            **{name: array.ctypes.data for name, array in arrays.items()},
        )
        size, work = (
            count(ctypes.byref(described)) for count in (kernel.body_bytes, kernel.body_workspace_bytes)
        )
        self._memory, self._workspace = Buffer(size // 8 + 1), Buffer(work // 8 + 1)
        check(kernel.body(self._memory.address, size, ctypes.byref(described)))
        shapes = {
            "joints": (n,),
            "base": (12,),
            "least": (n,),
            "most": (n,),
            "turns": (k, 3, 3),
            "places": (p, 3),
            "spins": (k, 3),
            "speeds": (p, 3),
            "turn_weights": (k,),
            "weights": (p,),
            "turn_shares": (k,),
            "shares": (p,),
            "posture": (n,),
            "moved": (2 * n + 12 + BASE,),
            "frames": (1 + n, 4, 4),
        }
        self._buffers = {name: Buffer(*shape) for name, shape in shapes.items()}
        self.inputs = {name: buffer.array for name, buffer in self._buffers.items()}
        self._sides, self._lost = np.zeros(BASE + n, np.int8), np.zeros(k + p + 1, np.int8)
        self.settings = _Step(
            body=self._memory.address,
            workspace=self._workspace.address,
            workspace_bytes=work,
            sides=self._sides.ctypes.data,
            lost=self._lost.ctypes.data,
            **{name: buffer.address for name, buffer in self._buffers.items()},
        )
        self._address = ctypes.addressof(self.settings)
        self._n, self._targets = n, k + p

    def step(self, sides: Flags) -> Stepped:
        """One step from the inputs and the settings, with bounds `sides` (6 + n,) active before it."""
        self._sides[:] = sides
        check(self.kernel.body_step(self._address))
        moved, n = self.inputs["moved"].copy(), self._n
        return Stepped(
            moved[:n],
            moved[n : n + 12],
            moved[n + 12 :],
            self.inputs["frames"].copy(),
            self._sides.copy(),
            self._lost[: self._targets],
            self.settings.rounds,
            bool(self.settings.stopped),
        )
