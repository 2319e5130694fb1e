"""Tests the data that a robot's link receives for live joints: their values, and those one frame later."""

import bpy
import pytest
from limber.motion import Kinematic, extrapolated
from limber.rig.live import live
from limber.rig.robot import device, values

from tests.blender.baking import live_motion, moving_chain


@pytest.mark.parametrize("fps", [24, 60])
def test_velocities_are_per_frame_so_that_each_value_says_where_its_joint_will_be(fps):
    chain = moving_chain()
    rig, scene = chain.id_data, bpy.context.scene
    scene.render.fps = fps
    live_motion(rig, [chain], range(5, 10))
    sources = device.sources(rig)
    missed = moved = 0.0
    before: list[Kinematic] = []
    for frame in range(10, 26):
        scene.frame_set(frame)
        handed = values.with_rates(rig, sources, values.newest(rig, sources, [0.0] * len(sources)))
        assert all(isinstance(one, Kinematic) for one in handed)
        missed += sum(
            abs(extrapolated(old, 1.0) - new.position) for old, new in zip(before, handed, strict=False)
        )
        moved += sum(abs(old.position - new.position) for old, new in zip(before, handed, strict=False))
        before = handed
    assert moved > 0.1
    assert missed < 0.3 * moved


def test_the_frame_after_dropped_ones_says_where_its_joint_will_be_when_none_is_dropped_again(monkeypatch):
    chain = moving_chain()
    rig, scene = chain.id_data, bpy.context.scene
    live_motion(rig, [chain], range(5, 15))
    monkeypatch.setattr(live, "is_playing", lambda: True)
    sources = device.sources(rig)

    def shown(frame: int) -> list[Kinematic]:
        scene.frame_set(frame)
        return values.with_rates(rig, sources, values.newest(rig, sources, [0.0] * len(sources)))

    after, following = shown(19), shown(20)
    moved = sum(abs(new.position - old.position) for old, new in zip(after, following, strict=True))
    missed = sum(
        abs(new.position - extrapolated(old, 1.0)) for old, new in zip(after, following, strict=True)
    )
    assert moved > 0.01
    assert missed < 0.3 * moved
