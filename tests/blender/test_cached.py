"""Tests the values that sessions keep until what they are made of changes."""

import pytest
from limber.rig.live.session import NO_VALUE


def test_a_value_is_made_anew_only_where_its_key_has_changed():
    made = []

    def make() -> int:
        made.append(len(made))
        return len(made)

    first = NO_VALUE.of(("bone", 1), make)
    assert first.of(("bone", 1), make) is first
    second = first.of(("bone", 2), make)
    assert (first.value, second.value, len(made)) == (1, 2, 2)
    assert NO_VALUE.value is None, "what copies of a session share does not change"


def test_a_value_that_cannot_be_made_leaves_the_one_before():
    value = NO_VALUE.of("key", lambda: "made")
    with pytest.raises(ZeroDivisionError):
        value.of("other", lambda: 1 // 0)
    assert value == ("key", "made")
