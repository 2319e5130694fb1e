"""Front of a figure: in which direction along its plane of symmetry it faces, by its bones' positions."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import bpy
import numpy as np
from mathutils import Vector

# cosine between a direction, such as the mean direction of the feet, and an axis, above which the direction
# counts as pointing along the axis; directions below it decide nothing
CLEAR = 0.3
# distance within which two positions count as the same, as a share of the figure's size (see `figure`)
SAME = 0.01
# length from which a childless bone counts as an arm or wing and not as part of a face (eyes, ears), as a
# share of the figure's size
LIMB = 0.15
UP = (0.0, 0.0, 1.0)
LEVEL = np.array((1.0, 1.0, 0.0))


class SymmetricFigure(Protocol):
    """The attributes of `figure.Figure` from which its front is determined."""

    rig: bpy.types.Object
    parent: Sequence[int]
    children: Sequence[Sequence[int]]
    body: Sequence[int]
    heads: np.ndarray
    tips: np.ndarray
    low: np.ndarray
    ground: float
    size: float
    is_anatomical: bool
    lateral: np.ndarray | None
    image: dict[int, int]
    middle: set[int]
    trunk: set[int]

    def below(self, k: int) -> list[int]: ...

    def begins_on_parent(self, k: int) -> bool: ...


class Front(NamedTuple):
    """Direction in which a figure faces.

    Attributes:
        direction: Horizontal unit vector (3,).
        is_shown: Whether feet, face or trunk show it; else it is a convention.
    """

    direction: np.ndarray
    is_shown: bool


def front_of(figure: SymmetricFigure) -> Front | None:
    """The direction in which a figure faces; None if the figure is not symmetrical.

    The first of these decides that points clearly along the plane of symmetry: the feet, the eyes, the trunk
    with its head and tails. Else, by convention: the object's -Y as usual in Blender, the world's -Y, the
    direction to the trunk's highest end, the object's +X.
    """
    if figure.lateral is None:
        return None
    ahead = np.cross(figure.lateral, UP)
    shown = (_feet(figure), _face(figure), _trunk(figure, ahead))
    to_world = figure.rig.matrix_world.to_3x3()
    usual = (to_world @ Vector((0, -1, 0)), (0, -1, 0), _to_highest_end(figure), to_world @ Vector((1, 0, 0)))
    for clues, is_shown in ((shown, True), ([_unit(np.array(axis)) for axis in usual], False)):
        for clue in clues:
            if clue is not None and abs(clue @ ahead) > CLEAR:
                return Front(ahead if clue @ ahead > 0.0 else -ahead, is_shown)
    return Front(ahead, False)


def _feet(figure: SymmetricFigure) -> np.ndarray | None:
    """Mean horizontal direction (3,) of the feet: pairs of childless bones that lie on the ground, and more
    along the plane of symmetry than across it (fins lie across it); None if there are none.
    """
    directions = []
    for k in figure.body:
        above = figure.parent[k]
        if figure.image[k] in {-1, k} or figure.children[k] or above < 0 or _is_on_tail(figure, k):
            continue
        begin, end = (
            (figure.heads[k], figure.tips[k])
            if figure.is_anatomical
            else (figure.heads[above], figure.heads[k])
        )
        direction = (end - begin) * LEVEL
        is_flat = np.linalg.norm(direction) > abs(end[2] - begin[2])
        is_along = 2.0 * abs(direction @ figure.lateral) ** 2 < direction @ direction
        if is_flat and is_along and max(begin[2], end[2]) <= figure.ground:
            directions.append(_unit(direction))
    return np.mean(directions, axis=0) if directions else None


def _is_on_tail(figure: SymmetricFigure, k: int) -> bool:
    """Whether a bone hangs on a tail, as a fin does: on a bone in the plane of symmetry that lies on the
    ground and goes on from one above the ground. A pelvis close to the ground is no part of a tail, since
    legs begin above the ground; nor is a root, from which controls of feet hang.
    """
    branch = k
    while k >= 0 and k not in figure.middle:
        branch, k = k, figure.parent[k]
    if k < 0 or not figure.low[k] or figure.heads[branch][2] > figure.ground:
        return False
    while figure.parent[k] >= 0 and figure.low[figure.parent[k]]:
        k = figure.parent[k]
    return figure.begins_on_parent(k)


def _face(figure: SymmetricFigure) -> np.ndarray | None:
    """Mean direction (3,) from the head to pairs of childless bones on the head, such as eyes; None without
    such bones, or if the head points to the other side.
    """
    on_trunk = [
        k
        for k in figure.body
        if figure.image[k] not in {-1, k}
        and not figure.children[k]
        and figure.parent[k] in figure.trunk
        and not _is_on_tail(figure, k)
        and not _is_limb(figure, k)
    ]
    head = max(
        (figure.parent[k] for k in _beside(figure, on_trunk) or on_trunk),
        default=-1,
        key=lambda k: figure.heads[k, 2],
    )
    directions = [_unit(figure.heads[k] - figure.heads[head]) for k in on_trunk if figure.parent[k] == head]
    if not directions or not all(map(np.any, directions)):
        return None
    face: np.ndarray = np.mean(directions, axis=0)
    ahead = _unit(face - (face @ figure.lateral) * figure.lateral) * LEVEL
    return None if any(_unit(_along(figure, k)) @ ahead < -CLEAR for k in _continued(figure, head)) else face


def _is_limb(figure: SymmetricFigure, k: int) -> bool:
    """Whether a bone is as long as an arm, as the leaf of a plant may be, and so no part of a face."""
    return bool(np.linalg.norm(figure.tips[k] - figure.heads[k]) >= LIMB * figure.size)


def _continued(figure: SymmetricFigure, k: int) -> list[int]:
    """Indices of a bone and of its children in the trunk that begin at its tip."""
    at_tip = SAME * figure.size
    return [
        k,
        *(
            child
            for child in figure.children[k]
            if child in figure.trunk and np.linalg.norm(figure.heads[child] - figure.tips[k]) <= at_tip
        ),
    ]


def has_face(figure: SymmetricFigure, k: int, front: np.ndarray) -> bool:
    """Whether a bone carries a pair of childless bones on one side of its length, as a head does its eyes; a
    gripper's fingers are on both sides. `front`: horizontal unit vector (3,) in which the figure faces.
    """
    pairs = [child for child in figure.children[k] if figure.image.get(child, -1) not in {-1, child}]
    parts = [child for child in pairs if not figure.children[child]]
    if not parts:
        return False
    direction = _unit(figure.heads[parts].mean(axis=0) - figure.heads[k])
    along = _unit(_along(figure, k))
    return float((direction - (direction @ along) * along) @ front) > CLEAR


def _beside(figure: SymmetricFigure, bones: list[int]) -> list[int]:
    """Those of some bones that begin beside their parent, as eyes do, and not at its tip, as the fins at the
    end of a tail do.
    """
    carriers = [figure.parent[k] for k in bones]
    along = figure.tips[carriers] - figure.heads[carriers]
    past_tip = ((figure.heads[bones] - figure.tips[carriers]) * along).sum(axis=1)
    before = past_tip < -SAME * figure.size * np.linalg.norm(along, axis=1)
    return [k for k, is_before in zip(bones, before, strict=True) if is_before]


def _trunk(figure: SymmetricFigure, ahead: np.ndarray) -> np.ndarray | None:
    """Mean (3,) of the directions that show the front of a trunk; None if none is clear.

    The head is the trunk's highest end. It is ahead of the middle of the body, points ahead, and carries
    single bones that do, such as a beak or a jaw. Tails, which branch from the other half of the trunk, point
    backward. In a trunk that lies level either end may be the highest, so it shows nothing.

    Args:
        figure: The figure.
        ahead: Horizontal unit vector (3,) along the plane of symmetry: directions nearly across it, such as
            that of an upright trunk, are not clear.
    """
    rise = _unit(_to_highest_end(figure))
    if rise[2] <= CLEAR:
        return None
    trunk = sorted(figure.trunk)
    top = trunk[int(figure.tips[trunk, 2].argmax())]
    line = [top]
    while figure.parent[line[-1]] in figure.trunk and figure.begins_on_parent(line[-1]):
        line.append(figure.parent[line[-1]])
    directions = [rise, _along(figure, top)]
    for k in trunk:
        parent = figure.parent[k]
        if k in line or parent not in line:
            continue
        if parent == top and not figure.children[k]:
            directions.append(_along(figure, k))
        elif 2 * line.index(parent) >= len(line):
            directions.append(figure.heads[parent] - figure.tips[figure.below(k)].mean(axis=0))
    clear = [unit for unit in map(_unit, directions) if abs(unit @ ahead) > CLEAR]
    return np.mean(clear, axis=0) if clear else None


def _to_highest_end(figure: SymmetricFigure) -> np.ndarray:
    """Vector (3,) [m] from the middle of the body to the highest tip of the trunk; 0 if the figure has no
    trunk.
    """
    if not figure.trunk:
        return np.zeros(3)
    tips = figure.tips[sorted(figure.trunk)]
    highest: np.ndarray = tips[tips[:, 2].argmax()] - figure.heads[figure.body].mean(axis=0)
    return highest


def _along(figure: SymmetricFigure, k: int) -> np.ndarray:
    """Vector (3,) along a bone; from its parent to it if bones do not lie along the limbs."""
    if figure.is_anatomical:
        return figure.tips[k] - figure.heads[k]
    above = figure.parent[k]
    return figure.heads[k] - figure.heads[above if above >= 0 else k]


def _unit(vector: np.ndarray) -> np.ndarray:
    """Unit vector (3,) in the direction of a vector (3,); 0 for 0."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector
