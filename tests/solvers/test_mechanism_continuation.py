"""Tests that a path continues through a fold, and that a mechanism comes to rest for a target at rest or
without a target.
"""

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import Y, about
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.continuation import continued
from limber.solvers.mechanism.descent import Descent
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solver import MechanismSolver

from tests.solvers.mechanisms import flat, four_bar

DT = 1 / 60
REACH = 0.6  # [m] reach of the arm below


def arm(links: int = 2) -> MechanismSolver:
    """An arm whose links have a total length of .6 m, in a plane: upper arm, forearm, fingers."""
    names, length = ("ground", "upper", "fore", "finger")[: links + 1], REACH / links
    bodies = (RigidBody("ground", start=RigidTransform(), grounded=True), *map(RigidBody, names[1:]))
    positions = (0.0, *(length,) * (links - 1))
    joints = [
        Joint(joint, "revolute", parent, child, flat(position), flat(0.0), actuated=True)
        for joint, parent, child, position in zip(
            ("shoulder", "elbow", "wrist"), names, names[1:], positions, strict=False
        )
    ]
    return MechanismSolver(Mechanism(bodies, tuple(joints)))


def test_without_goals_it_stays_where_it_is():
    solver = arm()
    bent = solver.state_at({"upper": RigidTransform(), "fore": RigidTransform(about(Y, 1.0))})
    end = RigidTransform(position=(0.3, 0.0, 0.0))
    asked = [Goals((FrameGoal("fore", end, (x, 0.0, 0.0)),)) for x in (0.3, 0.32, 0.35, 0.7, 0.8)]
    found, poses = assemble(solver, bent, asked[0]), []
    for goals in (
        *asked,
        Goals(),
        Goals(),
        Goals((FrameGoal("fore", end, (0.3, 0.0, 0.0), position_weight=(0.0, 0.0, 0.0)),)),
    ):
        found = solver.solve(goals, found.state, DT)
        poses.append(found.poses)
    assert np.ptp(poses[-4:], axis=0).max() < 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_a_target_that_rests_out_of_reach_leaves_the_mechanism_at_rest(seed: int):
    rng = np.random.default_rng(seed)
    position, turn = rng.normal(size=3) * (0.6, 0.0, 0.6), about(Y, float(rng.uniform(-2.0, 2.0)))
    goals = Goals((FrameGoal("coupler", position=tuple(position.tolist()), rotation=turn),))
    solver = MechanismSolver(four_bar())
    found, poses, errors = assemble(solver), [], []
    for _ in range(60):
        found = solver.solve(goals, found.state, DT)
        poses.append(found.poses)
        errors.append(found.report.goal_error)
    assert errors[-1] > 0.1
    assert np.diff(errors).max() < 1e-12, "no answer is worse than the one before"
    assert np.abs(np.diff(poses[30:], axis=0)).max() < 1e-12


def test_what_a_target_leaves_free_has_no_way_on():
    """Three links with a target position for their end: they could rotate without end, and meet the target in
    every frame.
    """
    solver = arm(3)
    bent = solver.state_at(
        {
            "upper": RigidTransform(),
            "fore": RigidTransform(about(Y, 1.0)),
            "finger": RigidTransform(about(Y, 2.5)),
        }
    )
    goals = Goals((FrameGoal("finger", RigidTransform(position=(REACH / 3, 0.0, 0.0)), (0.3, 0.0, 0.0)),))
    state = assemble(solver, bent, goals).state
    tasks = list(solver.objectives.of_goals(goals))
    descent = Descent(solver.tree, solver.loops, tasks, {}, (solver.lower, solver.upper), 1e-9)
    here = descent.evaluate(state.values, state.balls)
    free = np.linalg.svd(here.goals[1])[2][-1]  # of three degrees of freedom, two are determined
    there, _, _ = descent.go(descent.stepped(here, 0.1 * free), 20)
    assert there.square < 1e-16
    assert np.abs(descent.difference(here, there)).max() > 0.05
    assert continued(descent, here, here, 0.1 * free, 20) is None


def turned_by(angles: np.ndarray) -> list[float]:
    """Angles [rad] of a crank whose end must have the x coordinate that it has at the angles given, which the
    reverse rotation meets as well.

    A prismatic joint beside it has a goal that it always meets.
    """
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        RigidBody("crank"),
        RigidBody("slide"),
    )
    crank = Joint("motor", "revolute", "ground", "crank", flat(0.0), flat(0.0), actuated=True)
    slide = Joint("slide", "prismatic", "ground", "slide", RigidTransform(), RigidTransform(), actuated=True)
    solver = MechanismSolver(Mechanism(bodies, (crank, slide)))
    found, turned = solver.solve(Goals(actuators={"motor": (float(angles[0]),)}), assemble(solver).state), []
    for k, angle in enumerate(angles):
        goal = FrameGoal(
            "crank",
            RigidTransform(position=(0.3, 0.0, 0.0)),
            (0.3 * float(np.cos(angle)), 0.0, 0.0),
            position_weight=(1.0, 0.0, 0.0),
        )
        found = solver.solve(
            Goals((goal, FrameGoal("slide", position=(0.0, 0.0, 0.001 * k)))), found.state, DT
        )
        assert found.report.goal_error < 1e-6
        turned.append(solver.values(found.state, "motor")[0])
    return turned


@pytest.mark.parametrize("step", [0.7, 1.3, 3.1])
@pytest.mark.parametrize("off", [None, 1e-4, 1e-8])  # [rad] offset of a frame from the dead centre
def test_a_crank_goes_on_through_its_dead_centre(step: float, off: float | None):
    """On the other side, going on and going back meet the target equally well."""
    angles = np.radians(np.arange(60.0, -60.0, -step))
    angles -= 0.0 if off is None else np.abs(angles).min() * np.sign(angles[np.abs(angles).argmin()]) - off
    assert turned_by(angles) == pytest.approx(angles, abs=1e-3)


def test_a_crank_that_slows_down_before_its_dead_centre_turns_back():
    """In this case the motion that changes less from frame to frame is the reverse one."""
    angles = np.radians(5.0 + 55.0 * np.cos(np.linspace(0.0, np.pi, 60)) ** 2)
    assert turned_by(angles) == pytest.approx(angles, abs=1e-3)


# [m] by which a four-bar's crank and ground are shorter than its coupler and rocker: when stretched out, all
# four are nearly in line
NEARLY = 1e-5


@pytest.mark.parametrize("step", [15.0, 18.0, 22.0])  # [degrees] rotation of the crank per frame
@pytest.mark.parametrize(("crank", "coupler", "rocker"), [(0.25, 0.4, 0.3), (0.25, 0.3, 0.35)])
def test_a_coupler_is_led_on_past_a_nearly_flat_pose(
    crank: float, coupler: float, rocker: float, step: float
):
    """Steps from the last pose end beside the target, in a pose that no small step improves."""
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        *map(RigidBody, ("crank", "coupler", "rocker")),
    )
    joints = (
        Joint("motor", "revolute", "ground", "crank", flat(0.0), flat(0.0), actuated=True),
        Joint("knee", "revolute", "crank", "coupler", flat(crank), flat(0.0)),
        Joint("pivot", "revolute", "ground", "rocker", flat(coupler + rocker - crank - NEARLY), flat(0.0)),
        Joint("elbow", "revolute", "coupler", "rocker", flat(coupler), flat(rocker)),
    )
    solver = MechanismSolver(Mechanism(bodies, joints))
    point = RigidTransform(position=(0.5 * coupler, 0.0, 0.1))
    angles = np.radians(60.0 + step * np.arange(20)).tolist()
    start = found = assemble(solver, solver.rest(), Goals(actuators={"motor": (angles[0],)}))
    way = []
    for angle in angles:
        found = solver.solve(Goals(actuators={"motor": (angle,)}), found.state)
        way.append(found.poses[2] @ (*point.position, 1.0))
    found = start
    for x, y, z, _ in way:
        found = solver.solve(Goals((FrameGoal("coupler", point, (x, y, z)),)), found.state, DT)
        assert found.report.goal_error < 1e-6
