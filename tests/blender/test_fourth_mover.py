"""Tests a fourth kind of mover, complete: a bone that swings as a sine. All additions to the program that it
needs are in this file.
"""

import math
from dataclasses import dataclass

import bpy
import numpy as np
import pytest
from bpy.props import BoolProperty, FloatProperty, PointerProperty, StringProperty
from limber.motion import Filter, Kinematic, Limits, MotionStyle, make_filter
from limber.rig.blender.errors import RigError
from limber.rig.bones import channels
from limber.rig.live import live
from limber.rig.live.mover import Mover
from limber.rig.live.movers import KINDS, movers_of
from limber.rig.live.session import SceneSession
from limber.rig.properties.frame_range import LimberRange
from limber.rig.scene.dependencies import MovedParts
from mathutils import Quaternion

from tests.blender.rigs import build, looking_chain, select
from tests.blender.shown import session

AXIS = "X"
LIMITS = Limits(-1.0, 1.0, 10.0, 100.0, 1000.0)
FRAMES = range(1, 21)


# In character/: the motion, without Blender.
@dataclass(frozen=True)
class SwingInputs:
    amplitude: float  # [rad] amplitude of the swing
    seconds: float


@dataclass(frozen=True)
class State:
    motion: Kinematic
    model: "Model"
    inputs: SwingInputs


@dataclass(frozen=True)
class Outputs:
    angle: float  # [rad] angle after the filter
    at_rest: bool


@dataclass(frozen=True)
class Model:
    filter: Filter

    def tick(self, inputs: SwingInputs | None, state: State | None, dt: float) -> tuple[Outputs, State]:
        asked = inputs or state.inputs
        desired = asked.amplitude * math.sin(math.tau * asked.seconds)
        motion = self.filter.rest(desired) if state is None else self.filter.step(state.motion, desired, dt)
        return Outputs(motion.position, motion == self.filter.rest(desired)), State(motion, self, asked)


# In rig/properties/: the settings that the .blend stores.
class LimberSwing(LimberRange, bpy.types.PropertyGroup):
    uid = "swing"  # distinguishes it from the other movers of its object

    name: StringProperty(default="Swing")
    live: BoolProperty()
    bone: StringProperty()
    amplitude: FloatProperty(default=0.5)


# In rig/live/: reading its inputs and showing its outputs in Blender.
@dataclass
class SwingSession(SceneSession):
    model: Model | None = None
    errors = (RigError,)

    def read(self, frame, dt):
        rig, swing = frame.mover
        if swing.bone not in rig.pose.bones:
            raise RigError(f"'{rig.name}' has no bone '{swing.bone}': choose another Bone")
        scene = frame.scene_read.depsgraph.scene
        self.model = self.model or Model(make_filter("default", LIMITS, MotionStyle()))
        return self.model, SwingInputs(
            swing.amplitude, scene.frame_current_final * scene.render.fps_base / scene.render.fps
        )

    def show(self, frame):
        bone = frame.mover.owner.pose.bones.get(frame.mover.settings.bone)
        if bone is None:
            return {}, {}
        pose = {
            bone.name: (
                tuple(Quaternion((1.0, 0.0, 0.0), self.outputs.angle)),
                tuple(bone.location),
                tuple(bone.scale),
            )
        }
        return pose, pose

    def keys(self, mover, placement, before):
        return {channels.of_joint(mover.owner, mover.settings.bone, AXIS): self.outputs.angle}


class SwingMover(Mover):
    __slots__ = ()
    settings_type = LimberSwing
    session_type = SwingSession

    @staticmethod
    def settings_on(owner):
        return [owner.limber_swing] if owner.type == "ARMATURE" and owner.limber_swing.bone else []

    @property
    def label(self) -> str:
        return f"Swing of '{self.owner.name}'"

    @property
    def shown_bones(self) -> list[str]:
        return [self.settings.bone]

    def bones(self, session):
        return self.shown_bones

    def moved(self, session) -> MovedParts:
        return MovedParts()

    def joints(self) -> list:
        return []

    def posed(self, before=dict) -> dict:
        return {}

    def channel(self, place):
        return channels.of_joint(self.owner, *place)


@pytest.fixture(autouse=True)
def swings():
    bpy.utils.register_class(LimberSwing)
    bpy.types.Object.limber_swing = PointerProperty(type=LimberSwing)
    KINDS.append(SwingMover)
    yield
    KINDS.remove(SwingMover)
    del bpy.types.Object.limber_swing
    bpy.utils.unregister_class(LimberSwing)


@pytest.fixture
def swinging():
    rig = build({"base": "Y", "upper": "X"})
    rig.limber_swing.bone = "upper"
    select(rig)
    return rig, rig.limber_swing


def shown_angle(rig, bone: str) -> float:
    return (
        rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[bone].matrix_channel.to_euler().x
    )


def played(rig, bone: str) -> list[float]:
    angles = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        angles.append(shown_angle(rig, bone))
    return angles


def test_it_goes_live_by_the_button_is_shown_and_leaves_the_authored_pose(swinging, capfd):
    rig, swing = swinging
    with bpy.context.temp_override(limber_mover=swing):
        bpy.ops.limber.live()
        assert "Swing of 'Rig' is live" in capfd.readouterr().out
        angles = played(rig, "upper")
        assert angles[-1] == pytest.approx(session(rig, swing).outputs.angle, abs=1e-5)
        bpy.ops.limber.end_live()
    assert np.ptp(angles) > 0.5
    assert shown_angle(rig, "upper") == rig.pose.bones["upper"].rotation_euler.x == 0.0


def test_what_is_baked_is_what_live_shows(swinging):
    rig, swing = swinging
    bpy.context.scene.frame_set(FRAMES[0])
    live.start(rig, swing)
    angles = played(rig, "upper")
    live.stop(rig, swing)
    swing.frame_start, swing.frame_end = FRAMES[0], FRAMES[-1]
    with bpy.context.temp_override(limber_mover=swing):
        bpy.ops.limber.bake()
    assert played(rig, "upper") == pytest.approx(angles, abs=1e-5)
    assert rig.animation_data.action.name == "Rig Baked"


def test_it_moves_beside_a_chain_of_the_same_armature(swinging):
    rig, chain = looking_chain(build({"base": "Y", "lower": "X", "head": "YX", "tail": "X"}), "lower", "head")
    rig.limber_swing.bone = "tail"
    select(rig)
    bpy.ops.limber.live_all()
    assert [mover.is_live for mover in movers_of(rig)] == [True, True]
    angles = played(rig, "tail")
    assert np.ptp(angles) > 0.5
    assert session(rig, chain).problem == session(rig, rig.limber_swing).problem == ""


def test_a_wrong_setting_is_told_and_what_it_moved_comes_to_rest(swinging):
    rig, swing = swinging
    live.start(rig, swing)
    bpy.context.scene.frame_set(2)
    swing.bone = "nowhere"
    bpy.context.scene.frame_set(3)
    assert session(rig, swing).problem == "'Rig' has no bone 'nowhere': choose another Bone"
