"""Tests messages of Reachy Mini's daemon: damaged ones are ignored."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.reachy_mini.messages import JointPositions, decode

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


def positions(head: str, antennas: str = "0.1, -0.1") -> str:
    return (
        f'{{"type": "joint_positions", "head_joint_positions": [{head}], "antennas_joint_positions":'
        f" [{antennas}]}}"
    )


def test_whole_numbers_are_angles_too():
    assert decode(positions("1, 2, 3, 4, 5, 6, 7")) == JointPositions(
        (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0), (0.1, -0.1)
    )


@pytest.mark.parametrize("one", ["NaN", "Infinity", "1e999", "9" * 400, "true", '"1"', "null", "[1]"])
def test_positions_with_one_that_is_no_number_say_nothing(one):
    assert decode(positions(f"{one}, 2, 3, 4, 5, 6, 7")) is None
    assert decode(positions("1, 2, 3, 4, 5, 6, 7", f"0, {one}")) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "[" * 100_000, '{"type": []}', "9" * 5000])
def test_a_text_that_is_no_message_says_nothing(text):
    assert decode(text) is None


@given(st.sampled_from(["joint_positions", "daemon_status", "play_uploaded_move"]), PLAIN, PLAIN)
def test_fields_of_any_kind_raise_no_error(kind, first, second):
    decode(
        json.dumps(
            {
                "type": kind,
                "head_joint_positions": first,
                "antennas_joint_positions": second,
                "backend_status": first,
                "state": second,
            }
        )
    )
