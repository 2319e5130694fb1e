"""Mechanisms of bones on an animated armature object: what is read of them does not depend on the frame in
which it is read, so that a bake moves as live motion that began in another frame.
"""

from math import pi

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.rigs import make_active, target
from tests.blender.test_mechanism_floating import of_a_file, of_bones
from tests.blender.test_mechanism_masses import block, on_bone

FRAMES = range(1, 41)
DOUBLE = 1e-9  # [rad] tolerance between two runs in double precision
START, END = ((3.1, -2.3, 0.7), (0.3, -0.2, 0.4)), ((-5.7, 4.9, 1.3), (-0.5, 0.8, 0.4 + pi))


def led(tmp_path):
    """A four-bar of bones whose coupler follows a target that moves with the armature."""
    rig = of_bones(tmp_path)
    follows(rig, "coupler", (0.0, 0.17, 0.14), 0.03)
    return rig


def floating(tmp_path):
    """The same with a floating base."""
    rig = led(tmp_path)
    rig.limber.mechanism.floating_base = True
    return rig


def imported(tmp_path):
    """An imported parallelogram whose plate follows a target that moves with the armature."""
    rig = of_a_file(tmp_path)
    follows(rig, "plate", rig.data.bones["plate"].head_local, 0.1)
    return rig


def balanced(tmp_path):
    """A four-bar of bones whose centre of mass, of a mesh on a bone and a skin, follows a target."""
    rig = of_bones(tmp_path)
    on_bone(block("brick", (0.1, 0.2, 0.05), (0.0, 0.1, 0.15)), rig, "coupler")
    on_bone(block("lug", (0.05, 0.02, 0.05), (0.0, 0.1, 0.25)), rig, "coupler")
    held = bpy.data.objects["lug"].matrix_world.copy()
    bpy.data.objects["lug"].parent_type, bpy.data.objects["lug"].parent = "OBJECT", bpy.data.objects["brick"]
    bpy.context.view_layer.update()
    bpy.data.objects["lug"].matrix_world = held
    skin = block("skin", (0.02, 0.02, 0.05), (0.0, 0.0, 0.03))
    skin.vertex_groups.new(name="crank").add(range(8), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.parent = rig
    follows(rig, "", (0.0, 0.09, 0.1), 0.02).does = "CENTRE"
    return rig


def follows(rig, bone: str, place, far: float):
    """A goal for a bone's position, whose target is a child of the armature and moves to and fro by `far` [m]
    in its space.
    """
    settings = rig.limber.mechanism
    goal = settings.goals.add()
    goal.name, goal.bone, goal.target = "goal", bone, target(place, "there")
    goal.does, goal.rotation_weight, settings.drive = "FRAME", (0.0, 0.0, 0.0), "TARGETS"
    goal.target.parent = rig
    for frame in FRAMES[::10]:
        goal.target.location = place
        goal.target.location[0 if bone == "plate" else 1] += far * np.sin(0.3 * frame)
        goal.target.keyframe_insert("location", frame=frame)
    return goal


def keyed(obj) -> None:
    """Keys an object's location and rotation, far from the world's origin."""
    obj.rotation_mode = "XYZ"
    for frame, (location, rotation) in zip((FRAMES[0], FRAMES[-1]), (START, END), strict=True):
        obj.location, obj.rotation_euler = location, rotation
        obj.keyframe_insert("location", frame=frame)
        obj.keyframe_insert("rotation_euler", frame=frame)


def on_own_keys(rig, size: float) -> None:
    rig.scale = (size, size, size)
    keyed(rig)


def on_a_cart(rig, size: float) -> None:
    """Makes the armature the child of a keyed object; both are scaled, together by `size`."""
    cart = target((0.2, 0.1, 0.3), "cart")
    cart.rotation_euler = (0.2, 0.5, 0.1)
    bpy.context.view_layer.update()
    rig.parent, rig.matrix_parent_inverse = cart, cart.matrix_world.inverted()
    cart.scale, rig.scale = 3 * (1.7,), 3 * (size / 1.7,)
    rig.rotation_euler = (0.4, -0.7, 0.3)
    keyed(cart)


def baked(rig) -> np.ndarray:
    """Values of the motors in each frame of a bake, before they become keys."""
    from limber.rig.output.bake import Bake

    settings = rig.limber.mechanism
    work, values, more = Bake(bpy.context.scene, [(rig, settings)], FRAMES[0], FRAMES[-1]), [], True
    while more:
        more = work.step()
        values.append(work.stage.session(rig, settings).outputs.values)
    work.cancel()
    return np.array(values)


def played(rig, begun_in: int) -> np.ndarray:
    """Values of the motors in each frame of live motion that was started in frame `begun_in`."""
    bpy.context.scene.frame_set(begun_in)
    make_active(rig)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(FRAMES[-1] + 100)  # so that the motion starts anew in the first frame
    values = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert those.session(rig).problem == ""
        values.append(those.session(rig).outputs.values)
    return np.array(values)


@pytest.mark.parametrize("move", [on_own_keys, on_a_cart])
@pytest.mark.parametrize(
    ("make", "size"),
    [(led, 1.0), (led, 0.37), (floating, 2.9), (imported, 1.0), (balanced, 1.0), (balanced, 0.37)],
)
def test_a_bake_moves_as_live_motion_that_began_in_another_frame(make, size, move, tmp_path):
    rig = make(tmp_path)
    move(rig, size)
    bpy.context.scene.frame_set(FRAMES[0])
    rows = baked(rig)
    live = played(rig, FRAMES[-7])
    assert np.ptp(rows, axis=0).max() > 0.005
    assert np.abs(live - rows).max() < DOUBLE
