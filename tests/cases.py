"""Selects a share of the tests in Blender for each Blender after the first: behaviour that is the same in
every Blender is tested in only one of them.
"""

import os
from collections import defaultdict

import pytest

CASES = os.environ.get(
    "LIMBER_CASES", "1:0"
)  # interval and offset of the tested cases; 1: all cases of all tests


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """If not all cases are requested, selects the tests marked `every_blender`, and the requested share of
    their cases.

    Marked is what touches what differs between Blenders (properties, keys with their actions and slots, the
    depsgraph, handlers, undo, operators, drawing, rendering, files): whole files about Blender's own
    behaviour, and in other files the only tests that reach some code that uses Blender, the cheapest of those
    that do. All other tests give the same result in every Blender.
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
