"""The kinds of joints: their degrees of freedom (DoF), and the residuals that constrain the remaining ones.
Axes are those of the joint's two frames, one on the parent and one on the child; the joint's values are 0
when both coincide.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, get_args

Kind = Literal[
    "fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal", "cartesian", "planar", "free"
]
Freedom = Literal["translate x", "translate y", "translate z", "rotate x", "rotate y", "rotate z", "ball"]


class Row(IntEnum):
    """Residual components that a joint can constrain, in the parent's joint frame."""

    X = 0  # X, Y, Z: position [m]
    Y = 1
    Z = 2
    TURN_X = 3  # half-angle vector of the rotation
    TURN_Y = 4
    TURN_Z = 5
    SWING_X = 6  # half-angle vector of the swing of the z axes
    SWING_Y = 7
    CROSS = 8  # cosine of the angle between the child's y axis and the parent's x axis


POSITION = (Row.X, Row.Y, Row.Z)
TURN = (Row.TURN_X, Row.TURN_Y, Row.TURN_Z)
SWING = (Row.SWING_X, Row.SWING_Y)


@dataclass(frozen=True)
class JointStructure:
    """Degrees of freedom and constraints of a kind of joint."""

    moves: tuple[Freedom, ...]  # elementary moves from the parent to the child; a ball counts as three DoF
    rows: tuple[Row, ...]  # residuals that the joint constrains, one for each of the 6 DoF that it has not

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """Type of each of the joint's degrees of freedom; the three of a ball joint are those of its rotation
        vector.
        """
        return tuple(move for move in self.moves for _ in range(3 if move == "ball" else 1))


KINDS: dict[str, JointStructure] = {
    "fixed": JointStructure((), (*POSITION, *TURN)),
    "revolute": JointStructure(("rotate z",), (*POSITION, *SWING)),
    "prismatic": JointStructure(("translate z",), (Row.X, Row.Y, *TURN)),
    "cylindrical": JointStructure(("translate z", "rotate z"), (Row.X, Row.Y, *SWING)),
    "spherical": JointStructure(("ball",), POSITION),
    # about x of the parent's frame, then about y of the child's
    "universal": JointStructure(("rotate x", "rotate y"), (*POSITION, Row.CROSS)),
    "cartesian": JointStructure(("translate x", "translate y", "translate z"), TURN),
    "planar": JointStructure(("translate x", "translate y", "rotate z"), (Row.Z, *SWING)),
    "free": JointStructure(("translate x", "translate y", "translate z", "ball"), ()),
}
assert set(KINDS) == set(get_args(Kind))
