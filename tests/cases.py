"""Of tests with many cases only a share, and none of what every Blender does alike, where another Blender has tried them all."""

import os
from collections import defaultdict

import pytest

CASES = os.environ.get("LIMBER_CASES", "1:0")  # every how many-th of a test's cases is tried, and from which on


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of tests with many cases the asked share: what differs between Blenders seldom differs from case to case.

    Tests marked `one_blender` take long and try what Limber computes from input that is the same in every Blender: one is enough.
    """
    every, first = map(int, CASES.split(":"))
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    kept = {
        id(item)
        for some in cases.values()
        for item in some[min(first, len(some) - 1) :: every]
        if every == 1 or item.get_closest_marker("one_blender") is None
    }
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]
