"""Tests that the engine gives the same results without Blender: movers built in plain Python, with the same
inputs, have the same motion.
"""

import inspect
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import bpy
import numpy as np
import pytest
from limber.motion import Limits
from limber.rig.bodies import body_reader
from limber.rig.live import body_session, chain_recipe, live
from limber.rig.properties.motion_style import motion_style

from checkout import ROOT
from tests.blender import at_hand
from tests.blender.figures import CMU, XSENS, called, figure, walk
from tests.blender.following import in_the_air
from tests.blender.mechanisms import add
from tests.blender.rigs import UPRIGHT, build, keyed, looking_chain, make_active, target
from tests.character import replay
from tests.character.plain import values

FRAMES = 240
SAME = 1e-9  # [rad or m] tolerance
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"
)  # as in Blender while Limber computes
PLAY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from checkout import load_limber
load_limber()
from tests.character import replay
replay.main(*map(Path, sys.argv[2:]))
"""


@pytest.fixture
def built(monkeypatch) -> dict:
    """Arguments, by name, from which models were made; key: the model's identity."""
    found: dict = {}

    def spy(module, name: str) -> None:
        real = getattr(module, name)

        def make(*args, **options):
            made = real(*args, **options)
            bound = inspect.signature(real).bind(*args, **options)
            bound.apply_defaults()
            found[id(made)] = made, dict(bound.arguments)
            return made

        monkeypatch.setattr(module, name, make)

    spy(chain_recipe, "make_model")
    spy(body_session, "make_model")
    spy(body_reader, "Body")
    return found


def lamp():
    """A chain that breathes and follows a target that comes and goes."""
    rig, chain = looking_chain(build(UPRIGHT, "Lamp"), at=target((0.4, -0.5, 0.3), "Moth"))
    keyed(chain.target, (1, 70))
    keyed(chain.target, (90, 200), end=(0.4, 0.2, 0.7))
    chain.life.amount = 0.5
    chain.lag = 0.1
    rig.location = (1.0, 2.0, 0.3)
    return rig, chain


def walker():
    """A body that follows another, walking one, and a head on it that looks at a target."""
    source = figure(CMU, "Source")
    walk(source, CMU, FRAMES)
    rig = figure(XSENS, "Body", size=1.1, arms_out=True)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    in_the_air(rig)
    _, chain = looking_chain(
        rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((0.8, -2.0, 1.2), "Bird")
    )
    keyed(chain.target, (10, 200), end=(-1.0, -2.0, 2.0))
    chain.forward_axis, chain.up = "+Z", "+Y"
    rig.rotation_euler.z = 0.3
    return rig, chain


def neck():
    """The neck on push rods, whose head rotates with its target."""
    owner = add("neck")
    aim = owner.limber.mechanism.goals[0].target
    keyed(aim, (1, 100), "rotation_euler", end=(0.3, -0.2, 0.5))
    keyed(aim, (120, 220), "rotation_euler", end=(-0.2, 0.3, -0.6))
    return owner


def of_chain(rig, chain, built, inputs) -> replay.Chain:
    model = live.session(rig, chain).model
    _, settings = built[id(model)]
    return replay.Chain(settings, inputs)


def mount(rig, chain, built) -> replay.Mount:
    """The chain's mount on its rig's body, which is constant while it plays."""
    body, head = live.session(rig, rig.limber.retarget), live.session(rig, chain)
    root = rig.data.bones[head.reader.names[0]]
    inverse = np.linalg.inv(np.array(root.parent.matrix_local, float))
    return replay.Mount(
        "body",
        np.array(rig.matrix_world, float),
        body.model.body.links[root.parent.name],
        inverse @ np.array(root.matrix_local, float),
        tuple(body.reader.joint_keys.index(key) for key in head.reader.joint_keys),
        body.model.body,
    )


def of_body(rig, built, inputs) -> replay.WholeBody:
    model = live.session(rig, rig.limber.retarget).model
    settings = dict(built[id(model)][1])
    _, body = built[id(settings.pop("body"))]
    return replay.WholeBody(settings, body, inputs)


def of_mechanism(owner, inputs) -> replay.Mechanism:
    kept, model = owner.limber.mechanism, live.session(owner, owner.limber.mechanism).model
    limits = [Limits(one.lower, one.upper, one.velocity, one.acceleration, one.jerk) for one in kept.motors]
    motors = [
        (motor.joint, motor.index, kept.filter, own, motion_style(kept))
        for motor, own in zip(model.motors, limits, strict=True)
    ]
    return replay.Mechanism(model.solver.mechanism, motors, inputs)


def test_a_lamp_a_body_with_a_head_and_a_neck_on_push_rods_move_the_same_without_blender(built, tmp_path):
    scene = bpy.context.scene
    owner, (desk, arm), (person, head) = neck(), lamp(), walker()
    for rig in (desk, person):
        make_active(rig)
        bpy.ops.limber.live()
    at_hand.live(person.limber.retarget)
    make_active(owner)
    bpy.ops.limber.live()
    movers = {
        "lamp": (desk, arm),
        "body": (person, person.limber.retarget),
        "head": (person, head),
        "neck": (owner, owner.limber.mechanism),
    }

    asked, shown = {key: [] for key in movers}, {key: [] for key in movers}
    scene.frame_set(FRAMES + 100)  # a distant frame, so that motion restarts at the first one
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        for key, mover in movers.items():
            session = live.session(*mover)
            assert session.problem == "", key
            asked[key].append(session.record.ticked[1])
            shown[key].append(values(session.outputs))
    assert all(np.ptp(numbers, axis=0).max() > 0.1 for numbers in shown.values()), "all of them move"

    on_body = [
        replace(inputs, base=[], posture=np.empty(0)) for inputs in asked["head"]
    ]  # these follow from the body
    description = {
        "lamp": of_chain(desk, arm, built, asked["lamp"]),
        "body": of_body(person, built, asked["body"]),
        "head": replace(of_chain(person, head, built, on_body), mount=mount(person, head, built)),
        "neck": of_mechanism(owner, asked["neck"]),
    }
    source, result = tmp_path / "scene.pickle", tmp_path / "motion.npz"
    source.write_bytes(pickle.dumps((description, scene.render.fps_base / scene.render.fps)))
    command = [sys.executable, "-c", PLAY, str(ROOT), str(source), str(result)]
    played = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **ONE_THREAD}, check=False
    )
    assert played.returncode == 0, played.stderr
    with np.load(result) as motion:
        for key, numbers in shown.items():
            assert motion[key].shape == np.array(numbers).shape
            assert np.abs(motion[key] - numbers).max() <= SAME, key
