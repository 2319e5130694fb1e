"""Of tests in Blender only a share in one Blender after the other: what every Blender does alike, one of them
tries.
"""

import os
from collections import defaultdict

import pytest

CASES = os.environ.get(
    "LIMBER_CASES", "1:0"
)  # every how many-th of a test's cases is tried, and from which on; 1: all of all tests


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where not all cases are asked for: tests marked `every_blender`, and of their cases the asked share.

    Marked are whole files on what Blender itself does (operators, undo, saving, handlers, overrides, actions,
    rendering, import) and, in files on what Limber computes, tests that alone reach some of its code that
    speaks with Blender. All else is the same in every Blender.
    """
    every, first = map(int, CASES.split(":"))
    if every == 1:
        return
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("every_blender"):
            cases[item.nodeid.split("[")[0]].append(item)
    kept = {id(item) for some in cases.values() for item in some[min(first, len(some) - 1) :: every]}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]
