"""What a user sets of a solver reaches that solver, live, baked and compared; what is not set leaves all as it was."""

import bpy
import pytest
from limber.rig.output import compare
from limber.rig.reading import chain as build
from limber.rig.reading.options import FIELDS, MAKERS
from limber.rig.reading.skeleton import ChainReader
from limber.solvers.table import SOLVERS

from tests.blender.rigs import keyed, looking_chain, make_active
from tests.blender.shown import choose, go_live, no_handler_raises, session, settle

__all__ = ["no_handler_raises"]

DESCENTS = 3  # of one sweep each at least: the goal, then orientation beside place, then the views alone
CHANGES = [
    ("expressive", {"transition_speed": 0.05}, "glide_speed", 0.05),
    ("expressive", {"link_roll": 0.5}, "roll", 0.5),
    ("expressive", {"body": "HELD"}, "hold_body", True),
    ("erik", {"previous_solution": True}, "use_previous_solution", True),
    ("ccd", {"ccd_order": "BASE"}, "order", "base"),
    ("ccd", {"ccd_sweeps": 1}, "in_frame", 1),
    ("dls", {"secondary_objectives": {"LIMITS"}}, "beneath", ("limits",)),
    ("priorities", {"secondary_objectives": {"POSTURE", "MANIPULABILITY"}}, "beneath", ("posture", "manipulability")),
    ("priorities", {"task_order": "POSTURE_AIM_POSITION"}, "order", ("posture", "aim", "position")),
]


def given(rig, chain, solver: str):
    return build.solver_options(chain, solver, ChainReader(rig, chain))


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_is_not_set_is_the_solvers_own_default(solver):
    rig, chain = looking_chain()
    info = SOLVERS[solver]
    made = given(rig, chain, solver)
    if info.options is None:
        assert made is None
    else:
        for name, value in vars(info.options()).items():
            assert getattr(made, name) == (pytest.approx(value, abs=1e-6) if isinstance(value, float) else value)


@pytest.mark.parametrize(("solver", "settings", "name", "value"), CHANGES)
def test_what_is_set_reaches_the_solver_and_live_goes_on(solver, settings, name, value):
    rig, chain = looking_chain()
    choose(chain, solver=solver)
    now = go_live(rig, chain)
    before = now.model
    for key, setting in settings.items():
        setattr(chain.options, key, setting)
    rig.update_tag()
    settle()
    assert now.model is not before
    assert now.problem == ""
    made = getattr(given(rig, chain, solver), name)
    assert made == (pytest.approx(value, abs=1e-6) if isinstance(value, float) else value)


def test_sweeps_bound_what_ccd_does_from_frame_to_frame():
    def followed(sweeps: int) -> tuple[int, float]:
        """The most sweeps of a frame, and how far it missed the target [rad], while the target moves aside."""
        bpy.ops.wm.read_homefile(use_empty=True)
        rig, chain = looking_chain()
        choose(chain, solver="ccd")
        chain.options.ccd_sweeps = sweeps
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


def test_every_kind_of_options_has_its_place_in_the_panel():
    kinds = {info.options for info in SOLVERS.values()} - {None}
    assert kinds == set(MAKERS) == set(FIELDS)
    _, chain = looking_chain()
    for names in FIELDS.values():
        for name in names:
            assert chain.options.bl_rna.properties[name].description


def test_a_weight_counts_for_all_joints_of_its_bone_in_the_skeletons_order():
    rig, chain = looking_chain()
    next(joint for joint in chain.joints if joint.bone == "head").shape_weight = 3.0
    weights = given(rig, chain, "expressive").link_weights
    assert [weight for weight, (bone, _) in zip(weights, ChainReader(rig, chain).places, strict=True) if bone == "head"] == [3.0, 3.0]
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
    session(rig, chain).restart()
    settle()
    assert list(now.outputs.solution.angles) != pytest.approx(plain, abs=0.05)
    assert now.outputs.solution.aim_error < 1e-5


def test_compare_asks_each_solver_with_its_options():
    rig, chain = looking_chain()
    bpy.context.scene.frame_end = 2
    make_active(rig)
    bpy.ops.limber.compare_solvers()
    one = {row.name: row.figures for row in compare.table(rig, chain).rows}
    chain.options.ccd_order = "BASE"
    bpy.ops.limber.compare_solvers()
    other = {row.name: row.figures for row in compare.table(rig, chain).rows}
    assert other["ccd"]["shape"] != pytest.approx(one["ccd"]["shape"], abs=1e-3)
    assert other["dls"]["shape"] == pytest.approx(one["dls"]["shape"], abs=1e-9)


def test_an_option_that_this_version_does_not_know_is_a_sentence():
    from types import SimpleNamespace

    from limber.rig.blender.errors import RigError
    from limber.rig.reading.options import options_of

    chain = SimpleNamespace(name="Neck", options=SimpleNamespace(ccd_order="", ccd_sweeps=3))
    with pytest.raises(RigError, match=r"CCD in chain 'Neck'.*choose it again"):
        options_of(chain, SOLVERS["ccd"], [])


def test_options_are_kept_in_the_file(reopen):
    rig, chain = looking_chain()
    chain.options.task_order, chain.options.secondary_objectives = "AIM_POSITION_POSTURE", {"LIMITS", "POSTURE"}
    name = rig.name
    reopen()
    options = bpy.data.objects[name].limber.chains[0].options
    assert (options.task_order, options.secondary_objectives) == ("AIM_POSITION_POSTURE", {"LIMITS", "POSTURE"})
