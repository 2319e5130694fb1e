"""Contestants of `benchmarks.mechanism_peers`: Limber, and libraries with their own methods to close loops,
all on the same spanning tree.

Each has `reset` to a pose, `aim` at a frame's goals, `step`, `state`, and a largest number of steps per
frame.
"""

from collections.abc import Sequence

import numpy as np
from limber.solvers.kinematics.rotations import from_matrix, to_matrix
from limber.solvers.kinematics.se3 import frame_array
from limber.solvers.mechanism.solution import AssemblyState

from .mechanism_cases import RATE, Race
from .mechanism_model import kept, model_of

MOST_STEPS = 20  # largest number of a library's steps per frame
# Weights of the squared joint displacements of a step, relative to goals with weight 1:
REGULARISATION = 1e-6  # keeps undetermined rods at rest; equal in all libraries
# keeps mink and pinocchio assembled if a target is out of reach: of the tried ones, the one with the least
# error
CAUTIOUS_REGULARISATION = 1e-4
PLACO_REGULARISATION = 1e-2  # for placo, which has no damping that grows with the error
# factor of the squared error in the damping (Levenberg-Marquardt), as in mink's examples; equal for pinocchio
BY_ERROR = 1.0
# cost of mink's closing task relative to goals with cost 1; at 1000 its steps stall on the delta robot
CLOSING_COST = 100.0
SOFTNESS = 1e-10  # softness of pinocchio's proximal closing, which allows redundant constraints


class Contestant:
    """Common part of all contestants."""

    label = ""
    most = MOST_STEPS  # largest number of steps per frame
    regularisation = REGULARISATION
    # whether it is configured for targets out of reach; for reachable targets it is then only slower
    is_cautious = False

    def __init__(self, race: Race) -> None:
        self.race = race


class Limber(Contestant):
    label = "Limber"
    most = 1  # one step, since its solve continues until the goals are met

    def reset(self, state: AssemblyState) -> None:
        self.now = state

    def aim(self, k: int) -> None:
        self.goals = self.race.goals[k]

    def step(self) -> None:
        self.now = self.race.solver.solve(self.goals, self.now, 1.0 / RATE).state

    def state(self) -> AssemblyState:
        return self.now


class Known:
    """Converts poses to a library's configuration vector q and back."""

    def __init__(self, race: Race, first: Sequence[int], is_scalar_last: bool) -> None:
        """`first`: index in q of each node's first coordinate; `is_scalar_last`: whether its quaternions end
        with w.
        """
        self.tree, self.first = race.solver.tree, first
        self.order = [1, 2, 3, 0] if is_scalar_last else [0, 1, 2, 3]

    def write(self, q: np.ndarray, state: AssemblyState) -> np.ndarray:
        balls = iter(state.balls)
        for k, at in enumerate(self.first):
            if k in self.tree.balls:
                q[at : at + 4] = np.array(from_matrix(next(balls).tolist()))[self.order]
            else:
                q[at] = state.values[self.tree.first[k]]
        return q

    def read(self, q: np.ndarray) -> AssemblyState:
        values, balls, back = np.zeros(len(self.tree)), [], np.argsort(self.order)
        for k, at in enumerate(self.first):
            if k in self.tree.balls:
                quaternion = np.asarray(q[at : at + 4])[back]
                balls.append(to_matrix(tuple((quaternion / np.linalg.norm(quaternion)).tolist())))
            else:
                values[self.tree.first[k]] = q[at]
        return AssemblyState(values, np.array(balls).reshape(-1, 3, 3))


def _places(model, race: Race) -> list[int]:
    """Index of each node's first coordinate in pinocchio's configuration q, which placo also uses."""
    return [model.joints[model.getJointId(f"j{k}")].idx_q for k in range(len(race.solver.tree.parents))]


class Placo(Contestant):
    """placo: loops by hard relative positions with selected axes, as in its loop examples; soft goals, with a
    little regularisation.
    """

    label = "placo"

    def __init__(self, race: Race) -> None:
        import placo

        text, ends = model_of(race)
        with kept(text) as path:
            self.robot = placo.RobotWrapper(path, placo.Flags.mjcf | placo.Flags.ignore_collisions)
        super().__init__(race)
        model = self.robot.model
        self.known = Known(race, _places(model, race), True)
        self.solver = self.robot.make_solver()
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(False)
        self.solver.enable_velocity_limits(False)
        for (first_frame, second_frame), axes in zip(ends.pairs, ends.axes, strict=True):
            closing = self.solver.add_relative_position_task(first_frame, second_frame, np.zeros(3))
            closing.configure(first_frame, "hard", 1.0)
            closing.mask.set_axises(axes)
        self.tasks = []
        for goal, name in zip(race.goals[0].frames, ends.goals, strict=True):
            is_frame = goal.rotation is not None
            task = (
                self.solver.add_frame_task(name, np.eye(4))
                if is_frame
                else self.solver.add_position_task(name, np.zeros(3))
            )
            task.configure(name, "soft", *([1.0, 1.0] if is_frame else [1.0]))
            self.tasks.append(task)
        self.solver.add_regularization_task(self.regularisation)

    def reset(self, state: AssemblyState) -> None:
        self.robot.reset()
        self.robot.state.q = self.known.write(self.robot.state.q.copy(), state)
        self.robot.update_kinematics()

    def aim(self, k: int) -> None:
        for task, goal in zip(self.tasks, self.race.goals[k].frames, strict=True):
            if goal.rotation is None:
                task.target_world = np.array(goal.position)
            else:
                task.T_world_frame = frame_array(type(goal.on_body)(goal.rotation, goal.position))

    def step(self) -> None:
        self.solver.solve(True)
        self.robot.update_kinematics()

    def state(self) -> AssemblyState:
        return self.known.read(self.robot.state.q)


class PlacoDamped(Placo):
    """placo with more regularisation."""

    label, regularisation, is_cautious = "placo, regularised", PLACO_REGULARISATION, True


class Mink(Contestant):
    """mink: loops by MuJoCo's equality constraints and an EqualityConstraintTask among the tasks, at a high
    cost.
    """

    label, is_hard = "mink", False

    def __init__(self, race: Race) -> None:
        import mink
        import mujoco

        text, ends = model_of(race)
        text = text.replace('<freejoint name="root"/>', "")
        closures = "".join(
            f'<connect site1="{first_site}" site2="{second_site}"/>' for first_site, second_site in ends.pairs
        )
        super().__init__(race)
        self.mink = mink
        self.model = mujoco.MjModel.from_xml_string(
            text.replace("</mujoco>", f"<equality>{closures}</equality></mujoco>")
        )
        first = [int(self.model.joint(f"j{k}").qposadr[0]) for k in range(len(race.solver.tree.parents))]
        self.known = Known(race, first, False)
        self.goals = [
            mink.FrameTask(
                name,
                "site",
                position_cost=1.0,
                orientation_cost=float(goal.rotation is not None),
                lm_damping=BY_ERROR,
            )
            for goal, name in zip(race.goals[0].frames, ends.goals, strict=True)
        ]
        self.closing = mink.EqualityConstraintTask(self.model, cost=CLOSING_COST)

    def reset(self, state: AssemblyState) -> None:
        self.now = self.mink.Configuration(self.model, self.known.write(np.zeros(self.model.nq), state))

    def aim(self, k: int) -> None:
        for task, goal in zip(self.goals, self.race.goals[k].frames, strict=True):
            rotation = self.mink.SO3(np.array(goal.rotation or (1.0, 0.0, 0.0, 0.0)))
            task.set_target(self.mink.SE3.from_rotation_and_translation(rotation, np.array(goal.position)))

    def step(self) -> None:
        tasks, hard = (self.goals, [self.closing]) if self.is_hard else ([self.closing, *self.goals], None)
        dt = 1.0 / RATE
        try:
            velocity = self.mink.solve_ik(
                self.now, tasks, dt, "daqp", damping=self.regularisation, limits=[], constraints=hard
            )
        except self.mink.NoSolutionFound as error:
            raise RuntimeError(str(error)) from error
        self.now.integrate_inplace(velocity, dt)

    def state(self) -> AssemblyState:
        return self.known.read(self.now.q)


class MinkHard(Mink):
    """mink with the loops' task as a constraint."""

    label, is_hard = "mink, constraints", True


class MinkDamped(MinkHard):
    """mink with the loops' task as a constraint, and more damping."""

    label, regularisation, is_cautious = "mink, constraints, regularised", CAUTIOUS_REGULARISATION, True


class Pinocchio(Contestant):
    """pinocchio: loops by its constraint models; goals by damped least squares subject to them, by one
    proximal system per step in numpy.
    """

    label = "pinocchio and numpy"

    def __init__(self, race: Race) -> None:
        import pinocchio

        text, ends = model_of(race)
        super().__init__(race)
        self.pin = pinocchio
        with kept(text) as path:
            free = pinocchio.buildModelFromMJCF(path)
        # sites on the ground do not move
        self.model = pinocchio.buildReducedModel(free, [free.getJointId("root")], pinocchio.neutral(free))
        self.data = self.model.createData()
        self.known = Known(race, _places(self.model, race), True)
        self.closures = pinocchio.StdVec_RigidConstraintModel()
        for pair in ends.pairs:
            first_frame, second_frame = (self.model.frames[self.model.getFrameId(name)] for name in pair)
            joints_and_placements = (
                self.model,
                first_frame.parentJoint,
                first_frame.placement,
                second_frame.parentJoint,
                second_frame.placement,
            )
            self.closures.append(
                pinocchio.RigidConstraintModel(pinocchio.ContactType.CONTACT_3D, *joints_and_placements)
            )
        self.states = pinocchio.StdVec_RigidConstraintData(
            [closure.createData() for closure in self.closures]
        )
        self.frames = [self.model.getFrameId(name) for name in ends.goals]

    def reset(self, state: AssemblyState) -> None:
        self.q = self.known.write(self.pin.neutral(self.model), state)

    def aim(self, k: int) -> None:
        self.goals = self.race.goals[k].frames

    def step(self) -> None:
        pin, model, data = self.pin, self.model, self.data
        pin.computeJointJacobians(model, data, self.q)
        pin.updateFramePlacements(model, data)
        closing = pin.getConstraintsJacobian(model, data, self.closures, self.states)
        gap = np.concatenate([state.c1Mc2.translation for state in self.states])
        rows, errors = [], []
        for frame, goal in zip(self.frames, self.goals, strict=True):
            placement, moved = (
                data.oMf[frame],
                pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED),
            )
            rows.append(moved[:3])
            errors.append(np.array(goal.position) - placement.translation)
            if goal.rotation is not None:
                rows.append(moved[3:])
                errors.append(pin.log3(np.array(to_matrix(goal.rotation)) @ placement.rotation.T))
        goals, error, width = np.concatenate(rows), np.concatenate(errors), model.nv
        matrix = np.zeros((width + len(gap), width + len(gap)))
        matrix[:width, :width] = goals.T @ goals + (
            self.regularisation + BY_ERROR * float(error @ error)
        ) * np.eye(width)
        matrix[width:, :width], matrix[:width, width:] = closing, closing.T
        matrix[width:, width:] = -SOFTNESS * np.eye(len(gap))
        self.q = pin.integrate(
            model, self.q, np.linalg.solve(matrix, np.concatenate((goals.T @ error, gap)))[:width]
        )

    def state(self) -> AssemblyState:
        return self.known.read(self.q)


class PinocchioDamped(Pinocchio):
    """pinocchio with more damping."""

    label, regularisation, is_cautious = "pinocchio and numpy, regularised", CAUTIOUS_REGULARISATION, True


CONTESTANTS = (Limber, Placo, PlacoDamped, Mink, MinkHard, MinkDamped, Pinocchio, PinocchioDamped)
