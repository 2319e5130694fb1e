"""The order in which movers are ticked: each after those on which it depends. Knows no Blender, and no kind of mover."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

Needs = Sequence[Sequence[int]]  # of each mover: the indices of those on which it depends; its own where it depends on itself


class Order(NamedTuple):
    """Indices of movers in the order of ticking, and the cycles among them."""

    indices: Sequence[int]
    cyclic: frozenset[int] = frozenset()  # movers in a cycle that read the others' desired poses
    feedback: Mapping[int, int] = MappingProxyType({})  # other movers in a cycle -> the mover through which they depend on themselves


def in_order(needs: Needs, looks_forward: Sequence[bool], certain: Callable[[], Needs]) -> Order:
    """The order of ticking, and the cycles.

    Args:
        needs: For each mover the indices of those on which it depends. Movers that do not depend on each other keep their order.
        looks_forward: For each mover whether, in a cycle, it reads the desired poses of the others instead of their last poses.
        certain: Returns `needs` without uncertain dependencies; called only if there is a cycle.
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
    if not is_cyclic:
        return Order(ordered)
    forward = [[j for j in above if looks_forward[j]] if looks_forward[k] else [] for k, above in enumerate(needs)]
    cyclic = frozenset(k for k, does in enumerate(looks_forward) if does and _leads_to(forward, k, k))
    others = [k for k, does in enumerate(looks_forward) if not does]
    feedback, surely = {}, certain() if others else []
    for k in others:
        back = next((above for above in surely[k] if above == k or _leads_to(surely, above, k)), None)
        if back is not None:
            feedback[k] = back
    return Order(ordered, cyclic, feedback)


def _leads_to(needs: Needs, start: int, end: int) -> bool:
    """Whether `start` depends on `end`, directly or through others."""
    met, left = set(), list(needs[start])
    while left:
        k = left.pop()
        if k == end:
            return True
        if k not in met:
            met.add(k)
            left += needs[k]
    return False
