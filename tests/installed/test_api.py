"""Tests the examples of docs/api.md, and further guarantees of the functions, on the package as a user has
it.
"""

import contextlib
import importlib
import io
import re
from pathlib import Path
from types import ModuleType

import bpy
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


@pytest.fixture
def api(enabled: ModuleType) -> ModuleType:
    return importlib.import_module(f"{enabled.__name__}.api")


@pytest.fixture
def lamp(api: ModuleType, rigs: ModuleType):
    """A rig, and its chain that looks at a moving target."""
    rig = rigs.build(rigs.UPRIGHT)
    chain = api.new_chain(rig, "head", target=rigs.keyed(rigs.target(), range(1, 11)))
    return rig, chain


def test_the_pages_examples_run_one_after_the_other(enabled: ModuleType):
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) > 4
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        exec(compile("\n".join(examples), str(PAGE), "exec"), names)
    assert "has no bone 'haed': name one of base, lower, upper, head" in printed.getvalue()
    assert names["solution"].aim_error < 0.1
    assert names["action"].name == "Lamp Baked"
    assert len(names["table"]["Lamp", "head"]["base", "Y"]) == 24


def test_solving_writes_nothing(api: ModuleType, lamp):
    rig, chain = lamp
    before = [tuple(bone.rotation_euler) for bone in rig.pose.bones], set(bpy.data.objects.keys())
    answer = api.solve(rig, chain)
    assert ([tuple(bone.rotation_euler) for bone in rig.pose.bones], set(bpy.data.objects.keys())) == before
    assert set(answer.angles) == {(joint.bone, joint.axis) for joint in chain.joints}


def test_what_cannot_be_solved_is_a_sentence(api: ModuleType, lamp):
    rig, chain = lamp
    chain.target = None
    with pytest.raises(api.RigError, match="has no target: choose"):
        api.solve(rig, chain)


def test_motion_is_what_a_bake_keys_and_writes_nothing_itself(api: ModuleType, lamp):
    rig, chain = lamp
    table = api.motion([(rig, chain)], 1, 10)
    assert rig.animation_data is None
    api.bake([(rig, chain)], 1, 10)
    bpy.context.scene.frame_set(7)
    for (bone, axis), values in table[rig.name, chain.name].items():
        assert rig.pose.bones[bone].rotation_euler["XYZ".index(axis)] == pytest.approx(values[6], abs=1e-6)


def test_a_root_makes_a_chain_of_the_bones_below_it(api: ModuleType, rigs: ModuleType):
    chain = api.new_chain(rigs.build(rigs.UPRIGHT), "head", root="middle")
    assert (chain.root, chain.end) == ("middle", "head")
