"""A whole-body solver in the compiled kernel; arrays are prepared once, so that a call takes microseconds."""

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import BASE, LINEAR, Indices
from ..whole_body.body import Body
from ..whole_body.targets import Contact
from .library import Count, Kernel, Pointer, Real, check
from .structures import Buffer, frame_numbers

Flags = np.typing.NDArray[np.int8]
Counts = np.typing.NDArray[np.int32]


class _Body(ctypes.Structure):
    """Memory layout of `struct limber_body` for ctypes."""

    _fields_ = [
        *(
            (name, Count)
            for name in ("joints", "turning", "placed", "couplings", "levels", "contacts", "floating")
        ),
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
                "turning_levels",
                "placed_levels",
                "coupling_factors",
                "coupling_lower",
                "coupling_upper",
            )
        ),
    ]


class _Step(ctypes.Structure):
    """Memory layout of `struct limber_body_step` for ctypes."""

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
        *(
            (name, Pointer)
            for name in (
                "contact_joints",
                "contact_ends",
                "contact_places",
                "contact_turns",
                "contact_turned",
            )
        ),
        *((name, Count) for name in ("contacts", "most_rounds", "has_spins", "has_speeds", "corrects")),
        *((name, Pointer) for name in ("moved", "frames", "sides", "lost", "forces", "yielded")),
        *((name, Count) for name in ("rounds", "stopped")),
    ]


class BodyStep(NamedTuple):
    """Result of a step, with n joints, k orientation targets and p position targets."""

    joints: Array  # (n,) [rad or m] joint values
    base: Array  # (12,) rotation, row by row, and position [m]
    velocity: Array  # (6 + n,) velocities of the base [m/s, rad/s] and of the joints [rad/s or m/s]
    nodes: Array  # (1 + n, 4, 4) frames of the base and the joints, as in `tree.Frames`
    sides: Flags  # (6 + n,) active bounds: -1 lower, 1 upper, 0 none
    lost: Flags  # (k + p,) whether each target lacks a value
    forces: Array  # (r,) multipliers of couplings and contacts
    yielded: Flags  # (r,) whether each of these constraints is violated
    rounds: int
    stopped: bool


class CompiledBody:
    """A body with the links that have targets, and the buffers of its steps; only one thread at a time may
    use it.

    Attributes:
        inputs: The arrays of `struct limber_body_step` by the names of its fields.
        settings: The other fields of that structure.
    """

    def __init__(
        self,
        kernel: Kernel,
        body: Body,
        links: tuple[Indices, Indices],
        levels: tuple[Counts, Counts],
        most_contacts: int,
    ) -> None:
        """Buffers for a body.

        Args:
            kernel: The library.
            body: The body.
            links: Indices of the links (k,) with orientation targets, and (p,) with position targets.
            levels: Their priority levels (k,) and (p,), 0 first.
            most_contacts: Largest number of contacts of a step.
        """
        turning, placed = links
        n, k, p, c, q = len(body), len(turning), len(placed), len(body.couplings), most_contacts
        self.kernel, self.body, self.most_contacts = kernel, body, most_contacts
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
            "turning_levels": levels[0],
            "placed_levels": levels[1],
            "coupling_factors": np.ascontiguousarray(body.couplings.matrix),
            "coupling_lower": np.ascontiguousarray(body.couplings.lower),
            "coupling_upper": np.ascontiguousarray(body.couplings.upper),
        }
        described = _Body(
            joints=n,
            turning=k,
            placed=p,
            couplings=c,
            levels=1 + max((int(level.max(initial=0)) for level in levels), default=0),
            contacts=q,
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
            "contact_ends": (q, 12),
            "contact_places": (q, 3),
            "contact_turns": (q, 3, 3),
            "forces": (c + BASE * q,),
            "moved": (2 * n + 12 + BASE,),
            "frames": (1 + n, 4, 4),
        }
        self._buffers = {name: Buffer(*shape) for name, shape in shapes.items()}
        self.inputs = {name: buffer.array for name, buffer in self._buffers.items()}
        self._sides, self._lost = np.zeros(BASE + n, np.int8), np.zeros(k + p + 1, np.int8)
        self._yielded = np.zeros(c + BASE * q + 1, np.int8)
        self._contact_joints, self._contact_turned = np.zeros((2, q + 1), np.int32)
        self.settings = _Step(
            body=self._memory.address,
            workspace=self._workspace.address,
            workspace_bytes=work,
            sides=self._sides.ctypes.data,
            lost=self._lost.ctypes.data,
            yielded=self._yielded.ctypes.data,
            contact_joints=self._contact_joints.ctypes.data,
            contact_turned=self._contact_turned.ctypes.data,
            **{name: buffer.address for name, buffer in self._buffers.items()},
        )
        self._address = ctypes.addressof(self.settings)
        self._n, self._targets, self._constraints = n, k + p, c

    def hold(self, contacts: Sequence[Contact]) -> None:
        """Writes the contacts of the next step, at most `most_contacts`."""
        inputs, body = self.inputs, self.body
        self.settings.contacts, self._constraints = len(contacts), len(body.couplings)
        if not contacts:
            return
        links = body.link_indices([contact.link for contact in contacts])
        self._contact_joints[: len(links)] = body.carrying[links]
        inputs["contact_ends"][: len(links)] = frame_numbers(body.ends[links])
        for row, contact in enumerate(contacts):
            is_turned = contact.rotation is not None
            inputs["contact_places"][row], self._contact_turned[row] = contact.position, is_turned
            if is_turned:
                inputs["contact_turns"][row] = contact.rotation
            self._constraints += BASE if is_turned else LINEAR

    def step(self, sides: Flags, forces: Array) -> BodyStep:
        """One step with the current inputs and settings.

        Args:
            sides: (6 + n,) bounds that were active in the step before.
            forces: (r,) multipliers of couplings and contacts in the step before; ignored if their number has
                changed.
        """
        self._sides[:], rows = sides, self._constraints
        self.inputs["forces"][:rows] = forces if len(forces) == rows else 0.0
        check(self.kernel.body_step(self._address))
        moved, n = self.inputs["moved"].copy(), self._n
        return BodyStep(
            moved[:n],
            moved[n : n + 12],
            moved[n + 12 :],
            self.inputs["frames"].copy(),
            self._sides.copy(),
            self._lost[: self._targets],
            self.inputs["forces"][:rows].copy(),
            self._yielded[:rows],
            self.settings.rounds,
            bool(self.settings.stopped),
        )
