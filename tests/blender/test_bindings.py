"""Tests that names imported by checks outside this project exist."""

from tests import bindings
from tests.blender.rigs import looking_chain
from tests.blender.shown import go_live


def test_the_solution_of_a_live_chain_is_had_and_none_of_one_at_rest():
    rig, chain = looking_chain()
    assert bindings.solution(rig, chain) is None
    go_live(rig, chain)
    assert bindings.solution(rig, chain).converged


def test_each_name_that_is_promised_is_there():
    assert all(hasattr(bindings, name) for name in bindings.__all__)
