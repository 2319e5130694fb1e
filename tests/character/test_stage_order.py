"""Tests the order of movers by their dependencies, and movers whose dependencies form a cycle."""

from hypothesis import given
from hypothesis import strategies as st
from limber.character.stage import feedback, in_order


def order(needs):
    return in_order(needs, [True] * len(needs))


def test_each_comes_after_those_on_which_it_depends():
    assert list(order([[2], [0], []]).indices) == [2, 0, 1]


def test_those_that_depend_on_nothing_keep_their_order():
    assert list(order([[], [], []]).indices) == [0, 1, 2]


def test_a_cycle_is_found_and_who_is_outside_of_it_is_not_in_it():
    found = order([[1], [0], [0], []])
    assert found.cyclic == {0, 1}
    assert list(found.indices).index(0) < list(found.indices).index(2)


def test_a_mover_that_does_not_look_forward_depends_on_itself_through_another():
    needs, looks_forward = [[1], [0]], [True, False]
    found = in_order(needs, looks_forward)
    assert not found.cyclic
    assert found.has_cycle
    assert feedback(needs, looks_forward) == {1: 0}


def test_one_that_follows_what_it_moves_depends_on_itself():
    assert in_order([[0]], [False]).has_cycle
    assert feedback([[0]], [False]) == {0: 0}


def test_who_does_not_depend_on_itself_has_no_feedback():
    assert not order([[], [0]]).has_cycle
    assert feedback([[], [0]], [True, False]) == {}


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=n), min_size=n, max_size=n)
    )
)
def test_every_mover_comes_once_and_after_what_it_needs_unless_there_is_a_cycle(needs):
    found = order(needs)
    assert sorted(found.indices) == list(range(len(needs)))
    place = {k: index for index, k in enumerate(found.indices)}
    for k, above in enumerate(needs):
        for other in above:
            assert place[other] < place[k] or k in found.cyclic or other in found.cyclic or found.cyclic
