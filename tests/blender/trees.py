"""A body whose chain is a tree: a head that looks and a hand that reaches."""

import bpy
from mathutils import Vector

from tests.blender.rigs import build as build_rig
from tests.blender.rigs import make_active, select, target
from tests.blender.shown import as_good_as_unfiltered, choose, world_of_end

BODY = {  # a torso with a head and an arm: bone -> free axes
    "hip": "Y",
    "spine": "XZ",
    "chest": "XZ",
    "neck": "XYZ",
    "head": "XZ",
    "shoulder": "XZ",
    "arm": "XZ",
    "elbow": "X",
    "hand": "XYZ",
}
PARENTS = {"shoulder": "chest"}
QUICK = "dls"  # solver for tests that are independent of it
THERE = {
    "hip": 0.2,
    "spine": 0.1,
    "chest": -0.2,
    "neck": 0.3,
    "shoulder": 0.5,
    "arm": 0.3,
    "elbow": -0.6,
    "hand": 0.2,
}


def add_end(rig, chain, bone: str, **settings):
    """Presses Add End with that bone active, and sets its goal; returns the end."""
    make_active(rig)
    rig.limber.active_chain = list(rig.limber.chains).index(chain)
    select(rig, bone)
    rig.data.bones.active = rig.data.bones[bone]
    assert bpy.ops.limber.add_end() == {"FINISHED"}
    end = chain.ends[-1]
    choose(end, **settings)
    return end


def body(solver: str = QUICK, hand_goal: str = "POSITION"):
    """The torso, whose head looks and whose hand reaches, both for goals that can be met together; returns
    rig, chain and the hand's end.
    """
    rig = build_rig(BODY, parents=PARENTS)
    rig.rotation_euler = (0.2, -0.1, 0.8)
    select(rig, "hip", "head")
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[-1]
    end = add_end(rig, chain, "hand", goal=hand_goal)
    for bone, angle in THERE.items():
        rig.pose.bones[bone].rotation_euler["XYZ".index(BODY[bone][0])] = angle
    chain.target = target(world_of_end(rig, "head") @ Vector((0, 1.0, 0)), "Seen")
    end.target = target((0, 0, 0), "Held")
    end.target.matrix_world = world_of_end(rig, "hand")
    end.target.location = world_of_end(rig, "hand") @ Vector((0, rig.data.bones["hand"].length, 0))
    for bone in THERE:
        rig.pose.bones[bone].rotation_euler = (0.05, 0.0, 0.02) if bone != "hip" else (0, 0, 0)
    choose(chain, solver=solver)
    bpy.context.view_layer.update()
    as_good_as_unfiltered(chain)
    return rig, chain, end


def joints(chain) -> list[tuple[str, str]]:
    return [(joint.bone, joint.axis) for joint in chain.joints]
