"""Tests a bake with Look Ahead: the range is evaluated twice, the second time with the goals of future
frames.
"""

import math
from dataclasses import replace

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from tests.blender.baking import (
    IN_KEYS,
    apart,
    bake_window,
    begin,
    curves,
    drop_keys,
    live_motion,
    moving_chain,
    played,
    state,
)
from tests.blender.modal import Window
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, target

LOST = math.radians(1)  # [rad] aim error that a viewer sees
AXES, POSTURE = "YXXZY", (0.3, 0.4, -0.6, 0.5, 0.2)  # axes of the joints, and posture [rad]
FRAMES, STANDS = 100, 41  # numbers of frames: in total, and until the target begins to rotate


@pytest.fixture
def chain():
    chain = moving_chain()
    chain.look_ahead = True
    return chain


def suddenly_turning(axis: str, step: float, whole: float):
    """A chain of unit links with unfiltered joints; its target is at rest in the view, then rotates by `step`
    [rad] per frame until it has rotated by `whole` [rad].
    """
    rig, chain = looking_chain(build({f"{letter}{k}": letter for k, letter in enumerate(AXES)}))
    for joint, angle in zip(chain.joints, POSTURE, strict=True):
        rig.pose.bones[joint.bone].rotation_euler["XYZ".index(joint.axis)] = angle
        joint.lower, joint.upper = -math.pi / 2, math.pi / 2
        joint.velocity, joint.acceleration, joint.jerk = 1e4, 1e6, 1e8
    bpy.context.view_layer.update()
    chain.goal, chain.target.rotation_mode = "ORIENTATION", "QUATERNION"
    rest = rig.data.bones[chain.root].matrix_local.to_quaternion()
    looks = rest.inverted() @ rig.pose.bones[chain.end].matrix.to_quaternion()
    direction = [float(letter == axis) for letter in "XYZ"]
    for frame in range(1, FRAMES + 1):
        turned = Quaternion(direction, min(step * max(frame - STANDS, 0), whole))
        chain.target.rotation_quaternion = rest @ turned @ looks
        chain.target.keyframe_insert("rotation_quaternion", frame=frame)
    chain.frame_start, chain.frame_end = 1, FRAMES
    return rig, chain


def shown_misses(rig, chain) -> np.ndarray:
    """Angles [rad] (frames,) between the baked orientation of the end bone and the target's."""
    misses = []
    for frame in range(chain.frame_start, chain.frame_end + 1):
        bpy.context.scene.frame_set(frame)
        end = (
            rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            .pose.bones[chain.end]
            .matrix.to_quaternion()
        )
        misses.append(end.rotation_difference(chain.target.matrix_world.to_quaternion()).angle)
    misses = np.array(misses)
    return np.minimum(misses, 2 * math.pi - misses)


# rotations that lose the aim if they are not known in advance
@pytest.mark.parametrize(("axis", "step", "whole"), [("X", 0.4, 2.4), ("Y", 0.4, 2.4)])
def test_a_target_that_turns_suddenly_is_lost_on_fewer_frames(axis, step, whole):
    rig, chain = suddenly_turning(axis, step, whole)
    pose = {bone.name: tuple(bone.rotation_euler) for bone in rig.pose.bones}
    missed = {}
    for chain.look_ahead in (False, True):
        bpy.ops.limber.bake()
        missed[chain.look_ahead] = shown_misses(rig, chain)
        rig.animation_data.action = None
        for name, angles in pose.items():
            rig.pose.bones[name].rotation_euler = angles
    lost = {look_ahead: int(np.sum(misses > LOST)) for look_ahead, misses in missed.items()}
    assert lost[True] < 0.5 * lost[False]
    assert missed[True].mean() < missed[False].mean()


def test_off_keys_are_what_live_shows(rig, chain):
    chain.look_ahead = False
    bake = begin(chain)
    bake.cancel()
    assert bake.total == 21
    wanted = live_motion(rig, [chain], range(5, 26))
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], range(5, 26))) < IN_KEYS


def test_each_frame_is_told_the_goals_of_those_after_it(rig, chain, monkeypatch):
    from limber.character.chain import tick as ticks
    from limber.rig.live.movers import mover_of

    asked = []
    tick = ticks.tick

    def noting(model, goal, state, dt, ahead=(), *more, **named):
        asked.append((goal, ahead))
        return tick(model, goal, state, dt, ahead, *more, **named)

    monkeypatch.setattr(ticks, "tick", noting)
    bake = begin(chain)
    while bake.step():
        pass
    bake.cancel()
    first, second = asked[:21], asked[21:]
    most = math.ceil(24 * mover_of(rig, chain).horizon)
    assert not any(ahead for _, ahead in first)
    assert [goal.aim for goal, _ in second] == [goal.aim for goal, _ in first]
    for frame, (_, ahead) in enumerate(second[:-1]):
        assert [coming.aim for coming in ahead] == [
            goal.aim for goal, _ in first[frame + 1 : frame + 1 + most]
        ]
    assert [coming.aim for coming in second[-1][1]] == [first[-1][0].aim], "the last goal stays"


def test_no_more_goals_are_told_than_the_solver_looks_at(chain):
    from limber.rig.live.movers import mover_of

    chain.frame_start, chain.frame_end = 1, 60
    bake = begin(chain)
    while bake.is_first_of_two:
        bake.step()
    assert [len(ahead) for ahead in bake._ahead().values()] == [
        math.ceil(24 * mover_of(chain.id_data, chain).horizon)
    ]
    bake.cancel()


def test_a_solver_that_cannot_look_ahead_bakes_once(rig, chain):
    chain.solver = "dls"
    bake = begin(chain)
    bake.cancel()
    assert bake.total == 21
    wanted = live_motion(rig, [chain], range(5, 26))
    bpy.ops.limber.bake()
    assert apart(wanted, played(rig, [chain], range(5, 26))) < IN_KEYS


def test_frames_without_a_goal_do_not_spoil_those_before_them(rig, chain, capfd):
    for frame, size in ((1, 1), (10, 0), (13, 1)):
        rig.scale = (size, size, size)
        rig.keyframe_insert("scale", frame=frame)
    for curve in curves(rig):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    bpy.ops.limber.bake()
    assert (
        "In 3 frames (10, 11, 12) the goal could not be followed. The rig of chain 'head' is scaled to"
        " nothing" in capfd.readouterr().out
    )


def test_a_goal_that_cannot_be_used_is_not_told_to_frames_before_it(rig, chain, monkeypatch):
    """Only the solver refuses this goal, not the reading of the scene."""
    from limber.character.chain import inputs

    end_goal = inputs.end_goal

    def spoiled(*wanted):
        made = end_goal(*wanted)
        return replace(made, weight=math.nan) if bpy.context.scene.frame_current in (10, 11) else made

    monkeypatch.setattr(inputs, "end_goal", spoiled)
    bake = begin(chain)
    while bake.step():
        pass
    bake.cancel()
    assert list(bake.held) == [10, 11]


def test_eyes_on_a_neck_look_ahead_each_as_it_is_set(chain):
    rig = build(UPRIGHT, name="Bird")
    looking_chain(rig, "base", "middle", at=chain.target)
    looking_chain(
        rig, "upper", "head", at=keyed(target((-0.4, -0.5, 0.6), "Fly"), (1, 30), end=(0.4, -0.5, 0.6))
    )
    neck, eyes = rig.limber.chains
    neck.frame_start, neck.frame_end = 5, 35  # plans of two chains take longer
    motion = {}
    for eyes.look_ahead in (False, True):
        bake = begin(neck, eyes)
        while bake.step():
            pass
        motion[eyes.look_ahead] = {
            key: [list(values.values()) for values in frames] for key, frames in bake.values.items()
        }
        bake.cancel()
    of_neck, of_eyes = ((rig.session_uid, each.uid) for each in (neck, eyes))
    assert list(bake.goals) == [of_eyes]
    assert np.array_equal(motion[False][of_neck], motion[True][of_neck])
    assert not np.array_equal(motion[False][of_eyes], motion[True][of_eyes])


def test_baking_twice_gives_the_same_keys(rig, chain):
    bpy.ops.limber.bake()
    first = played(rig, [chain], range(5, 26))
    drop_keys(rig)
    bpy.ops.limber.bake()
    assert played(rig, [chain], range(5, 26)) == first


# In a window.


@pytest.fixture
def window(monkeypatch) -> Window:
    return bake_window(monkeypatch)


def test_progress_covers_both_passes_and_says_which(rig, chain, window):
    window.start()
    assert window.work.total == 42
    said, done = [], []
    while window.send("TIMER") == {"RUNNING_MODAL"}:
        said.append(window._says())
        done.append(window.work.done)
    assert done == list(range(1, 42))
    assert said[0] == "Looking ahead: frame 6 of 25"
    assert said[20] == "Baking: frame 5 of 25"
    assert window.reports == [("INFO", "Baked 21 frames to 'Rig Baked'")]


@pytest.mark.every_blender
@pytest.mark.parametrize("steps", [20, 21, 30])
def test_escape_in_either_pass_leaves_nothing(rig, chain, window, steps):
    bpy.context.scene.frame_set(3)
    before = state(rig)
    window.start()
    for _ in range(steps):
        assert window.send("TIMER") == {"RUNNING_MODAL"}
    assert window.work.is_first_of_two == (steps < 21)
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "Baking is cancelled: nothing was written")]
    assert state(rig) == before


def test_the_choice_is_saved_with_the_chain(chain, reopen):
    reopen()
    assert bpy.data.objects["Rig"].limber.chains[0].look_ahead


def test_both_passes_read_what_is_authored_at_the_frame_that_is_shown(rig, chain, monkeypatch):
    from limber.rig.live import live

    prepared = []
    monkeypatch.setattr(live, "prepare", lambda *_: prepared.append(bpy.context.scene.frame_current))
    bpy.context.scene.frame_set(7)
    bake = begin(chain)
    while bake.step():
        pass
    bake.cancel()
    assert prepared == [7, 7]
