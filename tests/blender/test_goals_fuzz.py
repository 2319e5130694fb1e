"""Tests random changes of goals, ends, solvers and their options among other actions of users: no handler
raises, and no data are left behind.
"""

import os
import random

import bpy
import numpy as np
import pytest
from limber.rig.live import live
from limber.rig.scene.goal import GOALS
from limber.rig.showing import proxy
from limber.solvers.settings import settings_of
from limber.solvers.table import SOLVERS

from tests.blender.rigs import UPRIGHT, build, looking_chain, make_active, target
from tests.blender.shown import no_handler_raises, traces
from tests.blender.test_live_fuzz import fuzz_deeds

__all__ = ["no_handler_raises"]

SEEDS = int(os.environ.get("LIMBER_FUZZ_SEEDS", "6"))
DEEDS = 40
SIDE = {"arm": "XZ", "hand": "X"}  # bones that branch off, for further ends


def rigs() -> list:
    return [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]


def goal_deeds(dice: random.Random) -> list:  # noqa: C901 (defines each deed in place)
    """Actions on the goals of any chain, each of which works in any state."""

    def chains() -> list[tuple]:
        return [(rig, chain) for rig in rigs() for chain in rig.limber.chains]

    def goals() -> list:
        return [settings for _, chain in chains() for settings in (chain, *chain.ends)]

    def change_goal():
        for settings in goals():
            settings.goal, settings.symmetric = dice.choice(list(GOALS)), dice.random() < 0.5
            settings.weight, settings.roll = (
                dice.choice([0.0, 0.5, 1.0, 30.0]),
                dice.choice(["FREE", "UPRIGHT", "POSTURE"]),
            )
            settings.forward_axis, settings.target_axis = (
                dice.choice(["+Y", "-X", "+Z"]),
                dice.choice(["+Y", "-Z"]),
            )

    def change_solver():
        for _, chain in chains():
            chain.solver, chain.keep = dice.choice(list(SOLVERS)), dice.choice([0.0, 0.5, 1.0])

    def some_value(each):
        keys = [choice.key for choice in each.choices]
        if keys:
            return set(dice.sample(keys, dice.randint(0, len(keys)))) if each.several else dice.choice(keys)
        return type(each.default)(dice.choice([each.low, each.default, min(each.high, 10.0)]))

    def change_options():
        for _, chain in chains():
            chain.options.body = dice.choice(["FREE", "HELD", "AUTOMATIC"])
            for name, each in settings_of(SOLVERS[chain.solver].options).items():
                setattr(getattr(chain.options, chain.solver), name, some_value(each))
            for joint in chain.joints:
                joint.shape_weight = dice.choice([0.0, 1.0, 5.0])

    def tell(verb, *words):
        """Presses a button; a refusal with a sentence is permitted."""
        for rig in rigs():
            if not rig.limber.chains or not rig.visible_get():
                continue
            make_active(rig)
            bpy.ops.object.mode_set(mode="POSE")
            rig.limber.active_chain = dice.randrange(len(rig.limber.chains))
            try:
                verb(rig)
            except RuntimeError as error:
                if "context is incorrect" in str(error) or "Traceback" in str(error):
                    raise

    def add_end():
        def verb(rig):
            if rig.data.bones:
                bpy.ops.limber.add_end(bone=dice.choice(list(rig.data.bones)).name)
                chain = rig.limber.chains[rig.limber.active_chain]
                chain.ends[-1].target = dice.choice(
                    [None, target([dice.uniform(-1, 1) for _ in range(3)]), *rigs()]
                )

        tell(verb)

    def remove_end():
        tell(lambda rig: bpy.ops.limber.remove_end())

    def compare():
        tell(
            lambda rig: bpy.ops.limber.compare_solvers(
                frames=dice.choice(["CURRENT", "RANGE"]), frame_start=1, frame_end=2
            )
        )

    def match():
        tell(lambda rig: bpy.ops.limber.match_joints())

    def switch_end():
        for _, chain in chains():
            for end in chain.ends:
                end.enabled = dice.random() < 0.6

    def spoil_target():
        for settings in goals():
            if settings.target and settings.target.type == "EMPTY":
                settings.target.scale = dice.choice([(0, 0, 0), (1, 1, 1), (-1, 2, 1)])
                settings.target.rotation_euler.x = dice.choice([0.3, 2.0])

    return [
        change_goal,
        change_goal,
        change_solver,
        change_options,
        add_end,
        add_end,
        remove_end,
        compare,
        match,
        switch_end,
        spoil_target,
    ]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_goals_in_any_order_raise_nothing_show_numbers_and_leave_nothing(seed, undo_step, tmp_path):
    dice = random.Random(1000 + seed)
    rig, chain = looking_chain(build({**UPRIGHT, **SIDE}, parents={"arm": "middle"}), "base", "head")
    chain.solver = dice.choice(list(SOLVERS))
    bpy.ops.limber.live()
    undo_step("rig")
    for k in range(DEEDS):
        try:
            dice.choice([*goal_deeds(dice), *fuzz_deeds(dice)])()
        except RuntimeError as error:  # Blender's own operators may have nothing to do
            if "limber" in str(error):
                raise
        bpy.context.view_layer.update()
        undo_step(f"deed {k}")
        for rig in rigs():
            for chain in rig.limber.chains:
                outputs = live.session(rig, chain).outputs if chain.live else None
                assert outputs is None or np.isfinite(outputs.angles).all()
        if k == DEEDS // 2:
            bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "any.blend"))
            bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "any.blend"))
    for rig in [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and proxy.MARK not in thing]:
        for chain in rig.limber.chains:
            live.stop(rig, chain)
    assert traces() == []
