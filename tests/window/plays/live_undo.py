"""Works as a user does while live, each action with its undo step, then undoes all of them by keys and redoes
them.
"""

import math
import sys
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp


def play(stage):  # noqa: C901 (one play, with its waits in order)
    raised = []
    sys.excepthook = lambda *error: raised.append("".join(traceback.format_exception(*error)))
    _, chain = lamp.build(stage)
    for joint in chain.joints:
        joint.velocity, joint.acceleration, joint.jerk = 1e4, 1e6, 1e8  # it arrives at once
    twin = stage.part("rig.showing.proxy")

    def rig():
        return bpy.data.objects["Rig"]

    def miss() -> float:
        """Aim error [degrees] of the shown head."""
        evaluated = rig().evaluated_get(bpy.context.evaluated_depsgraph_get())
        head = evaluated.pose.bones["head"]
        eye, look = rig().matrix_world @ head.tail, rig().matrix_world.to_3x3() @ head.vector
        return math.degrees(look.angle(bpy.data.objects["Target"].matrix_world.translation - eye))

    def twins() -> int:
        return len([thing for thing in bpy.data.objects if twin.MARK in thing])

    def select(thing) -> None:
        bpy.ops.object.select_all(action="DESELECT")
        thing.select_set(True)
        bpy.context.view_layer.objects.active = thing

    def deeds():
        yield lambda: bpy.ops.limber.live("EXEC_DEFAULT", True)
        select(bpy.data.objects["Target"])
        yield lambda: bpy.ops.transform.translate("EXEC_DEFAULT", True, value=(-0.8, 0.2, 0.1))
        yield lambda: bpy.ops.transform.translate("EXEC_DEFAULT", True, value=(0.1, 0.9, 0.0))
        select(rig())
        yield lambda: bpy.ops.object.duplicate_move("EXEC_DEFAULT", True)
        yield lambda: bpy.ops.object.delete("EXEC_DEFAULT", True)
        select(rig())
        yield lambda: bpy.ops.limber.end_live("EXEC_DEFAULT", True)

    with stage.context():
        bpy.ops.object.mode_set("EXEC_DEFAULT", True, mode="OBJECT")
    steps = deeds()
    seen = []  # after each action: number of twins, whether the chain is live
    while True:
        with stage.context():
            deed = next(steps, None)
            if deed is None:
                break
            deed()
        yield 0.2
        seen.append((twins(), rig().limber.chains[0].live))
        if seen[-1][1]:
            yield from stage.until(lambda: miss() < 0.1)
    stage.facts["done"] = seen
    undone = []
    for _ in range(len(seen)):
        stage.press("Z", ctrl=True)
        yield 0.2
        undone.append((twins(), rig().limber.chains[0].live))
        if undone[-1][1]:
            yield from stage.until(lambda: miss() < 0.1)
    stage.facts["undone"] = undone
    redone = []
    for _ in range(len(seen)):
        stage.press("Z", ctrl=True, shift=True)
        yield 0.2
        redone.append((twins(), rig().limber.chains[0].live))
        if redone[-1][1]:
            yield from stage.until(lambda: miss() < 0.1)
    stage.facts["redone"] = redone
    stage.facts["raised"] = raised
