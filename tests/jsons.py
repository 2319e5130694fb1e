"""Random content of unchecked JSON files for property tests of readers: values of any kind in any place."""

import copy
import json
from typing import Any

from hypothesis import strategies as st

HUGE = 10**400  # larger than any float
DEEP = "[" * 100_000 + "]" * 100_000
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5000),
    st.sampled_from([HUGE, -HUGE, 2**31, 2**63, 10**20]),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["\ud800", "\0", "a" * 5000, "../x", "file:", "é"]),
)
NAMES = st.text(max_size=5)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def places(plain: Any) -> list[tuple]:
    """The path to each value in decoded JSON, the whole first."""
    inside = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [(), *((key, *way) for key, value in inside for way in places(value))]


def changed(plain: Any, way: tuple, value: Any) -> Any:
    """A copy with another value at a path."""
    if not way:
        return value
    made = copy.deepcopy(plain)
    inside = made
    for key in way[:-1]:
        inside = inside[key]
    inside[way[-1]] = value
    return made


@st.composite
def texts(draw, plain: Any) -> str:
    """JSON text with other values at up to two paths, a field less, or a field more."""
    for _ in range(draw(st.integers(1, 2))):
        way = draw(st.sampled_from(places(plain)))
        plain = changed(plain, way, draw(VALUES))
    if isinstance(plain, dict) and plain and draw(st.booleans()):
        plain = {key: value for key, value in plain.items() if key != draw(st.sampled_from(sorted(plain)))}
    return json.dumps(plain)
