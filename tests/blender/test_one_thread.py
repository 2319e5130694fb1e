"""Tests that numpy's linear algebra uses one thread while Limber computes, and as many as before
afterwards.
"""

import bpy
import pytest
from limber.character.chain import tick as chain_tick
from limber.character.mechanism import tick as mechanism_tick
from limber.rig.mechanisms import assembled as mechanism_ready
from limber.rig.output import compare
from threadpoolctl import ThreadpoolController

from tests.blender import mechanisms
from tests.blender.rigs import looking_chain

MANY = 3

blas = ThreadpoolController().select(user_api="blas")
pytestmark = [
    pytest.mark.every_blender,
    pytest.mark.skipif(not blas.lib_controllers, reason="this numpy has a BLAS without threads"),
]


def threads() -> set[int]:
    return {library.get_num_threads() for library in blas.lib_controllers}


@pytest.fixture
def watch(monkeypatch):
    """Records the number of threads whenever a function of a module is called."""
    seen: list[set[int]] = []

    def spy(module, name: str) -> list[set[int]]:
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *args, **options: (seen.append(threads()), real(*args, **options))[1]
        )
        return seen

    with blas.limit(limits=MANY):
        yield spy


def test_a_chain_moves_in_one_thread(watch):
    looking_chain()
    seen = watch(chain_tick, "tick")
    bpy.ops.limber.live()
    assert seen
    assert all(count == {1} for count in seen)
    assert threads() == {MANY}


def test_a_mechanism_is_assembled_and_moves_in_one_thread(watch):
    mechanisms.add("four_bar")
    watch(mechanism_ready, "assemble")
    seen = watch(mechanism_tick, "tick")
    bpy.ops.limber.live()
    assert len(seen) > 1
    assert all(count == {1} for count in seen)
    assert threads() == {MANY}


def test_solvers_are_compared_in_one_thread(watch):
    looking_chain()
    seen = watch(compare._Contestant, "solve")
    bpy.ops.limber.compare_solvers()
    assert seen
    assert all(count == {1} for count in seen)
    assert threads() == {MANY}
