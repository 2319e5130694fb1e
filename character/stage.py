"""A stage: movers that move together, ticked in the order of their dependencies.

In a cycle, such as chains that look at each other, the first mover reads the others' poses of the last frame,
and all aim at the others' desired poses. If they aimed at current poses, each would chase the other's filter
lag and oscillate.

A host has a record for each of its movers. In a frame it finds their order (`in_order`), takes the last poses
as those of the previous frame (`commit`), makes its view of the scene with these, and goes through `turns`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple

from .record import MoverRecord, NoPose, Pose

# for each mover the indices of the movers on which it depends, its own included if it depends on itself
Needs = Sequence[Sequence[int]]


class TickOrder(NamedTuple):
    """Order of ticking, as indices of movers.

    Attributes:
        indices: The movers, each after those on which it depends, apart from cycles.
        cyclic: Movers in a cycle that read the others' desired poses.
        has_cycle: Whether any mover depends on itself, directly or through others.
    """

    indices: Sequence[int]
    cyclic: frozenset[int] = frozenset()
    has_cycle: bool = False


class NewPoses(NamedTuple, Generic[Pose]):
    """New poses of a mover, which the host writes to its views of the scene."""

    mover: int  # index of the mover
    pose: Pose | NoPose
    desired_pose: Pose | NoPose  # pose before the motion filter, for the view that shows such poses


class Turn(NamedTuple, Generic[Pose]):
    """Turn of one mover in a frame.

    Attributes:
        mover: Index of the mover.
        is_mutual: Whether its targets have the desired poses of other movers, instead of their current ones.
        moved: New poses of the movers that have moved since the last turn.
    """

    mover: int
    is_mutual: bool
    moved: Sequence[NewPoses[Pose]]


def commit(records: Iterable[MoverRecord[Pose]], dt: float) -> None:
    """Begins a frame, `dt` [s] after the last one. With 0 the same frame is ticked again: it starts from the
    same last poses, so that its result is the same.
    """
    if dt > 0.0:
        for record in records:
            record.commit()


def turns(order: TickOrder, records: Sequence[MoverRecord[Pose]]) -> Iterator[Turn[Pose]]:
    """Turns of the movers of a frame. At each, the host writes what has moved to its views, ticks the mover's
    record and sets its poses.
    """
    moved: list[NewPoses[Pose]] = []
    first_cyclic = next((k for k in order.indices if k in order.cyclic), None)
    for index in order.indices:
        if index == first_cyclic:
            # movers that carry those of the cycle can have moved since the views were made
            moved += [NewPoses(k, records[k].pose_before, records[k].desired_before) for k in order.cyclic]
        yield Turn(index, index in order.cyclic, moved)
        moved = [NewPoses(index, records[index].pose, records[index].desired_pose)]


def is_at_rest(records: Iterable[MoverRecord[Pose]], cyclic: Iterable[MoverRecord[Pose]]) -> bool:
    """Whether no mover will move while everything else stays constant; `cyclic`: records of those in a
    cycle.
    """
    return all(record.is_at_rest for record in records) and all(
        record.pose == record.pose_before and record.desired_pose == record.desired_before
        for record in cyclic
    )


def in_order(needs: Needs, looks_forward: Sequence[bool]) -> TickOrder:
    """Order of ticking, and the cycles.

    Args:
        needs: For each mover the indices of those on which it depends. Independent movers keep their order.
        looks_forward: For each mover whether, in a cycle, it reads the desired poses of the others instead of
            their last poses.
    """
    ordered, has_cycle = _topological_order(needs)
    if not has_cycle:
        return TickOrder(ordered)
    # a cycle of movers that look at each other is broken by desired poses
    forward = [
        [j for j in above if looks_forward[j]] if looks_forward[k] else [] for k, above in enumerate(needs)
    ]
    cyclic = frozenset(k for k, does in enumerate(looks_forward) if does and _leads_to(forward, k, k))
    return TickOrder(ordered, cyclic, has_cycle)


def feedback(needs: Needs, looks_forward: Sequence[bool]) -> dict[int, int]:
    """For each mover in a cycle that reads last poses: the mover through which it depends on itself.

    Args:
        needs: As for `in_order`, with certain dependencies only.
        looks_forward: As for `in_order`.
    """
    through = {}
    for k, does in enumerate(looks_forward):
        back = None if does else next((j for j in needs[k] if j == k or _leads_to(needs, j, k)), None)
        if back is not None:
            through[k] = back
    return through


def _topological_order(needs: Needs) -> tuple[list[int], bool]:
    """Indices of the movers, each after those on which it depends, apart from cycles; whether there is a
    cycle.
    """
    ordered: list[int] = []
    begun: set[int] = set()
    is_cyclic = any(k in above for k, above in enumerate(needs))

    def visit(k: int) -> None:
        nonlocal is_cyclic
        begun.add(k)
        for above in needs[k]:
            if above not in begun:
                visit(above)
            elif above not in ordered:
                is_cyclic = True
        ordered.append(k)

    for k in range(len(needs)):
        if k not in begun:
            visit(k)
    return ordered, is_cyclic


def _leads_to(needs: Needs, start: int, end: int) -> bool:
    """Whether `start` depends on `end`, directly or through others."""
    visited, left = set(), list(needs[start])
    while left:
        k = left.pop()
        if k == end:
            return True
        if k not in visited:
            visited.add(k)
            left += needs[k]
    return False
