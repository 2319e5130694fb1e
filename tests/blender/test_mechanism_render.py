"""Tests that rendering a live mechanism shows the same as its bake, also if its own settings have keyframes
or drivers.
"""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.filming import film, render_all
from tests.blender.rigs import keyed, make_active

pytestmark = pytest.mark.every_blender

FRAMES = range(1, 9)


def keyed_motor():
    owner = those.add("four_bar", place=(0.0, 0.0, 0.0))
    keyed(owner.limber.mechanism.motors[0], FRAMES, "value", 1.2)
    return owner


def driven_motor():
    owner = those.add("four_bar", place=(0.0, 0.0, 0.0))
    driver = owner.limber.mechanism.motors[0].driver_add("value").driver
    driver.type, driver.expression = "SCRIPTED", "frame * 0.1"
    return owner


def keyed_weights():
    owner = those.add("pantograph", place=(0.0, 0.0, 0.0))
    goal = owner.limber.mechanism.goals[0]
    keyed(goal.target, FRAMES, end=np.add(goal.target.location, (0.05, 0.0, -0.05)))
    goal.position_weight = (1.0, 0.0, 0.0)
    keyed(goal, FRAMES, "position_weight", (1.0, 0.0, 1.0))
    return owner


@pytest.mark.parametrize("made", [keyed_motor, driven_motor, keyed_weights])
def test_a_rendered_mechanism_is_what_is_baked(made, tmp_path):
    owner = made()
    for motor in owner.limber.mechanism.motors:
        motor.velocity, motor.acceleration, motor.jerk = 40.0, 4e3, 4e5
    film((0.1, -2.0, 0.1), (np.pi / 2, 0.0, 0.0), FRAMES, 0.7)
    bpy.context.scene.frame_set(FRAMES[0])
    make_active(owner)
    bpy.ops.limber.live()
    while_live = render_all(tmp_path / "live")
    owner.limber.mechanism.frame_start, owner.limber.mechanism.frame_end = FRAMES[0], FRAMES[-1]
    bpy.ops.limber.bake()
    from_keys = render_all(tmp_path / "baked")
    assert np.abs(np.diff(from_keys, axis=0)).mean() > 1e-4, "it moves"
    assert np.abs(while_live - from_keys).mean() < 1e-4
