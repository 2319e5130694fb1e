"""Motion filters of all joints of a mover, which step together: compiled, if the kernel knows them.

The filters themselves are the reference; they step one by one if the kernel does not know them, where no
library fits, and for arguments that the kernel refuses.
"""

import ctypes
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Self, overload

from ..motion import Filter, Kinematic, TargetMotion, TrackingFilter, TrackingState, used_limits
from ..solvers.kernel.library import KernelError, kernel

NUMBERS = 12  # number of doubles in `struct limber_filter_state`
STATE, LIMITS = Struct(f"{NUMBERS}d"), Struct("7d")  # `struct limber_filter_state` and `struct limber_filter`
MOTION = 3  # number of doubles of the joint's own motion, with which its state begins


class FilteredMotion(Sequence[Kinematic]):
    """States (n,) of joints after the compiled filter, as `struct limber_filter_state` in `numbers`."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: bytes) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers) // STATE.size

    @overload
    def __getitem__(self, index: int) -> Kinematic: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Kinematic]: ...

    def __getitem__(self, index: int | slice) -> Kinematic | Sequence[Kinematic]:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[Kinematic]:
        for position, velocity, acceleration, has_target, *target in STATE.iter_unpack(self.numbers):
            seen = TargetMotion(*target) if has_target else None
            yield TrackingState(position, velocity, acceleration, seen)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # states are compared, but never used as keys

    @classmethod
    def of(cls, motion: Sequence[Kinematic]) -> Self:
        """The states as numbers; a state of another filter has observed no target."""
        numbers = b""
        for joint in motion:
            seen = joint.target_motion if isinstance(joint, TrackingState) else None
            target = (0.0,) * (NUMBERS - MOTION) if seen is None else (1.0, *seen)
            numbers += STATE.pack(joint.position, joint.velocity, joint.acceleration, *target)
        return cls(numbers)


class JointFilters:
    """Motion filters of a mover's joints."""

    def __init__(self, filters: Sequence[Filter]) -> None:
        self._filters = tuple(filters)
        known = [each for each in self._filters if type(each) is TrackingFilter]
        self._kernel = kernel() if known and len(known) == len(self._filters) else None
        if self._kernel is not None:
            count = len(known)
            self._limits = b"".join(LIMITS.pack(*_numbers(each)) for each in known)
            self._targets = Struct(f"{count}d").pack
            self._positions = Struct(f"d{8 * (NUMBERS - 1)}x" * count).unpack
            self._memory = ctypes.c_char * (count * STATE.size)

    def step(
        self, motion: Sequence[Kinematic] | None, targets: Sequence[float], dt: float
    ) -> tuple[Sequence[Kinematic], tuple[float, ...]]:
        """The joints' states and positions (n,) [rad; prismatic joints m], `dt` [s] after the states
        `motion`; without states of these joints they are at rest at the targets.

        Raises:
            TargetError, TimeStepError: as `Filter.step`.
        """
        if motion is None or len(motion) != len(self._filters):
            motion = tuple([joint.rest(target) for joint, target in zip(self._filters, targets, strict=True)])
            return motion, tuple(targets)
        numbers = self._compiled(motion, targets, dt) if dt > 0.0 else None
        if numbers is not None:
            return FilteredMotion(numbers), self._positions(numbers)
        joints = zip(self._filters, motion, targets, strict=True)
        motion = tuple([joint.step(state, target, dt) for joint, state, target in joints])
        return motion, tuple([joint.position for joint in motion])

    def _compiled(self, motion: Sequence[Kinematic], targets: Sequence[float], dt: float) -> bytes | None:
        """The numbers of the next `FilteredMotion`, by the kernel; None if the filters must step one by one
        instead.
        """
        if self._kernel is None or len(targets) != len(self._filters):
            return None
        before = motion if isinstance(motion, FilteredMotion) else FilteredMotion.of(motion)
        after = self._memory()
        try:
            code = self._kernel.filter_step(
                len(targets), self._limits, self._targets(*targets), dt, before.numbers, after
            )
        except KernelError:  # the library has been unloaded
            self._kernel = None
            return None
        return None if code else after.raw


def _numbers(joint: TrackingFilter) -> tuple[float, ...]:
    """Limits of a joint's filter, as `struct limber_filter`."""
    limits, used = joint.limits, used_limits(joint.limits, joint.style)
    return (
        limits.lower,
        limits.upper,
        limits.velocity,
        limits.acceleration,
        limits.jerk,
        used.acceleration,
        used.jerk,
    )
