"""The order in which movers are ticked, by their dependencies, and the cycles among them. Pure functions."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

Needs = Sequence[
    Sequence[int]
]  # for each mover the indices of the movers on which it depends; its own index if it depends on itself


class TickOrder(NamedTuple):
    """Indices of movers in the order of ticking, and the cycles among them."""

    indices: Sequence[int]
    cyclic: frozenset[int] = frozenset()  # movers in a cycle that read the others' desired poses
    feedback: Mapping[int, int] = MappingProxyType(
        {}
    )  # other movers that depend on themselves -> the mover through which they do


def in_order(needs: Needs, looks_forward: Sequence[bool], certain: Callable[[], Needs]) -> TickOrder:
    """The order of ticking, and the cycles.

    Args:
        needs: For each mover the indices of those on which it depends. Movers that do not depend on each
            other keep their order.
        looks_forward: For each mover whether, in a cycle, it reads the desired poses of the others instead of
            their last poses.
        certain: Returns `needs` without uncertain dependencies; called only if there is a cycle.
    """
    ordered, is_cyclic = _by_depth(needs)
    if not is_cyclic:
        return TickOrder(ordered)
    # A cycle of movers that look at each other is broken by desired poses.
    forward = [
        [j for j in above if looks_forward[j]] if looks_forward[k] else [] for k, above in enumerate(needs)
    ]
    cyclic = frozenset(k for k, does in enumerate(looks_forward) if does and _leads_to(forward, k, k))
    return TickOrder(ordered, cyclic, _feedback(looks_forward, certain))


def _by_depth(needs: Needs) -> tuple[list[int], bool]:
    """Indices of the movers, each after those on which it depends, and whether there is a cycle."""
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


def _feedback(looks_forward: Sequence[bool], certain: Callable[[], Needs]) -> dict[int, int]:
    """For each mover in a cycle that reads last poses the mover through which it depends on itself."""
    backward = [k for k, does in enumerate(looks_forward) if not does]
    needs = certain() if backward else []
    feedback = {}
    for k in backward:
        back = next((above for above in needs[k] if above == k or _leads_to(needs, above, k)), None)
        if back is not None:
            feedback[k] = back
    return feedback


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
