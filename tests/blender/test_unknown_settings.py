"""Tests settings unknown to this version, in files of another version, and settings that are not numbers."""

import math
from types import SimpleNamespace

import bpy
import pytest
from limber.character.chain.tick import make_model
from limber.motion import MotionError, MotionStyle
from limber.rig.blender.errors import RigError
from limber.rig.live import live
from limber.rig.scene import goal
from limber.solvers.goals import GazeError

from tests.blender.rigs import looking_chain
from tests.blender.test_tick_posture import lamp

pytestmark = pytest.mark.every_blender


@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("forward_axis", "", "choose Forward Axis"),
        ("up", "", "choose Forward Axis and Up"),
        ("eye", math.nan, "set it between 0"),
        ("up", "+Y", "choose another"),
    ],
)
def test_a_tool_that_cannot_be_says_which_setting_to_mend(setting, value, remedy):
    chain = SimpleNamespace(
        **{
            "name": "Neck",
            "forward_axis": "+Y",
            "up": "+Z",
            "eye": 1.0,
            "end": "head",
            "ends": (),
            "watch": 0,
            setting: value,
        }
    )
    with pytest.raises(RigError, match=f"'Neck'.*{remedy}"):
        goal.tool_frame(goal.ends_of(chain)[0], 1.0)


@pytest.mark.parametrize(
    ("solver", "filter_name", "error"), [("", "default", GazeError), ("erik_exact", "", MotionError)]
)
def test_a_solver_or_filter_of_another_version_is_named_with_those_there_are(solver, filter_name, error):
    with pytest.raises(error, match="choose one of"):
        make_model(lamp(), solver, filter_name, MotionStyle(), posture_jumps=False)


def test_an_eye_that_is_no_number_is_a_sentence_in_check_and_while_live():
    rig, chain = looking_chain()
    bpy.ops.limber.live()
    chain.eye = math.nan
    bpy.context.scene.frame_set(2)
    assert "set it between 0" in live.session(rig, chain).problem
    bpy.ops.limber.end_live()
    with pytest.raises(RuntimeError, match="set it between 0"):
        bpy.ops.limber.live()


def test_purging_orphans_while_live_does_no_harm():
    rig, chain = looking_chain()
    bpy.ops.limber.live()
    bpy.data.orphans_purge()
    bpy.context.scene.frame_set(2)
    bpy.context.scene.frame_set(3)
    assert not live.session(rig, chain).problem
    assert chain.live
