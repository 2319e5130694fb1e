"""Tests that baked mechanisms show the live motion, with any other data that place a body: deltas, drivers,
constraints, parents of every kind.
"""

import bpy
import numpy as np
import pytest

from tests.blender import mechanisms as those
from tests.blender.four_bars import boned, four_bar, owned
from tests.blender.rigs import make_active

pytestmark = pytest.mark.every_blender

BODIES = ("crank", "coupler", "rocker")
NEAR = 1e-5  # tolerance of single precision, through parents and Euler angles


def bake_and_compare(prepare) -> object:
    """Compares a prepared four-bar, rotated by a motor, live and baked; returns its owner."""
    four_bar(those.joint, "revolute", bodies="")
    things = [bpy.data.objects[name] for name in BODIES]
    prepare(*things)
    those.update()
    owner = owned()
    kept = owner.limber.mechanism
    kept.drive, kept.motors[0].value = "MOTORS", 0.7
    bpy.ops.limber.live()
    those.settle(owner)
    live = {name: those.world(bpy.data.objects[name]) for name in BODIES}
    kept.frame_start, kept.frame_end = 1, 3
    bpy.ops.limber.bake()
    assert not kept.live
    bpy.context.scene.frame_set(2)
    baked = {name: those.world(bpy.data.objects[name]) for name in BODIES}
    assert those.furthest(live, baked) < NEAR
    return owner


def shift(thing) -> None:
    """Moves an object's location to its delta, so that its position is unchanged."""
    thing.delta_location = (0.03, 0.01, 0.02)
    for k in range(3):
        thing.location[k] -= thing.delta_location[k]
    thing.delta_rotation_euler = (0.3, 0.4, -0.2)
    thing.delta_rotation_quaternion = (0.9, 0.2, 0.3, 0.1)
    thing.delta_scale = (2.0, -1.5, 0.5)


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_deltas_of_a_body_are_taken_into_account(mode):
    def prepare(*things):
        for thing in things:
            thing.rotation_mode = mode
            shift(thing)

    bake_and_compare(prepare)


def test_a_sketch_with_deltas_is_assembled_where_its_joints_hold():
    four_bar(those.joint, "revolute", bodies="")
    for name in BODIES:
        shift(bpy.data.objects[name])
    those.update()
    owned()
    before = {name: those.world(bpy.data.objects[name]) for name in BODIES}
    bpy.ops.limber.assemble_mechanism()
    assert those.furthest(before, {name: those.world(bpy.data.objects[name]) for name in BODIES}) < NEAR


def test_drivers_of_baked_channels_are_muted_and_others_go_on():
    def prepare(crank, coupler, rocker):
        for thing, path, index in (
            (coupler, "location", 0),
            (rocker, "rotation_euler", 1),
            (coupler, "delta_location", 1),
        ):
            thing.driver_add(path, index).driver.expression = repr(getattr(thing, path)[index])

    bake_and_compare(prepare)
    coupler, rocker = bpy.data.objects["coupler"], bpy.data.objects["rocker"]
    assert {curve.data_path: curve.mute for curve in coupler.animation_data.drivers} == {
        "location": True,
        "delta_location": False,
    }
    assert rocker.animation_data.drivers[0].mute


def test_what_is_muted_is_named():
    from limber.rig.output.bake import Bake

    four_bar(those.joint, "revolute", bodies="")
    crank, coupler = bpy.data.objects["crank"], bpy.data.objects["coupler"]
    crank.driver_add("location", 2).driver.expression = "0.0"
    coupler.constraints.new("COPY_ROTATION").target = bpy.data.objects["ground"]
    coupler.constraints.new("LIMIT_LOCATION").mute = True
    owner = owned()
    motor = owner.limber.mechanism.motors[0]
    motor.driver_add("value").driver.expression = "0.2"
    owner.limber.mechanism.frame_end = owner.limber.mechanism.frame_start + 1
    kept = owner.limber.mechanism
    work = Bake(bpy.context.scene, [(owner, kept)], kept.frame_start, kept.frame_end)
    while work.step():
        pass
    drivers, constraints = work.mute()
    assert "'crank' location Z" in drivers
    assert f"motor '{motor.name}'" in drivers
    assert constraints.endswith(": 'Copy Rotation' of 'coupler'")
    work.cancel()


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "COPY_LOCATION", "CHILD_OF", "LIMIT_LOCATION"])
def test_a_bodys_own_constraints_do_not_act_on_top_of_the_keys(kind):
    def prepare(crank, coupler, rocker):
        held = coupler.constraints.new(kind)
        if kind == "LIMIT_LOCATION":
            held.use_max_x, held.max_x = True, coupler.location.x
        else:
            held.target = those.box("other", tuple(coupler.location))
            held.target.rotation_euler = (0.1, 0.2, 0.3) if kind == "COPY_ROTATION" else (0.0, 0.0, 0.0)
        if kind == "CHILD_OF":
            held.target.rotation_euler.z = 1.0
            those.update()
            held.inverse_matrix = held.target.matrix_world.inverted()

    bake_and_compare(prepare)
    assert bpy.data.objects["coupler"].constraints[0].mute
    assert len(bpy.data.objects["coupler"].constraints) == 1, "Limber's own is gone"


def test_keys_of_a_constraints_switch_do_not_switch_it_on_again():
    def prepare(crank, coupler, rocker):
        held = coupler.constraints.new("COPY_ROTATION")
        held.target = those.box("other")
        held.target.rotation_euler = (0.1, 0.2, 0.3)
        held.keyframe_insert("enabled", frame=1)

    bake_and_compare(prepare)


def test_undo_brings_drivers_and_constraints_back(undo_step):
    four_bar(those.joint, "revolute", bodies="")
    crank = bpy.data.objects["crank"]
    crank.driver_add("location", 2).driver.expression = "0.0"
    crank.constraints.new("COPY_SCALE").target = bpy.data.objects["ground"]
    owner = owned()
    owner.limber.mechanism.frame_end = owner.limber.mechanism.frame_start + 1
    undo_step("made")
    bpy.ops.limber.bake()
    crank = bpy.data.objects["crank"]
    assert crank.animation_data.drivers[0].mute
    assert crank.constraints[0].mute
    undo_step("baked")
    bpy.ops.ed.undo()
    crank = bpy.data.objects["crank"]
    assert not crank.animation_data.drivers[0].mute
    assert not crank.constraints[0].mute


def shaped(kind: str):
    """A rotated object with a shape, away from the origin."""
    bpy.ops.mesh.primitive_cube_add(size=0.1) if kind == "mesh" else bpy.ops.curve.primitive_nurbs_path_add()
    made = bpy.context.active_object
    made.location, made.rotation_euler = (0.1, 0.2, 0.3), (0.3, 0.2, 0.1)
    if kind == "curve":
        made.data.use_path, made.data.eval_time = True, 30.0
    return made


@pytest.mark.parametrize(
    ("kind", "on"), [("mesh", "VERTEX"), ("mesh", "VERTEX_3"), ("curve", "OBJECT"), ("lattice", "LATTICE")]
)
def test_a_body_that_sits_on_a_shape_is_baked_where_it_is(kind, on):
    def prepare(crank, coupler, rocker):
        if kind == "lattice":
            made = bpy.data.objects.new("lattice", bpy.data.lattices.new("lattice"))
            bpy.context.scene.collection.objects.link(made)
            made.location = (0.1, 0.2, 0.3)
        else:
            made = shaped(kind)
        those.update()
        world = rocker.matrix_world.copy()
        rocker.parent, rocker.parent_type = made, on
        rocker.parent_vertices = [0, 1, 2]
        those.update()
        rocker.matrix_world = world

    bake_and_compare(prepare)


def test_a_body_on_vertices_that_another_body_shapes_is_refused_by_name_before_anything_is_written():
    four_bar(those.joint, "revolute", bodies="")
    skin = shaped("mesh")
    hook = skin.modifiers.new("Hook", "HOOK")
    hook.object = bpy.data.objects["crank"]
    rocker = bpy.data.objects["rocker"]
    rocker.parent, rocker.parent_type = skin, "VERTEX"
    owned()
    with pytest.raises(
        RuntimeError,
        match=f"'rocker' is a child of '{skin.name}', which is shaped by its modifier 'Hook' after 'crank'",
    ):
        bpy.ops.limber.bake()
    assert not bpy.data.actions
    assert rocker.animation_data is None


def test_a_body_whose_parent_follows_another_body_by_a_constraint_is_refused():
    four_bar(those.joint, "revolute", bodies="")
    holder = those.box("holder")
    holder.constraints.new("COPY_LOCATION").target = bpy.data.objects["crank"]
    bpy.data.objects["rocker"].parent = holder
    those.update()
    owned()
    with pytest.raises(
        RuntimeError, match="'holder', which follows by its constraint 'Copy Location' 'crank'"
    ):
        bpy.ops.limber.bake()


def test_an_nla_track_that_plays_alone_is_refused():
    four_bar(those.joint, "revolute", bodies="")
    crank = bpy.data.objects["crank"]
    crank.keyframe_insert("location", frame=1)
    track = crank.animation_data.nla_tracks.new()
    track.strips.new("moves", 1, crank.animation_data.action)
    track.is_solo = True
    owned()
    with pytest.raises(RuntimeError, match="of 'crank' plays alone"):
        bpy.ops.limber.bake()


def test_a_bones_limits_stay_where_the_motion_keeps_to_them_and_are_muted_where_it_does_not():
    rig, closure = boned()
    closure.kind = "revolute"
    kept = rig.limber.mechanism
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    for name, most in (("crank", 2.0), ("rocker", 0.05)):
        held = rig.pose.bones[name].constraints.new("LIMIT_ROTATION")
        held.owner_space, held.use_limit_x, held.min_x, held.max_x = "LOCAL", True, -most, most
    kept.drive, kept.motors[0].value = "MOTORS", 0.5
    kept.frame_start, kept.frame_end = 1, 3
    make_active(rig)
    bpy.ops.limber.live()
    those.settle(rig)
    shown = {bone.name: np.array(bone.matrix) for bone in rig.evaluated_get(those.update()).pose.bones}
    bpy.ops.limber.bake()
    bpy.context.scene.frame_set(2)
    for bone in rig.pose.bones:
        assert np.abs(np.array(bone.matrix) - shown[bone.name]).max() < NEAR, bone.name
    assert not rig.pose.bones["crank"].constraints[0].mute
    assert rig.pose.bones["rocker"].constraints[0].mute


def test_the_report_of_a_bake_names_a_few_of_many_actions(capfd):
    those.add("stewart")
    bpy.context.scene.frame_end = 2
    bpy.ops.limber.bake()
    said = next(line for line in capfd.readouterr().out.splitlines() if "Baked 2 frames" in line)
    assert said.count("Baked'") == 6
    assert said.endswith(" ...")
