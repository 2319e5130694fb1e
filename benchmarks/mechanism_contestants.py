"""What `benchmarks.mechanism_peers` races: Limber, and libraries that each close loops in their own way, on the same cut tree.

Each has `reset` to a pose, `aim` at a frame's goals, `step` and `state`; and knows how many steps a frame may take at most.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from limber.solvers.mechanism.counting import count
from limber.solvers.mechanism.frames import frame_array
from limber.solvers.mechanism.solver import State
from limber.solvers.mechanism.tree import ROOT, Carried
from limber.solvers.rotations import from_matrix, to_matrix

from .mechanism_cases import RATE, Race

MOST_STEPS = 20
WEIGHT = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'  # that the format wants
LITTLE = 1e-6  # of squares: what keeps rods still that nothing determines, in all libraries alike
MUCH = 1e-2  # of squares: what keeps placo assembled where a target is out of reach; less does not
BY_ERROR = 1.0  # of the squared error, more damping while it is large: as in mink's examples, and alike for pinocchio
CLOSING_COST = 100.0  # of mink's closing task beside goals of 1; at 1000 its steps stall on the delta
SOFTNESS = 1e-10  # of pinocchio's proximal closing: what lets rows that say the same twice be


@dataclass(frozen=True)
class Ends:
    """What the libraries' models are told to bring together: sites of theirs by name."""

    goals: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]  # points
    axes: tuple[str, ...]  # of each pair in its first frame: which of them count, the others being said already


def model_of(race: Race) -> tuple[str, Ends]:
    """The cut tree as MJCF, which all of them read: a body "n3" with a joint "j3" for each node of ours, on a ground that is free (a joint
    "root", which everyone locks: without one sites on it are lost to some); and its sites.

    A ball closes with one point, a hinge with two on its axis, in a planar loop with one of which two axes count.
    """
    solver, size = race.solver, race.solver.coordinates.size
    is_planar = count(solver, race.start).redundancy > 0
    sites: dict[int, list[str]] = {}
    pairs, axes = [], []

    def put(carried: Carried, further: np.ndarray, name: str) -> str:
        sites.setdefault(carried.node, []).append(f'<site name="{name}" {_placed(carried.offset @ further)}/>')
        return name

    along = np.eye(4)
    along[2, 3] = size
    for k, closure in enumerate(solver.tree.closures):
        kind = closure.joint.kind
        if kind not in ("revolute", "spherical"):
            raise ValueError(f"{race.name}: a loop that a {kind} joint closes cannot be told here: close it by a hinge or a ball")
        pairs.append((put(closure.in_parent, np.eye(4), f"parent {k}"), put(closure.in_child, np.eye(4), f"child {k}")))
        axes.append("xy" if is_planar else "xyz")
        if kind == "revolute" and not is_planar:
            pairs.append((put(closure.in_parent, along, f"parent's axis {k}"), put(closure.in_child, along, f"child's axis {k}")))
            axes.append("xy")
    goals = []
    for k, goal in enumerate(race.goals[0].frames):
        goals.append(put(solver.tree.bodies[solver.mechanism.body_index[goal.body]], frame_array(goal.on_body), f"goal {k}"))

    def body(k: int) -> str:
        node = solver.tree.nodes[k]
        word, _, letter = node.move.partition(" ")
        kind = {"turn": "hinge", "slide": "slide", "ball": "ball"}[word]
        axis = "" if word == "ball" else ' axis="' + " ".join(str(node.sign * (letter == each)) for each in "xyz") + '"'
        return f'<body name="n{k}" {_placed(node.before)}>{WEIGHT}<joint name="j{k}" type="{kind}"{axis}/>{inside(k)}</body>'

    def inside(k: int) -> str:
        return "".join([*sites.get(k, ()), *(body(child) for child, node in enumerate(solver.tree.nodes) if node.parent == k)])

    ground = f'<body name="ground">{WEIGHT}<freejoint name="root"/>{inside(ROOT)}</body>'
    return f"<mujoco><worldbody>{ground}</worldbody></mujoco>", Ends(tuple(goals), tuple(pairs), tuple(axes))


def _placed(frame: np.ndarray) -> str:
    numbers = [" ".join(f"{float(part):.17g}" for part in parts) for parts in (frame[:3, 3], from_matrix(frame[:3, :3].tolist()))]
    return f'pos="{numbers[0]}" quat="{numbers[1]}"'


@contextmanager
def _file(text: str) -> Iterator[str]:
    """A model's file, for as long as it is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(text)
        yield str(path)


class Limber:
    label = "Limber"
    most = 1  # its solves go on until the goals are met

    def __init__(self, race: Race) -> None:
        self.race = race

    def reset(self, state: State) -> None:
        self.now = state

    def aim(self, k: int) -> None:
        self.goals = self.race.goals[k]

    def step(self) -> None:
        self.now = self.race.solver.solve(self.goals, self.now, 1.0 / RATE).state

    def state(self) -> State:
        return self.now


class _Known:
    """Where a library keeps each of our nodes' coordinates in its q."""

    def __init__(self, race: Race, first: Sequence[int], is_scalar_last: bool) -> None:
        self.coordinates, self.first = race.solver.coordinates, first
        self.order = [1, 2, 3, 0] if is_scalar_last else [0, 1, 2, 3]

    def write(self, q: np.ndarray, state: State) -> np.ndarray:
        balls = iter(state.balls)
        for k, at in enumerate(self.first):
            if k in self.coordinates.balls:
                q[at : at + 4] = np.array(from_matrix(next(balls).tolist()))[self.order]
            else:
                q[at] = state.values[self.coordinates.first[k]]
        return q

    def read(self, q: np.ndarray) -> State:
        values, balls, back = np.zeros(self.coordinates.width), [], np.argsort(self.order)
        for k, at in enumerate(self.first):
            if k in self.coordinates.balls:
                quaternion = np.asarray(q[at : at + 4])[back]
                balls.append(to_matrix(tuple((quaternion / np.linalg.norm(quaternion)).tolist())))
            else:
                values[self.coordinates.first[k]] = q[at]
        return State(values, np.array(balls).reshape(-1, 3, 3))


def _places(model, race: Race) -> list[int]:
    """Where pinocchio, which placo is built on, keeps each node's coordinates."""
    return [model.joints[model.getJointId(f"j{k}")].idx_q for k in range(len(race.solver.tree.nodes))]


class Placo:
    """Loops by hard relative positions with the axes that count, as its loop examples do; goals soft, a little regularised."""

    label, most = "placo", MOST_STEPS
    regularisation = LITTLE

    def __init__(self, race: Race) -> None:
        import placo

        text, ends = model_of(race)
        with _file(text) as path:
            self.robot = placo.RobotWrapper(path, placo.Flags.mjcf | placo.Flags.ignore_collisions)
        self.race, model = race, self.robot.model
        self.known = _Known(race, _places(model, race), True)
        self.solver = self.robot.make_solver()
        self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(False)
        self.solver.enable_velocity_limits(False)
        for (one, other), axes in zip(ends.pairs, ends.axes, strict=True):
            closing = self.solver.add_relative_position_task(one, other, np.zeros(3))
            closing.configure(one, "hard", 1.0)
            closing.mask.set_axises(axes)
        self.tasks = []
        for goal, name in zip(race.goals[0].frames, ends.goals, strict=True):
            is_frame = goal.rotation is not None
            task = self.solver.add_frame_task(name, np.eye(4)) if is_frame else self.solver.add_position_task(name, np.zeros(3))
            task.configure(name, "soft", *([1.0, 1.0] if is_frame else [1.0]))
            self.tasks.append(task)
        self.solver.add_regularization_task(self.regularisation)

    def reset(self, state: State) -> None:
        self.robot.reset()
        self.robot.state.q = self.known.write(self.robot.state.q.copy(), state)
        self.robot.update_kinematics()

    def aim(self, k: int) -> None:
        for task, goal in zip(self.tasks, self.race.goals[k].frames, strict=True):
            if goal.rotation is None:
                task.target_world = np.array(goal.place)
            else:
                task.T_world_frame = frame_array(type(goal.on_body)(goal.rotation, goal.place))

    def step(self) -> None:
        self.solver.solve(True)
        self.robot.update_kinematics()

    def state(self) -> State:
        return self.known.read(self.robot.state.q)


class PlacoDamped(Placo):
    """The same with more regularisation."""

    label, regularisation = "placo, regularised", MUCH


class Mink:
    """Loops by MuJoCo's equality constraints and an EqualityConstraintTask among the tasks, at a high cost."""

    label, most = "mink", MOST_STEPS
    is_hard = False

    def __init__(self, race: Race) -> None:
        import mink
        import mujoco

        text, ends = model_of(race)
        text = text.replace('<freejoint name="root"/>', "")
        closures = "".join(f'<connect site1="{one}" site2="{other}"/>' for one, other in ends.pairs)
        self.mink, self.race = mink, race
        self.model = mujoco.MjModel.from_xml_string(text.replace("</mujoco>", f"<equality>{closures}</equality></mujoco>"))
        first = [int(self.model.joint(f"j{k}").qposadr[0]) for k in range(len(race.solver.tree.nodes))]
        self.known = _Known(race, first, False)
        self.goals = [
            mink.FrameTask(name, "site", position_cost=1.0, orientation_cost=float(goal.rotation is not None), lm_damping=BY_ERROR)
            for goal, name in zip(race.goals[0].frames, ends.goals, strict=True)
        ]
        self.closing = mink.EqualityConstraintTask(self.model, cost=CLOSING_COST)

    def reset(self, state: State) -> None:
        self.now = self.mink.Configuration(self.model, self.known.write(np.zeros(self.model.nq), state))

    def aim(self, k: int) -> None:
        for task, goal in zip(self.goals, self.race.goals[k].frames, strict=True):
            turn = self.mink.SO3(np.array(goal.rotation or (1.0, 0.0, 0.0, 0.0)))
            task.set_target(self.mink.SE3.from_rotation_and_translation(turn, np.array(goal.place)))

    def step(self) -> None:
        tasks, hard = (self.goals, [self.closing]) if self.is_hard else ([self.closing, *self.goals], None)
        dt = 1.0 / RATE
        velocity = self.mink.solve_ik(self.now, tasks, dt, "daqp", damping=LITTLE, limits=[], constraints=hard)
        self.now.integrate_inplace(velocity, dt)

    def state(self) -> State:
        return self.known.read(self.now.q)


class MinkHard(Mink):
    """The same task as a constraint."""

    label, is_hard = "mink, closures as constraints", True


class Pinocchio:
    """Loops by its constraint models; goals by damped least squares under them, a proximal system a step, by numpy."""

    label, most = "pinocchio and numpy", MOST_STEPS

    def __init__(self, race: Race) -> None:
        import pinocchio

        text, ends = model_of(race)
        self.pin, self.race = pinocchio, race
        with _file(text) as path:
            free = pinocchio.buildModelFromMJCF(path)
        self.model = pinocchio.buildReducedModel(free, [free.getJointId("root")], pinocchio.neutral(free))  # sites on the ground stay
        self.data = self.model.createData()
        self.known = _Known(
            race, [self.model.joints[self.model.getJointId(f"j{k}")].idx_q for k in range(len(race.solver.tree.nodes))], True
        )
        self.closures = pinocchio.StdVec_RigidConstraintModel()
        for pair in ends.pairs:
            one, other = (self.model.frames[self.model.getFrameId(name)] for name in pair)
            told = (self.model, one.parentJoint, one.placement, other.parentJoint, other.placement)
            self.closures.append(pinocchio.RigidConstraintModel(pinocchio.ContactType.CONTACT_3D, *told))
        self.states = pinocchio.StdVec_RigidConstraintData([closure.createData() for closure in self.closures])
        self.frames = [self.model.getFrameId(name) for name in ends.goals]

    def reset(self, state: State) -> None:
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
            here, moved = data.oMf[frame], pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            rows.append(moved[:3])
            errors.append(np.array(goal.place) - here.translation)
            if goal.rotation is not None:
                rows.append(moved[3:])
                errors.append(pin.log3(np.array(to_matrix(goal.rotation)) @ here.rotation.T))
        goals, error, width = np.concatenate(rows), np.concatenate(errors), model.nv
        matrix = np.zeros((width + len(gap), width + len(gap)))
        matrix[:width, :width] = goals.T @ goals + (LITTLE + BY_ERROR * float(error @ error)) * np.eye(width)
        matrix[width:, :width], matrix[:width, width:] = closing, closing.T
        matrix[width:, width:] = -SOFTNESS * np.eye(len(gap))
        self.q = pin.integrate(model, self.q, np.linalg.solve(matrix, np.concatenate((goals.T @ error, gap)))[:width])

    def state(self) -> State:
        return self.known.read(self.q)


CONTESTANTS = (Limber, Placo, PlacoDamped, Mink, MinkHard, Pinocchio)
