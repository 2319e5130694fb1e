"""Tests that each setting of a solver has a description, and that the solver accepts exactly the values
within its bounds.
"""

import math
import re
from dataclasses import fields, replace

import pytest
from limber.solvers.goals import GazeError, GazeGoal, Orientation
from limber.solvers.kinematics.rotations import X, about
from limber.solvers.settings import Setting, settings_of
from limber.solvers.table import SOLVERS, make_solver

from tests.solvers.chains import unit_chain
from tests.solvers.settings_page import PAGE, text

NO_SETTINGS = {
    "link_weights",
    "hold_body",
    "measure",
    "inertias",
    "symmetric_endpoint",
}  # created from the chain's joints, its base and its goal
CASES = [(solver, name) for solver, info in SOLVERS.items() for name in settings_of(info.options)]
LARGE = 100.0  # value that stands for a missing upper bound


def described(solver: str, name: str) -> Setting:
    return settings_of(SOLVERS[solver].options)[name]


def extremes(each: Setting) -> list:
    if each.several:
        return [(), tuple(choice.value for choice in each.choices)]
    if each.choices:
        return [choice.value for choice in each.choices]
    if isinstance(each.default, bool):
        return [False, True]
    return [type(each.default)(bound) for bound in (each.low, min(each.high, LARGE))]


def beyond(each: Setting) -> list:
    if each.choices:
        return [("none such",)] if each.several else ["none such"]
    if isinstance(each.default, bool):
        return []
    wrong = [each.low - 1.0, math.nan, math.inf]
    return wrong if math.isinf(each.high) else [*wrong, each.high + 1.0]


@pytest.mark.parametrize(("solver", "name"), CASES)
def test_a_solver_works_at_a_settings_bounds_and_a_value_beyond_is_named(solver: str, name: str) -> None:
    each, options = described(solver, name), SOLVERS[solver].options
    assert options is not None
    skeleton = unit_chain("YXZX", 1.0)
    goal = GazeGoal(Orientation(about(X, 0.7)), (0.1, 0.2, -0.1, 0.2))
    for value in extremes(each):
        made = make_solver(solver, skeleton, replace(options(), **{name: value}))
        first = made.solve(goal)
        then = made.solve(goal, first.angles, first.memory)
        for solution in (first, then):
            assert all(
                lo <= angle <= hi
                for lo, angle, hi in zip(skeleton.lower, solution.angles, skeleton.upper, strict=True)
            )
    for value in beyond(each):
        with pytest.raises(GazeError, match=each.label):
            replace(options(), **{name: value})


# settings that a solver with its own key determines
FIXED = {"erik_exact": {"exact_aim"}, "dls_clamped": {"near_targets"}}


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_field_that_users_may_want_is_a_setting_and_is_described(solver: str) -> None:
    options = SOLVERS[solver].options
    assert options is not None
    described_ones = settings_of(options)
    assert {each.name for each in fields(options)} - NO_SETTINGS == set(described_ones) | FIXED.get(
        solver, set()
    )
    for each in described_ones.values():
        assert each.label[0].isupper()
        assert len(each.description.split()) > 2
        assert not each.description.endswith(".")
        assert len({choice.key for choice in each.choices}) == len(each.choices)
        for other, value in each.needs:
            described_ones[other].check(value)


def test_hyperparameters_of_the_paper_name_their_place_in_it() -> None:
    sourced = {
        name
        for name, each in settings_of(SOLVERS["erik"].options).items()
        if "ERIK paper" in each.description
    }
    assert sourced >= {
        "orientation_weight",
        "posture_weight",
        "threshold",
        "aggravation",
        "disturbance",
        "max_iterations",
        "loop",
    }


def test_the_page_of_settings_is_what_the_code_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run python -m tests.solvers.settings_page"


def test_the_page_writes_numbers_out() -> None:
    assert not re.findall(r"\d[eE][+-]?\d", text())
