"""Four-bars for tests in a real Blender: of objects and pins, or of bones with a closure; and how users make
mechanisms of them.
"""

import bpy
import numpy as np

from tests.blender import mechanisms as those
from tests.blender.rigs import build, make_active, select

PLACES = {"A": (0.0, 0.0, 0.0), "B": (0.0, 0.0, 0.05), "C": (0.17, 0.0, 0.14), "D": (0.2, 0.0, 0.0)}
ABOUT_Y = (-np.pi / 2, 0.0, 0.0)  # rotates an empty's Z axis to the world's Y


def four_bar(make=those.constraint, kind: str = "HINGE", bodies: str = "ACTIVE") -> dict:
    """Four bars, whose pins are made by `make`."""
    ground = those.box("ground", PLACES["A"], "PASSIVE")
    crank, coupler, rocker = (
        those.box(name, PLACES[at], bodies)
        for name, at in (("crank", "A"), ("coupler", "B"), ("rocker", "D"))
    )
    pairs = {"A": (ground, crank), "B": (crank, coupler), "C": (coupler, rocker), "D": (ground, rocker)}
    return {name: make(f"pin {name}", kind, *pair, PLACES[name], ABOUT_Y) for name, pair in pairs.items()}


def owned(motor: str = "pin A"):
    """A mechanism of the scene's joints with a motor; returns its owner."""
    make_active(bpy.data.objects[motor])
    bpy.ops.limber.new_mechanism()
    owner = bpy.context.active_object
    make_active(bpy.data.objects[motor])
    bpy.ops.limber.add_motors()
    return owner


def arms():
    """Two arms of an armature whose tips meet: a four-bar once they are connected; returns the armature."""
    rig = build(
        {"ground": "", "crank": "X", "coupler": "X", "side": "", "rocker": "X"},
        parents={"side": "ground", "rocker": "side"},
    )
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = rig.data.edit_bones
    for name, head, tail in (
        ("ground", (0, 0, -0.1), (0, 0, 0)),
        ("crank", (0, 0, 0), (0, 0, 0.05)),
        ("coupler", (0, 0, 0.05), (0, 0.17, 0.14)),
        ("side", (0, 0, 0), (0, 0.2, 0)),
        ("rocker", (0, 0.2, 0), (0, 0.17, 0.14)),
    ):
        edited[name].head, edited[name].tail, edited[name].roll = head, tail, 0.0
    edited["crank"].parent, edited["side"].parent = edited["ground"], edited["ground"]
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        bone.lock_location = (True, True, True)
    return rig


def boned():
    """A mechanism of bones with a closure; returns the armature and its closure."""
    rig = arms()
    bpy.ops.limber.new_mechanism()
    select(rig, "coupler", "rocker")
    rig.data.bones.active = rig.data.bones["rocker"]
    bpy.ops.limber.add_closure()
    select(rig)  # selects nothing, so that the next active object is the only one
    return rig, rig.limber.mechanism.closures[0]
