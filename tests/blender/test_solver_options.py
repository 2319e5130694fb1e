"""Tests that a user's settings reach their solver, live, baked and compared, and that unset ones have no
effect.
"""

import bpy
import pytest
from limber.rig.bones.hanging import HangingBones
from limber.rig.chains import chain as build
from limber.rig.chains.skeleton import ChainReader
from limber.rig.live import chain_recipe
from limber.rig.output import compare
from limber.solvers.expressive.measures import MOST_JOINTS
from limber.solvers.settings import Setting, settings_of
from limber.solvers.table import SOLVERS

from tests.blender.drawing import drawn
from tests.blender.rigs import build as build_rig
from tests.blender.rigs import keyed, looking_chain, make_active
from tests.blender.shown import choose, go_live, no_handler_raises, session, settle

__all__ = ["no_handler_raises"]

# descents of at least one sweep each: the goal, then orientation with position, then the views alone
DESCENTS = 3
FURTHEST = 1e6  # value that stands for a missing upper bound


def given(rig, chain, solver: str):
    return build.solver_options(chain, solver, ChainReader(rig, chain, HangingBones(rig)))


def others(each: Setting) -> list[tuple]:
    """Values of a setting other than its default: as users give them, and as the solver gets them."""
    if each.several:
        return [
            (set(), ()),
            ({choice.key for choice in each.choices}, tuple(choice.value for choice in each.choices)),
        ]
    if each.choices:
        return [(choice.key, choice.value) for choice in each.choices if choice.value != each.default]
    if isinstance(each.default, bool):
        return [(not each.default, not each.default)]
    return [
        (value, value)
        for value in (type(each.default)(bound) for bound in (each.low, min(each.high, FURTHEST)))
    ]


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_setting_reaches_the_solver_and_no_other_setting(solver):
    rig, chain = looking_chain()
    info, group = SOLVERS[solver], getattr(chain.options, solver)
    described = settings_of(info.options)
    defaults = info.options()
    assert given(rig, chain, solver) == defaults
    for name, each in described.items():
        assert group.bl_rna.properties[name].description == each.description
        for as_set, as_solved in others(each):
            setattr(group, name, as_set)
            made = given(rig, chain, solver)
            assert getattr(made, name) == as_solved
            assert all(getattr(made, rest) == getattr(defaults, rest) for rest in described if rest != name)
        group.property_unset(name)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_panels_draw_every_setting_once_and_grey_out_none_that_counts(solver):
    from limber.panels.authoring import options as panels

    rig, chain = looking_chain()
    make_active(rig)
    chain.solver = solver
    group = getattr(chain.options, solver)
    shown = [
        panel
        for panel in (panels.LIMBER_PT_options, panels.LIMBER_PT_advanced_options)
        if panel.poll(bpy.context)
    ]
    rows = [name for panel in shown for whose, name in drawn(panel).settings if whose == group]
    assert sorted(rows) == sorted(settings_of(SOLVERS[solver].options))


def test_reset_gives_back_the_defaults_of_this_solver_alone():
    rig, chain = looking_chain()
    make_active(rig)
    chain.solver = "dls"
    chain.options.dls.damping, chain.options.dls.few, chain.options.dls.beneath = "CONSTANT", 3, set()
    chain.options.ccd.in_frame = 2
    assert bpy.ops.limber.reset_solver_settings() == {"FINISHED"}
    assert given(rig, chain, "dls") == SOLVERS["dls"].options()
    assert chain.options.ccd.in_frame == 2
    chain.property_unset("solver")


def test_what_is_set_while_live_reaches_the_solver():
    rig, chain = looking_chain()
    choose(chain, solver="ccd")
    now = go_live(rig, chain)
    for key, setting, name, value in (("ccd", "order", "order", "base"), ("expressive", "roll", "roll", 0.5)):
        choose(chain, solver=key)
        settle()
        before = now.model
        setattr(getattr(chain.options, key), setting, "BASE" if value == "base" else value)
        rig.update_tag()
        settle()
        assert now.model is not before
        assert now.problem == ""
        assert getattr(given(rig, chain, key), name) == value


def test_sweeps_bound_what_ccd_does_from_frame_to_frame():
    def followed(sweeps: int) -> tuple[int, float]:
        """Largest number of sweeps in a frame, and largest aim error [rad], while the target moves aside."""
        bpy.ops.wm.read_homefile(use_empty=True)
        rig, chain = looking_chain()
        choose(chain, solver="ccd")
        chain.options.ccd.in_frame = sweeps
        keyed(chain.target, (2, 6))
        now = go_live(rig, chain)
        most, missed = 0, 0.0
        for frame in range(2, 7):
            bpy.context.scene.frame_set(frame)
            solution = now.outputs.solution
            most, missed = max(most, solution.iterations), max(missed, solution.aim_error)
        return most, missed

    few, late = followed(1)
    many, exact = followed(60)
    assert few <= DESCENTS < many
    assert exact < late


def test_a_weight_counts_for_all_joints_of_its_bone_in_the_skeletons_order():
    rig, chain = looking_chain()
    next(joint for joint in chain.joints if joint.bone == "head").shape_weight = 3.0
    weights = given(rig, chain, "expressive").link_weights
    assert [
        weight
        for weight, (bone, _) in zip(weights, ChainReader(rig, chain).joint_keys, strict=True)
        if bone == "head"
    ] == [3.0, 3.0]
    assert sorted(set(weights)) == [1.0, 3.0]


def test_weights_change_which_links_keep_their_way():
    rig, chain = looking_chain()
    choose(chain, solver="expressive")
    rig.pose.bones["lower"].rotation_euler.x = 0.6
    rig.pose.bones["upper"].rotation_euler.x = -0.8
    now = go_live(rig, chain)
    plain = list(now.outputs.solution.angles)
    for joint in chain.joints:
        joint.shape_weight = 20.0 if joint.bone in {"lower", "middle"} else 0.05
    rig.update_tag()
    session(rig, chain).record.restart()
    settle()
    assert list(now.outputs.solution.angles) != pytest.approx(plain, abs=0.05)
    assert now.outputs.solution.aim_error < 1e-5


def test_compare_asks_each_solver_with_its_options():
    rig, chain = looking_chain()
    bpy.context.scene.frame_end = 2
    make_active(rig)
    bpy.ops.limber.compare_solvers()
    one = {row.name: row.figures for row in compare.table(rig, chain).rows}
    chain.options.ccd.order = "BASE"
    bpy.ops.limber.compare_solvers()
    other = {row.name: row.figures for row in compare.table(rig, chain).rows}
    assert other["ccd"]["shape"] != pytest.approx(one["ccd"]["shape"], abs=1e-3)
    assert other["dls"]["shape"] == pytest.approx(one["dls"]["shape"], abs=1e-9)


def test_an_option_that_this_version_does_not_know_is_a_sentence():
    from types import SimpleNamespace

    from limber.rig.blender.errors import RigError
    from limber.rig.chains.chain import solver_options

    stored = vars(SOLVERS["ccd"].options()) | {"order": ""}
    chain = SimpleNamespace(name="Neck", options=SimpleNamespace(ccd=SimpleNamespace(**stored)))
    with pytest.raises(RigError, match=r"CCD in chain 'Neck'.*choose it again"):
        solver_options(chain, "ccd", None)


def test_options_are_kept_in_the_file(reopen):
    rig, chain = looking_chain()
    chain.options.priorities.order, chain.options.priorities.beneath = (
        "AIM_POSITION_POSTURE",
        {
            "LIMITS",
            "POSTURE",
        },
    )
    chain.options.dls.constant = 0.3
    name = rig.name
    reopen()
    options = bpy.data.objects[name].limber.chains[0].options
    assert (options.priorities.order, options.priorities.beneath) == (
        "AIM_POSITION_POSTURE",
        {"LIMITS", "POSTURE"},
    )
    assert options.dls.constant == pytest.approx(0.3)


def test_choose_damping_sets_a_constant_and_undo_takes_it_back():
    rig, chain = looking_chain()
    make_active(rig)
    chain.solver, chain.goal = "dls", "POSITION"
    chain.options.dls.updates = "ONE"
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.limber.choose_damping("EXEC_DEFAULT", True) == {"FINISHED"}
    chosen = given(rig, chain, "dls")
    assert chosen.damping == "constant"
    assert 0.05 < chosen.constant < 1.3
    bpy.ops.ed.undo()
    (chain,) = bpy.context.object.limber.chains
    assert chain.options.dls.damping == "ERROR"
    chain.solver = "ccd"
    assert not bpy.ops.limber.choose_damping.poll()
    with pytest.raises(RuntimeError, match="no damping: choose Damped"):
        bpy.ops.limber.choose_damping()


def test_a_chain_that_is_too_long_is_refused_in_one_sentence_and_not_built_again(monkeypatch):
    names = [f"bone {k}" for k in range(MOST_JOINTS + 1)]
    rig, chain = looking_chain(build_rig(dict.fromkeys(names, "X")), *names)
    choose(chain, solver="ccd", goal="POSITION")
    go_live(rig, chain)
    built = []
    make = chain_recipe.joint_tree
    monkeypatch.setattr(chain_recipe, "joint_tree", lambda *args: built.append(args) or make(*args))
    choose(chain, solver="expressive")
    choose(chain.options, measure="LINKS")
    settle()
    why = build.why_not_solver(rig, chain)
    assert f"at most {MOST_JOINTS} joints" in why
    assert session(rig, chain).problem == why
    assert "ERIK" not in why, "ERIK reaches no position"
    built.clear()
    chain.target.location.x += 1.0
    settle()
    assert not built
    choose(chain, solver="ccd")
    settle()
    assert session(rig, chain).problem == ""
    assert session(rig, chain).outputs is not None
