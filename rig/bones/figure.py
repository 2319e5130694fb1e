"""The figure of an armature at rest, found by the positions of its bones: standing limbs, plane of symmetry,
front.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import cos, radians

import bpy
import numpy as np
from mathutils import Vector

from . import imported_robot
from .controls import Controls
from .front import Front, front_of

# "the figure's size" below is the diagonal of its bounding box

# height above the lowest point up to which a point counts as on the ground, as a share of the figure's
# height: feet may rest at different heights
LOW = 0.15
REACH = 0.05  # smallest length of a limb except for short legs, as a share of the figure's size
# smallest descent of a short leg, as a share of the figure's size, and of the height at which the leg begins
SHORT_LEG = 0.02, 0.5
# difference up to which two distances count as equal (single precision), as a share of the figure's size
SAME = 1e-5
NEAR = 0.01  # distance within which two positions count as the same, as a share of the figure's size
# share of the figure's size: a bone that begins at least this far from its parent does not count as part of
# the same limb
AWAY = 0.35
# sine of the largest angle to the ground of a line between a bone and its mirror image; pairs of bones on a
# steeper line are ignored
LEVEL = 0.3
ALIKE = cos(radians(3))  # cosine of the angle within which two normals count as equal
CANDIDATES = 12  # largest number of planes tried as the plane of symmetry
# share of the body's bones that must have a mirror image; with fewer the figure counts as not symmetrical
MIRRORED = 0.5
ALONG = 0.85  # cosine of the angle within which a bone counts as pointing at its child


class Figure:
    """An armature object at rest, in world orientation with +Z up; positions are relative to the object's
    origin. A snapshot: make a new one for each query.

    Its body consists of the deforming bones, or of all bones in an armature with fewer than two of them.
    Single bones without parent and children, such as controls of feet, are left out. Lengths are in metres.
    """

    def __init__(self, rig: bpy.types.Object) -> None:
        self.rig = rig
        bones = rig.data.bones
        to_world = rig.matrix_world.to_3x3()
        self.names = [bone.name for bone in bones]
        self.index = {name: k for k, name in enumerate(self.names)}
        # index of each bone's parent; -1: none
        self.parent = [self.index[bone.parent.name] if bone.parent else -1 for bone in bones]
        self.heads = np.array([to_world @ bone.head_local for bone in bones]).reshape(-1, 3)
        self.tails = np.array([to_world @ bone.tail_local for bone in bones]).reshape(-1, 3)
        self.children = _children(self.parent)
        deforming = [k for k, bone in enumerate(bones) if bone.use_deform]
        body = deforming if len(deforming) > 1 else list(range(len(self.names)))
        self.body = [k for k in body if self.parent[k] >= 0 or self.children[k]] or body

    @cached_property
    def is_anatomical(self) -> bool:
        """Whether bones lie along the limbs; in robots and in some files of other programs, only the
        positions of bones' heads are meaningful.
        """
        if imported_robot.is_robot(self.rig):
            return False
        parents = [k for k in self.body if self.children[k]]
        return 2 * sum(map(self._points_at_child, parents)) >= len(parents)

    def _points_at_child(self, k: int) -> bool:
        """Whether bone `k` points from its head at the head of one of its children."""
        directions = self.heads[self.children[k]] - self.heads[k]
        along = self.tails[k] - self.heads[k]
        return bool(
            np.any(directions @ along >= ALONG * np.linalg.norm(directions, axis=1) * np.linalg.norm(along))
        )

    @cached_property
    def tips(self) -> np.ndarray:
        """Tip of each bone, (n, 3) [m]: the tail, or the head if bones do not lie along the limbs."""
        return self.tails if self.is_anatomical else self.heads

    @cached_property
    def _span(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest corner (3,) [m] of the body's bounding box."""
        points = np.concatenate((self.heads[self.body], self.tips[self.body]))
        return points.min(axis=0), points.max(axis=0)

    @cached_property
    def size(self) -> float:
        """Diagonal of the body's bounding box [m]."""
        return float(np.linalg.norm(self._span[1] - self._span[0]))

    @cached_property
    def floor(self) -> float:
        """Height of the body's lowest point above the object's origin [m]."""
        return float(self._span[0][2])

    @cached_property
    def ground(self) -> float:
        """Height [m] above the object's origin up to which a point counts as on the ground."""
        return self.floor + max(LOW * float(self._span[1][2] - self._span[0][2]), NEAR * self.size)

    @cached_property
    def low(self) -> np.ndarray:
        """Whether each bone's head or tip is on the ground, as an array (n,)."""
        return np.minimum(self.heads[:, 2], self.tips[:, 2]) <= self.ground

    @cached_property
    def controls(self) -> Controls:
        """The armature's control bones, and the bones that follow them."""
        return Controls(self.rig)

    def standing(self, line: Sequence[str]) -> dict[str, set[int]]:
        """Bones of a line from which limbs that reach the ground branch, each with the indices of these
        limbs' last bones. Limbs in the plane of symmetry count only if there are no others.

        Args:
            line: Names of bones from an end upward. Bones below the end are part of it and no limbs.
        """
        index_in_line = {name: k for k, name in enumerate(line)}
        limbs: dict[str, set[int]] = {}
        for k in self.body:
            name = self.names[k]
            if not self.low[k] or name in index_in_line or any(self.low[child] for child in self.children[k]):
                continue
            ancestors = [above for above in self.controls.upstream(name) if above in index_in_line]
            branch = min(ancestors, key=index_in_line.__getitem__, default="")
            if branch not in {"", line[0]} and self._is_limb(self.index[branch], k):
                limbs.setdefault(branch, set()).add(k)
        paired = {
            branch: limb_ends - self.middle for branch, limb_ends in limbs.items() if limb_ends - self.middle
        }
        # if legs are in pairs, a limb in the plane of symmetry that reaches down is a tail or a cape
        return paired or limbs

    def _is_limb(self, branch: int, tip: int) -> bool:
        """Whether the bones from a branch of the trunk to a low bone are long enough for a limb."""
        foot = min(self.heads[tip], self.tips[tip], key=lambda point: point[2])
        begin = min(self.heads[branch], self.tips[branch], key=lambda point: np.linalg.norm(point - foot))
        drop = begin[2] - foot[2]
        share_of_size, share_of_height = SHORT_LEG
        is_long = float(np.linalg.norm(begin - foot)) >= REACH * self.size
        return is_long or bool(
            drop >= share_of_size * self.size and drop >= share_of_height * (begin[2] - self.floor)
        )

    def below(self, k: int) -> list[int]:
        """Indices of a bone and all its descendants."""
        bones = [k]
        for bone in bones:  # grows while it is read
            bones += self.children[bone]
        return bones

    # Symmetry

    @cached_property
    def lateral(self) -> np.ndarray | None:
        """Horizontal unit vector (3,) across the plane of symmetry, in either direction; None if the figure
        is not symmetrical.
        """
        return self._plane[0] if self._plane else None

    @cached_property
    def _plane(self) -> tuple[np.ndarray, float] | None:
        """Unit normal (3,) and offset [m] of the vertical plane of symmetry; None without one."""
        best, most = None, MIRRORED * len(self.body)
        along_x = np.array(self.rig.matrix_world.to_3x3() @ Vector((1, 0, 0)))
        for normal, offset in self._candidates():
            images = self._images(normal, offset)
            pairs = sum(other >= 0 and other != k for k, other in images.items())
            # of equally good candidates, the normal along X, as in Blender's figures
            score = sum(other >= 0 for other in images.values()) + 0.1 * abs(normal @ along_x)
            if pairs and score > most:
                best, most = (normal, offset), score
        return best

    def _candidates(self) -> list[tuple[np.ndarray, float]]:
        """Normals and offsets [m] of at most `CANDIDATES` planes between siblings with equally many
        descendants, those that most siblings agree on first.
        """
        groups: dict[tuple[int, int], list[int]] = {}
        for k in self.body:
            groups.setdefault((self.parent[k], len(self.below(k))), []).append(k)
        planes: list[tuple[np.ndarray, list[float]]] = []
        for group in groups.values():
            for index, bone in enumerate(group):
                for other in group[index + 1 :]:
                    self._add_plane(planes, bone, other)
        planes.sort(key=lambda plane: -len(plane[1]))
        return [(normal, float(np.median(offsets))) for normal, offsets in planes[:CANDIDATES]]

    def _add_plane(self, planes: list[tuple[np.ndarray, list[float]]], bone: int, other: int) -> None:
        """Adds the vertical plane halfway between two bones to `planes`, pairs of a unit normal and offsets
        [m]: to the offsets of the pair with nearly its normal, else as a new pair. Adds nothing if the bones
        are at one position, or the line between them is steep.
        """
        ends = next(
            (
                pair
                for pair in self._corresponding_points(bone, other)
                if np.linalg.norm(pair[0] - pair[1]) > NEAR * self.size
            ),
            None,
        )
        if ends is None:
            return
        direction, middle = ends[0] - ends[1], (ends[0] + ends[1]) / 2
        if abs(direction[2]) > LEVEL * np.linalg.norm(direction):
            return
        normal = np.array((direction[0], direction[1], 0.0)) / np.hypot(direction[0], direction[1])
        for known, offsets in planes:
            if abs(known @ normal) > ALIKE:
                offsets.append(float(known @ middle))
                return
        planes.append((normal, [float(normal @ middle)]))

    def _corresponding_points(self, bone: int, other: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of corresponding points (3,) [m] of two sibling bones: their heads, their tips, and the mean
        of the heads of each bone and its descendants.
        """
        yield self.heads[bone], self.heads[other]
        yield self.tips[bone], self.tips[other]
        yield self.heads[self.below(bone)].mean(axis=0), self.heads[self.below(other)].mean(axis=0)

    def _images(self, normal: np.ndarray, offset: float) -> dict[int, int]:
        """Index of the mirror image of each bone of the body, for the plane with this unit normal and offset
        [m]: the bone's own index if it is in the plane, even if another bone is at the same position; -1
        without a mirror image.
        """
        heads, tips = self.heads[self.body], self.tips[self.body]
        mirror = lambda points: points - 2 * np.outer(points @ normal - offset, normal)  # noqa: E731
        gaps = np.linalg.norm(mirror(heads)[:, None] - heads[None], axis=2) + np.linalg.norm(
            mirror(tips)[:, None] - tips[None], axis=2
        )
        nearest = gaps.argmin(axis=1)
        is_own_image = np.diagonal(gaps) <= gaps.min(axis=1) + SAME * self.size
        nearest[is_own_image] = np.flatnonzero(is_own_image)
        near = gaps[np.arange(len(gaps)), nearest] < 2 * NEAR * self.size
        return {
            k: self.body[other] if close else -1
            for k, other, close in zip(self.body, nearest, near, strict=True)
        }

    @cached_property
    def image(self) -> dict[int, int]:
        """Index of the mirror image of each bone of the body: the bone's own index if it is in the plane of
        symmetry; -1 without a mirror image.
        """
        return self._images(*self._plane) if self._plane else dict.fromkeys(self.body, -1)

    @cached_property
    def middle(self) -> set[int]:
        """Indices of the bones in the plane of symmetry, or of all the body's bones if there is no such
        plane.
        """
        return {k for k, other in self.image.items() if other == k} if self._plane else set(self.body)

    @cached_property
    def trunk(self) -> set[int]:
        """Indices of the largest connected group of bones in the plane of symmetry: spine, neck and head,
        with their branches in this plane.
        """
        lines: dict[int, set[int]] = {}
        for k in sorted(self.middle):
            first = k
            while self.parent[first] in self.middle and self.begins_on_parent(first):
                first = self.parent[first]
            lines.setdefault(first, set()).add(k)
        return max(lines.values(), key=len, default=set())

    def begins_on_parent(self, k: int) -> bool:
        """Whether a bone has a parent and begins near it; controls, such as the target of eyes, do not. In an
        imported robot each link counts as joined to its parent, at any distance.
        """
        if self.parent[k] < 0 or imported_robot.is_robot(self.rig):
            return self.parent[k] >= 0
        return any(
            np.linalg.norm(self.heads[k] - end[self.parent[k]]) < AWAY * self.size
            for end in (self.heads, self.tips)
        )

    def is_paired(self, apart: float, without: int) -> bool:
        """Whether the tips of any bone and its mirror image are at least `apart` (a share of the figure's
        size) from each other, among bones other than `without` and its descendants.
        """
        excluded = set(self.below(without))
        pairs = ((k, other) for k, other in self.image.items() if other not in {-1, k} and k not in excluded)
        return any(np.linalg.norm(self.tips[k] - self.tips[other]) >= apart * self.size for k, other in pairs)

    @property
    def front(self) -> np.ndarray | None:
        """Horizontal unit vector (3,) in which the figure faces; None if it is not symmetrical."""
        return self._front.direction if self._front else None

    @property
    def is_front_shown(self) -> bool:
        """Whether the figure's bones show its front; else the front is a convention."""
        return self._front is not None and self._front.is_shown

    @cached_property
    def _front(self) -> Front | None:
        return front_of(self)


def _children(parents: Sequence[int]) -> list[list[int]]:
    """Indices of each bone's children, from the indices of the bones' parents (-1: none)."""
    children: list[list[int]] = [[] for _ in parents]
    for k, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(k)
    return children
