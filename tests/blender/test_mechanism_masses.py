"""Tests the bodies' masses: their own, those of robots' files and rigid bodies, and by the volume of meshes;
and the sentence about bodies without mass.
"""

import bpy
import numpy as np
import pytest
from limber.panels.mechanism.mechanisms import LIMBER_PT_mechanism
from mathutils import Matrix, Vector

from tests.blender import mechanisms as those
from tests.blender.drawing import drawn
from tests.blender.four_bars import arms, boned, four_bar, owned
from tests.blender.test_mechanism_messages import says
from tests.robots.test_closures import CLOSED, parallelogram

CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def block(name: str, size, middle=(0.0, 0.0, 0.0), sides=SIDES):
    """A block [m] about a middle, with its mesh in the world's frame."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([Vector(middle) + Vector(size) * Vector(corner) / 2 for corner in CUBE], [], sides)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def on_bone(thing, rig, bone: str) -> None:
    """Makes an object the child of a bone without moving it."""
    bpy.context.view_layer.update()
    world = thing.matrix_world.copy()
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", bone
    bpy.context.view_layer.update()
    thing.matrix_world = world


def weighed(owner) -> dict[str, tuple[float, np.ndarray]]:
    """Mass [kg] and centre [m], in the world, of each body."""
    from limber.rig.live.live import as_authored
    from limber.rig.mechanisms import assembled

    with as_authored() as depsgraph:
        made = assembled.prepare(owner, depsgraph)
    poses = made.base @ made.model.solver.poses(made.model.rest)
    bodies = made.reading.mechanism.bodies
    return {
        body.name: (body.mass, (pose @ (*body.centre, 1.0))[:3])
        for body, pose in zip(bodies, poses, strict=True)
    }


def with_centre_goal(owner):
    goal = owner.limber.mechanism.goals.add()
    goal.name, goal.does, goal.target = "balance", "CENTRE", those.box("there")
    owner.limber.mechanism.drive = "TARGETS"
    return goal


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_a_bone_weighs_what_hangs_on_it_about_its_middle(angle):
    rig, _ = boned()
    rig.matrix_world = Matrix.Translation((1.0, 2.0, 0.5)) @ Matrix.Rotation(angle, 4, (0.0, 0.6, 0.8))
    brick = block("brick", (0.1, 0.2, 0.05), (1.3, 2.0, 0.4))
    on_bone(brick, rig, "coupler")
    mass, centre = weighed(rig)["coupler"]
    assert mass == pytest.approx(1.0, rel=1e-5)
    assert np.abs(centre - (1.3, 2.0, 0.4)).max() < 1e-5
    assert weighed(rig)["crank"][0] == 0.0


def test_density_counts_in_kilograms_to_the_true_cubic_metre():
    rig, _ = boned()
    on_bone(block("brick", (0.1, 0.1, 0.1)), rig, "crank")
    rig.limber.mechanism.density = 2700.0
    assert weighed(rig)["crank"][0] == pytest.approx(2.7, rel=1e-5)
    bpy.context.scene.unit_settings.scale_length = 0.1
    assert weighed(rig)["crank"][0] == pytest.approx(0.0027, rel=1e-5)


@pytest.mark.every_blender
def test_a_mesh_with_a_hole_counts_as_its_hull_and_one_inside_out_as_ever():
    rig, _ = boned()
    on_bone(block("cup", (0.1, 0.1, 0.1), (0.5, 0.0, 0.0), SIDES[1:]), rig, "crank")
    on_bone(block("turned", (0.1, 0.1, 0.2), (0.0, 0.3, 0.0), [side[::-1] for side in SIDES]), rig, "rocker")
    found = weighed(rig)
    assert found["crank"][0] == pytest.approx(1.0, rel=1e-4)
    assert np.abs(found["crank"][1] - (0.5, 0.0, 0.0)).max() < 1e-4
    assert found["rocker"][0] == pytest.approx(2.0, rel=1e-5)


@pytest.mark.every_blender
def test_a_character_that_is_one_mesh_weighs_by_its_vertex_groups():
    rig = arms()
    bpy.ops.limber.new_mechanism()
    skin = block("skin", (0.1, 0.1, 0.1), (0.0, 0.0, 0.3))
    other = block("other", (0.1, 0.1, 0.3), (0.0, 0.5, 0.0))
    for thing, bone in ((skin, "crank"), (other, "rocker")):
        group = thing.vertex_groups.new(name=bone)
        group.add(range(8), 0.8, "REPLACE")
        thing.modifiers.new("Armature", "ARMATURE").object = rig
    rig.pose.bones["crank"].rotation_mode = "XYZ"
    found = weighed(rig)
    assert found["crank"][0] == pytest.approx(1.0, rel=1e-4)
    assert np.abs(found["crank"][1] - (0.0, 0.0, 0.3)).max() < 1e-4
    assert found["rocker"][0] == pytest.approx(3.0, rel=1e-4)


@pytest.mark.every_blender
def test_an_own_mass_counts_and_what_has_none_is_named():
    rig, _ = boned()
    with_centre_goal(rig)
    assert (
        "Goal 'balance': no body has a mass: give bodies meshes, or select them and set Mass From to Own"
        in says(rig)
    )
    body = rig.pose.bones["coupler"].limber_body
    body.mass_from, body.mass = "OWN", 0.25
    said = says(rig)
    assert (
        "Goal 'balance' is for the centre of mass, but 4 bodies that move have no mass: none is given" in said
    )
    assert "('ground', 'crank', 'side', 'rocker')" in said
    mass, centre = weighed(rig)["coupler"]
    assert mass == 0.25
    assert np.abs(centre - (0.0, 0.085, 0.095)).max() < 1e-6, "the bone's middle, where no mesh says another"
    for bone in rig.pose.bones:
        bone.limber_body.mass_from = "OWN"
    assert "no mass" not in says(rig)


TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
INERTIAL = f'<inertial><origin xyz="{{}} {{}} {{}}" rpy="0.3 0 0"/><mass value="{{}}"/>{TENSOR}</inertial>'
TOLD = {"left": (0.01, 0.02, 0.1, 0.5), "right": (0.0, 0.0, 0.1, 0.7), "plate": (0.25, 0.0, 0.03, 2.0)}
PLACES = {"left": (0.01, 0.02, 0.1), "right": (0.5, 0.0, 0.1), "plate": (0.25, 0.0, 0.23)}


@pytest.mark.parametrize("has_file", [False, True])
@pytest.mark.parametrize("root", ["", "plate"])
def test_masses_of_a_robots_file_count_for_its_bones_and_links_without_weigh_nothing(
    tmp_path, has_file, root
):
    text = parallelogram()
    for name, numbers in TOLD.items():
        text = text.replace(
            f'<link name="{name}"/>', f'<link name="{name}">{INERTIAL.format(*numbers)}</link>'
        )
    text = text.replace("plate_end", "closing_plate_1").replace("right_end", "closing_plate_2")
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    bpy.ops.limber.import_robot(
        filepath=str(tmp_path / "robot.urdf"),
        with_meshes=False,
        root="" if has_file else root,
        close_loops=False,
    )
    rig = bpy.context.active_object
    if has_file:
        (tmp_path / "robot.yaml").write_text(
            CLOSED.replace("plate_end", "closing_plate_1").replace("right_end", "closing_plate_2")
        )
        bpy.ops.limber.import_closures(filepath=str(tmp_path / "robot.yaml"))
    else:
        bpy.ops.limber.close_named_loops()
    found = weighed(rig)
    moved = (0.0, 0.0, 0.2) if root and not has_file else (0.0, 0.0, 0.0)
    for name, (*_, mass) in TOLD.items():
        assert found[name][0] == pytest.approx(mass)
        assert np.abs(found[name][1] + moved - PLACES[name]).max() < 1e-6, name
    assert found["base"][0] == 0.0
    with_centre_goal(rig)
    assert "no mass" not in says(rig)
    rig.pose.bones["base"].limber_body.mass_from = "OWN"
    rig.pose.bones["base"].limber_body.mass = 3.0
    assert weighed(rig)["base"][0] == 3.0


def test_objects_weigh_what_their_rigid_body_their_meshes_or_their_own_mass_says():
    four_bar(those.joint, "revolute", bodies="")
    owner = owned()
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = (bpy.data.objects[name] for name in names)
    with_centre_goal(owner)
    assert "but 3 bodies that move have no mass" in says(owner), "a triangle has no volume"
    brick = block("brick", (0.1, 0.1, 0.1), (0.3, 0.0, 0.0))
    brick.parent = crank
    those.make_active(coupler)
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    coupler.rigid_body.mass = 0.4
    rocker.limber.part.mass_from, rocker.limber.part.mass = "OWN", 0.2
    found = weighed(owner)
    assert [found[name][0] for name in names] == pytest.approx([1.0, 0.4, 0.2], rel=1e-4)
    assert np.abs(found["crank"][1] - (0.3, 0.0, 0.0)).max() < 1e-5
    assert np.abs(found["coupler"][1] - np.array(coupler.matrix_world.translation)).max() < 1e-6
    assert "no mass" not in says(owner)


def test_the_centre_of_mass_of_bones_goes_to_its_target():
    rig, _ = boned()
    for bone, mass in (("crank", 0.1), ("coupler", 0.5), ("rocker", 0.3)):
        rig.pose.bones[bone].limber_body.mass_from, rig.pose.bones[bone].limber_body.mass = "OWN", mass
    rig.data.bones.active = rig.data.bones["crank"]
    bpy.ops.limber.add_motors()
    goal = with_centre_goal(rig)
    before = weighed(rig)
    whole = sum(mass for mass, _ in before.values())
    start = sum(mass * centre for mass, centre in before.values()) / whole
    goal.target.location = start
    bpy.ops.limber.live()
    those.settle(rig)
    assert abs(those.session(rig).outputs.values[0]) < 1e-4
    goal.position_weight = (0.0, 1.0, 0.0)
    goal.target.location.y = start[1] + 0.01
    those.settle(rig)
    session = those.session(rig)
    poses = session.base @ session.outputs.poses
    bodies = session.reading.mechanism.bodies
    there = (
        sum(body.mass * (pose @ (*body.centre, 1.0))[:3] for body, pose in zip(bodies, poses, strict=True))
        / whole
    )
    assert there[1] == pytest.approx(start[1] + 0.01, abs=1e-5)


@pytest.mark.every_blender
def test_the_panel_has_the_mass_of_the_active_bone_and_of_the_active_body():
    def names() -> set[str]:
        return {name for whose, name in drawn(LIMBER_PT_mechanism).settings if name.startswith("mass")}

    rig, _ = boned()
    rig.data.bones.active = rig.data.bones["crank"]
    assert names() == {"mass_from"}
    rig.pose.bones["crank"].limber_body.mass_from = "OWN"
    assert names() == {"mass_from", "mass"}
    bpy.ops.object.mode_set(mode="OBJECT")
    owner = those.add("stewart")
    those.make_active(bpy.data.objects["Platform"])
    assert owner.limber.mechanism.uid
    assert names() == {"mass_from"}


@pytest.mark.parametrize("mass", ["volume", "own", "rigid body", "bone", "skin"])
def test_what_may_stand_on_the_ground_is_known_whatever_a_body_weighs_by(mass):
    from limber.rig.live.live import as_authored
    from limber.rig.mechanisms import assembled

    if mass in ("bone", "skin"):
        owner, _ = boned()
        brick = block("brick", (0.1, 0.2, 0.05), (0.3, 0.0, 0.4))
        if mass == "bone":
            on_bone(brick, owner, "crank")
        else:
            brick.vertex_groups.new(name="crank").add(range(8), 1.0, "REPLACE")
            brick.modifiers.new("Armature", "ARMATURE").object = owner
        body = "crank"
    else:
        owner = those.add("walker", place=(0.0, 0.0, 0.0))
        body = "Left Sole"
        sole = bpy.data.objects[body]
        if mass == "own":
            sole.limber.part.mass_from, sole.limber.part.mass = "OWN", 0.2
        elif mass == "rigid body":
            sole.limber.part.role = "MOVES"
            those.make_active(sole)
            bpy.ops.rigidbody.object_add(type="ACTIVE")
    with as_authored() as depsgraph:
        made = assembled.prepare(owner, depsgraph)
    k = made.reading.mechanism.body_index[body]
    pose = made.base @ made.model.solver.poses(made.model.rest)[k]
    points = made.reading.corners[k] @ pose[:3, :3].T + pose[:3, 3]
    lowest = 0.375 if mass in ("bone", "skin") else 0.0
    assert len(points) == 8
    assert points[:, 2].min() == pytest.approx(lowest, abs=1e-5)
