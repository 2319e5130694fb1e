"""Description of a mechanism: its bodies, the joints between them, and which bodies are grounded or
driven.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..kinematics.rotations import Quaternion, Vector
from ..kinematics.se3 import HERE, RigidTransform
from .kinds import KINDS, Kind

WORLD = ""  # name of the fixed world as a joint's parent
UNLIMITED = math.inf
# [m] largest distance from the origin: beyond it doubles have errors of more than 1e-9 m, too coarse to close
# loops
FARTHEST = 1e7


class MechanismError(ValueError):
    """An invalid mechanism, goal or time step; the message names the body, joint or value and says what to
    do.
    """


def check_numbers(
    what: str, numbers: Sequence[float], count: int | None = None, most: float = UNLIMITED
) -> None:
    """Raises MechanismError unless there are `count` finite numbers (None: any number of them) with absolute
    values up to `most`.

    The message begins with `what`, as in "body 'rod': its position [m]", and names the numbers found.
    """
    try:
        is_fine = count in (None, len(numbers)) and all(math.isfinite(number) for number in numbers)
    except TypeError:
        is_fine = False
    if not is_fine:
        raise MechanismError(
            f"{what} must be {'' if count is None else f'{count} '}finite numbers, got {_listed(numbers)}"
        )
    if any(abs(number) > most for number in numbers):
        raise MechanismError(
            f"{what} is beyond {most:g}, got {_listed(numbers)}: bring it nearer to the origin"
        )


def _listed(numbers: Sequence[float]) -> str:
    """Numbers as text, separated by commas; anything else as its repr."""
    try:
        return ", ".join(str(number) for number in numbers)
    except TypeError:
        return repr(numbers)


def check_rotation(what: str, rotation: Quaternion) -> None:
    """Raises MechanismError, with a message that begins with `what`, unless a quaternion has four finite
    numbers, not all 0.
    """
    check_numbers(what, rotation, 4)
    if not any(rotation):
        raise MechanismError(f"{what} is 0, 0, 0, 0, which is no rotation: give it 1, 0, 0, 0 for none")


def _check_frame(what: str, frame: RigidTransform) -> None:
    check_numbers(f"{what} [m]", frame.position, 3, FARTHEST)
    check_rotation(f"{what}, rotation", frame.rotation)


@dataclass(frozen=True)
class RigidBody:
    """A rigid body. Its pose is that of its own frame, which can be at any position on the body."""

    name: str
    mass: float = 0.0  # [kg]; 0: no influence on the centre of mass
    centre: Vector = (0.0, 0.0, 0.0)  # [m] centre of mass in the body's frame
    start: RigidTransform | None = None  # approximate pose in the world before assembly
    grounded: bool = False  # whether the body is fixed at `start`
    driven: bool = False  # whether the body's pose is an input of every solve

    def __post_init__(self) -> None:
        if self.name == WORLD:
            raise MechanismError("a body has no name: give it one")
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            raise MechanismError(
                f"body '{self.name}': its mass must be finite and not below zero, got {self.mass}"
            )
        check_numbers(f"body '{self.name}': its centre of mass [m]", self.centre, 3, FARTHEST)
        if self.start is not None:
            _check_frame(f"body '{self.name}': its origin", self.start)
        if self.grounded and self.driven:
            raise MechanismError(f"body '{self.name}' is grounded and driven: it can be only one of them")


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies. Its axes are those of its frame on either body, as listed for each kind in
    `kinds.KINDS`.

    Its values are the displacement of the child's frame in the parent's: one per degree of freedom, in the
    kind's order, [rad] or [m].
    """

    name: str
    kind: Kind
    parent: str  # name of a body; "" is the world
    child: str
    in_parent: RigidTransform = HERE
    in_child: RigidTransform = HERE
    lower: tuple[float, ...] = ()  # [rad or m] per degree of freedom; empty: no limit
    upper: tuple[float, ...] = ()  # [rad or m] per degree of freedom; empty: no limit
    velocity: tuple[float, ...] = ()  # [rad/s or m/s] per degree of freedom; empty: no limit
    actuated: bool = False
    # whether to prefer this joint for cutting the loop, and to name it if the loop stays open
    closes: bool = False

    def __post_init__(self) -> None:
        def need(is_valid: bool, what: str) -> None:
            if not is_valid:
                raise MechanismError(f"joint '{self.name}': {what}")

        need(self.kind in KINDS, f"there is no kind '{self.kind}': choose one of {', '.join(KINDS)}")
        for word, frame in (("parent", self.in_parent), ("child", self.in_child)):
            _check_frame(f"joint '{self.name}': its frame on its {word}", frame)
        need(self.parent != self.child, f"it joins body '{self.parent}' to itself: name two bodies")
        count = len(KINDS[self.kind].freedoms)
        for word, numbers in (("lower", self.lower), ("upper", self.upper), ("velocity", self.velocity)):
            need(
                len(numbers) in (0, count),
                f"a {self.kind} joint has {count} degrees of freedom, but {len(numbers)} numbers for"
                f" '{word}'",
            )
            need(
                not any(map(math.isnan, numbers)),
                f"its '{word}' limits {numbers} must be numbers: correct them",
            )
        for lower, upper in zip(self.lower, self.upper, strict=bool(self.lower and self.upper)):
            need(
                lower <= upper,
                f"its lower limit {lower:.6g} is above its upper limit {upper:.6g}: exchange them",
            )
        need(
            not any(velocity < 0.0 for velocity in self.velocity),
            f"its velocity limits {self.velocity} must not be below zero",
        )
        need(
            not (self.actuated and count == 0),
            f"an actuator needs a joint with a degree of freedom, and a {self.kind} joint has none",
        )

    @property
    def is_valued(self) -> bool:
        """Whether the joint's values are needed, because it has an actuator or a limit."""
        return self.actuated or any(map(math.isfinite, (*self.lower, *self.upper, *self.velocity)))


@dataclass(frozen=True)
class Mechanism:
    """A checked mechanism: bodies and joints have unique names, and all references exist."""

    bodies: tuple[RigidBody, ...]
    joints: tuple[Joint, ...] = ()
    # sentences about properties that were read differently from how they were written
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _unique("bodies", [body.name for body in self.bodies])
        _unique("joints", [joint.name for joint in self.joints])
        for joint in self.joints:
            for end, name in (("parent", joint.parent), ("child", joint.child)):
                if name != WORLD and name not in self.body_index:
                    raise MechanismError(
                        f"joint '{joint.name}': its {end} is body '{name}', which is not there: name one of"
                        " the bodies"
                    )

    @cached_property
    def body_index(self) -> dict[str, int]:
        """Index of each body in `bodies`, by name."""
        return {body.name: k for k, body in enumerate(self.bodies)}

    @cached_property
    def joint(self) -> dict[str, Joint]:
        """The joints by name."""
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def actuators(self) -> tuple[Joint, ...]:
        """The joints with an actuator."""
        return tuple(joint for joint in self.joints if joint.actuated)


def _unique(kind: str, names: Sequence[str]) -> None:
    """Raises MechanismError if two of the names are equal; `kind` is the plural of what they name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise MechanismError(f"there are two {kind} named '{name}': give one of them another name")
        seen.add(name)
