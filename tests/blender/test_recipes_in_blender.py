"""The recipes of docs/extending.md that need Blender: what they list as all that has to be added is.

A kind of mover has its own test, `test_fourth_mover.py`; a robot of the gallery is in `test_gallery.py`. A
calibration step with a robot that answers needs a port: those in `test_robot_calibrate.py` have one.
"""

import bpy
import pytest
from bpy.props import FloatProperty
from limber.operators.operator import Operator, UndoOperator
from limber.operators.subject import rig_of
from limber.panels.tab import ArmatureTab
from limber.rig.blender.errors import RigError
from limber.rig.chains.chain import storage_of
from limber.rig.live import live
from limber.rig.live.stage import SceneStage
from limber.rig.output.stepped import SteppedJob
from limber.rig.properties import stored_numbers
from limber.rig.properties.chains import LimberRig
from limber.rig.robot import calibrating

from tests.blender.drawing import drawn
from tests.blender.rigs import make_active
from tests.blender.robots import robot_rig


@pytest.fixture
def chain():
    return robot_rig()[1]


@pytest.fixture
def registered():
    """A function that registers classes, which are removed after the test."""
    classes = []

    def register(*added: type) -> None:
        for cls in added:
            bpy.utils.register_class(cls)
            classes.append(cls)

    yield register
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)


# a button


class LIMBER_OT_straighten(UndoOperator):  # noqa: N801
    """Clear the rotations of the active armature's bones"""

    bl_label = "Straighten"

    @classmethod
    def why_not(cls, context):
        rig = rig_of(context)
        return "" if rig is not None and rig.pose else "No armature is active: select one"

    def run(self, context):
        bones = rig_of(context).pose.bones
        if all(bone.lock_rotation[0] for bone in bones):
            raise RigError("All bones are locked: unlock one")
        for bone in bones:
            bone.rotation_euler = (0.0, 0.0, 0.0)


def test_a_button_is_an_operator_with_a_reason_a_run_and_undo(registered, rig):
    registered(LIMBER_OT_straighten)
    assert bpy.ops.limber.straighten.idname_py() == "limber.straighten"
    assert "UNDO" in LIMBER_OT_straighten.bl_options
    rig.pose.bones[0].rotation_mode = "XYZ"
    rig.pose.bones[0].rotation_euler = (0.3, 0.0, 0.0)
    make_active(rig)
    assert bpy.ops.limber.straighten() == {"FINISHED"}
    assert tuple(rig.pose.bones[0].rotation_euler) == (0.0, 0.0, 0.0)
    for bone in rig.pose.bones:
        bone.lock_rotation[0] = True
    with pytest.raises(RuntimeError, match="All bones are locked: unlock one"):
        bpy.ops.limber.straighten()
    bpy.data.objects.remove(rig)
    with pytest.raises(RuntimeError, match="No armature is active: select one"):
        bpy.ops.limber.straighten()


# a panel


class LIMBER_PT_straight(ArmatureTab, bpy.types.Panel):  # noqa: N801
    bl_label = "Straight"
    bl_parent_id = "LIMBER_PT_live"
    bl_order = 9

    def draw(self, context):
        self.layout.operator("limber.straighten")


def test_a_panel_is_a_subclass_of_a_tab_with_its_parent_and_order(registered, rig):
    registered(LIMBER_OT_straighten, LIMBER_PT_straight)
    make_active(rig)
    assert LIMBER_PT_straight.poll(bpy.context)
    assert LIMBER_PT_straight.bl_category == "Limber"
    assert "limber.straighten" in drawn(LIMBER_PT_straight).operators
    bpy.data.objects.remove(rig)
    assert not LIMBER_PT_straight.poll(bpy.context)


# a property


class LimberSpring(bpy.types.PropertyGroup):
    stiffness: FloatProperty(
        name="Stiffness", description="Force of the spring [N/m]", default=2.0, min=0.0, max=9.0
    )


def test_a_stored_number_of_a_new_property_is_within_its_bounds_when_a_file_is_opened(registered, rig):
    registered(LimberSpring)
    LimberRig.spring = bpy.props.PointerProperty(type=LimberSpring)
    try:
        assert rig.limber.spring.stiffness == 2.0
        rig.limber.spring.stiffness = 5.0
        storage_of(rig.limber.spring)["stiffness"] = 50.0
        stored_numbers.bring_within_bounds()
        assert rig.limber.spring.stiffness == 9.0
    finally:
        del LimberRig.spring


# a recorded or baked output


class Angles(SteppedJob):
    """Angles of a chain's first joint in each frame of the scene."""

    def __init__(self, scene, chain) -> None:
        self.chain, self.rows = chain, []
        self.movers, self.stage = live.movers_of_scene(scene), SceneStage()
        super().__init__(scene)

    @property
    def total(self) -> int:
        return self.scene.frame_end - self.scene.frame_start + 1

    @property
    def done(self) -> int:
        return len(self.rows)

    def step(self) -> bool:
        self.scene.frame_set(self.scene.frame_start + self.done)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.stage.advance(self.movers, depsgraph, self.seconds_a_frame if self.rows else 0.0)
        (mover,) = self.movers
        self.rows.append(next(iter(self.stage.session(*mover).values().values())))
        return self.done < self.total

    def finish(self) -> list[float]:
        self._end()
        return self.rows


def test_an_output_is_a_class_that_reads_one_frame_a_step_and_gives_the_scene_back(rig, chain):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 12
    chain.target.keyframe_insert("location", frame=1)
    chain.target.location.x += 0.5
    chain.target.keyframe_insert("location", frame=12)
    bpy.ops.limber.live()
    scene.frame_set(7)
    output = Angles(scene, chain)
    while output.step():
        pass
    angles = output.finish()
    assert len(angles) == 12
    assert angles[-1] != angles[0]
    assert scene.frame_current == 7


# a calibration step


class LIMBER_OT_zero_all(Operator):  # noqa: N801
    """Set the zeros of all servos from the posed joints"""

    bl_label = "Zero All"

    def run(self, context):
        rig = rig_of(context)
        for chain in rig.limber.chains:
            for joint in chain.joints:
                calibrating.zero(rig, joint.name, 0.0)


def test_a_calibration_step_is_an_operator_that_is_refused_while_no_robot_is_connected(registered, rig):
    registered(LIMBER_OT_zero_all)
    make_active(rig)
    with pytest.raises(RuntimeError, match="onnect"):
        bpy.ops.limber.zero_all()
