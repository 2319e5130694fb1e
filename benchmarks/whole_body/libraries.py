"""Limber and the other libraries of `benchmarks.whole_body.peers` with the same interface: `reset` to the
start, `step` to the targets of a frame, and `rotations` of the links after it. Some also `hold` links at
their positions in the start.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.solvers.whole_body.body import Coupling
from limber.solvers.whole_body.targets import Contact

from .__main__ import body_for, first, follower, frames_of

DAMPING = 1e-4  # damping of squared moves, as Limber's default
LEAST_MASS = 1e-6  # [kg, kg m^2] smallest mass and inertia of links between hinges, which MuJoCo requires
NO_LIMIT = 1e3  # [rad/s] stands for no limit in libraries that require a number

Arrays = Mapping[str, np.ndarray]


class Limber:
    label = "Limber"

    def __init__(self, urdf: Path, arrays: Arrays, velocity: float) -> None:
        from limber.solvers.whole_body.law import Law

        self.solver = follower(body_for(urdf, arrays), arrays, Law())
        self.values, self.arrays, self.dt = frames_of(arrays), arrays, float(arrays["dt"])
        self.links = self.solver.body.link_indices([str(link) for link in arrays["links"]])

    def hold(self, links: Sequence[str]) -> None:
        body, state = self.solver.body, first(self.solver, self.arrays)
        positions = body.placed(state.frames, body.link_indices(links))[:, :3, 3] + state.base_position
        contacts = tuple(map(Contact, links, positions))
        self.values = [replace(values, contacts=contacts) for values in self.values]

    def reset(self) -> None:
        self.state = first(self.solver, self.arrays)

    def step(self, k: int) -> None:
        _, self.state = self.solver.step(self.values[k], self.state, self.dt)

    def rotations(self) -> np.ndarray:
        return self.solver.body.placed(self.state.frames, self.links)[:, :3, :3]


class Pinocchio:
    """Jacobians by Pinocchio, and one quadratic program per step by daqp."""

    label = "pinocchio + daqp"

    def __init__(
        self, urdf: Path, arrays: Arrays, velocity: float, couplings: Sequence[Coupling] = ()
    ) -> None:
        import daqp
        import pinocchio

        self.pin, self.daqp = pinocchio, daqp
        self.model = pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.arrays, self.dt, self.velocity = arrays, float(arrays["dt"]), velocity
        self.frames = [self.model.getFrameId(str(link)) for link in arrays["links"]]
        self.base = self.model.getFrameId(str(arrays["base_link"]))
        self.coupled = np.zeros((len(couplings), self.model.nv))
        self.bounds = np.array([(coupling.lower, coupling.upper) for coupling in couplings]).reshape(-1, 2)
        for row, coupling in enumerate(couplings):
            for name, factor in coupling.factors.items():
                self.coupled[row, self.model.joints[self.model.getJointId(name)].idx_v] = factor

    def start(self) -> np.ndarray:
        links = [str(link) for link in self.arrays["links"]]
        base = str(self.arrays["base_link"])
        rotation = self.arrays["rotation"][0, links.index(base)] if base in links else np.eye(3)
        q = self.pin.neutral(self.model)
        q[:7] = self.pin.SE3ToXYZQUAT(self.pin.SE3(rotation, self.arrays["base_position"][0]))
        q[7:] = np.clip(q[7:], self.model.lowerPositionLimit[7:], self.model.upperPositionLimit[7:])
        return q

    def reset(self) -> None:
        self.q = self.start()
        self._update()

    def _update(self) -> None:
        self.pin.computeJointJacobians(self.model, self.data, self.q)
        self.pin.updateFramePlacements(self.model, self.data)

    def step(self, k: int) -> None:
        pin, count = self.pin, self.model.nv
        rows, errors = [], []
        for frame, target in zip(self.frames, self.arrays["rotation"][k], strict=True):
            rows.append(pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[3:])
            errors.append(pin.log3(target @ self.data.oMf[frame].rotation.T))
        rows.append(pin.getFrameJacobian(self.model, self.data, self.base, pin.LOCAL_WORLD_ALIGNED)[:3])
        errors.append(self.arrays["base_position"][k] - self.data.oMf[self.base].translation)
        jacobian, error = np.concatenate(rows), np.concatenate(errors)
        most = np.full(count, NO_LIMIT)
        upper, lower = most.copy(), -most
        room = self.velocity * self.dt
        upper[6:] = np.minimum(self.model.upperPositionLimit[7:] - self.q[7:], room)
        lower[6:] = np.maximum(self.model.lowerPositionLimit[7:] - self.q[7:], -room)
        matrix = jacobian.T @ jacobian + DAMPING * np.eye(count)
        at = self.coupled[:, 6:] @ self.q[7:]
        above, below = np.append(upper, self.bounds[:, 1] - at), np.append(lower, self.bounds[:, 0] - at)
        move, *_ = self.daqp.solve(
            matrix, -jacobian.T @ error, self.coupled, above, below, np.zeros(len(above), np.int32)
        )
        self.q = pin.integrate(self.model, self.q, move)
        self._update()

    def rotations(self) -> np.ndarray:
        return np.array([self.data.oMf[frame].rotation for frame in self.frames])


class Pink(Pinocchio):
    label = "pink (daqp)"

    def __init__(self, urdf: Path, arrays: Arrays, velocity: float) -> None:
        super().__init__(urdf, arrays, velocity)
        import pink

        self.pink = pink
        self.model.velocityLimit[6:] = velocity
        self.limits = [pink.limits.ConfigurationLimit(self.model), pink.limits.VelocityLimit(self.model)]
        if velocity >= NO_LIMIT:
            self.limits.pop()
        names, base = [str(link) for link in arrays["links"]], str(arrays["base_link"])
        self.tasks = [
            pink.FrameTask(name, position_cost=float(name == base), orientation_cost=1.0) for name in names
        ]
        self.based = names.index(base) if base in names else None

    def reset(self) -> None:
        self.configuration = self.pink.Configuration(self.model, self.data, self.start())

    def step(self, k: int) -> None:
        positions = np.zeros((len(self.tasks), 3))
        if self.based is not None:
            positions[self.based] = self.arrays["base_position"][k]
        for task, rotation, position in zip(self.tasks, self.arrays["rotation"][k], positions, strict=True):
            task.set_target(self.pin.SE3(rotation, position))
        velocity = self.pink.solve_ik(
            self.configuration,
            self.tasks,
            self.dt,
            solver="daqp",
            damping=DAMPING,
            limits=self.limits,
            safety_break=False,
        )
        self.configuration.integrate_inplace(velocity, self.dt)

    def rotations(self) -> np.ndarray:
        return np.array(
            [self.configuration.get_transform_frame_to_world(task.frame).rotation for task in self.tasks]
        )


def without_shapes(urdf: Path) -> str:
    """A URDF's text without visual and collision shapes, which have no effect here, and whose meshes MuJoCo
    would search for.
    """
    robot = ElementTree.parse(urdf).getroot()
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    return ElementTree.tostring(robot, encoding="unicode")


class Mink:
    label = "mink (daqp)"

    def __init__(self, urdf: Path, arrays: Arrays, velocity: float) -> None:
        import mink
        import mujoco

        self.mink = mink
        spec = mujoco.MjSpec.from_string(without_shapes(urdf))
        spec.compiler.fusestatic = False
        spec.compiler.discardvisual = True
        spec.compiler.balanceinertia = True
        spec.compiler.boundmass, spec.compiler.boundinertia = LEAST_MASS, LEAST_MASS
        body = spec.worldbody.first_body()
        body.add_freejoint()
        self.model = spec.compile()
        self.arrays, self.dt = arrays, float(arrays["dt"])
        names, base = [str(link) for link in arrays["links"]], str(arrays["base_link"])
        self.tasks = [
            mink.FrameTask(name, "body", position_cost=float(name == base), orientation_cost=1.0)
            for name in names
        ]
        self.based = names.index(base) if base in names else None
        self.limits = [mink.ConfigurationLimit(self.model)]
        if velocity < NO_LIMIT:
            hinges = [self.model.joint(k).name for k in range(1, self.model.njnt)]
            self.limits.append(mink.VelocityLimit(self.model, dict.fromkeys(hinges, np.array([velocity]))))

    def reset(self) -> None:
        self.configuration = self.mink.Configuration(self.model)
        q = np.zeros(self.model.nq)
        q[:3] = self.arrays["base_position"][0]
        q[3:7] = self.mink.SO3.from_matrix(self.arrays["rotation"][0, self.based or 0]).wxyz
        self.configuration.update(q)

    def step(self, k: int) -> None:
        mink = self.mink
        for index, (task, rotation) in enumerate(zip(self.tasks, self.arrays["rotation"][k], strict=True)):
            position = self.arrays["base_position"][k] if index == self.based else np.zeros(3)
            task.set_target(mink.SE3.from_rotation_and_translation(mink.SO3.from_matrix(rotation), position))
        velocity = mink.solve_ik(
            self.configuration, self.tasks, self.dt, "daqp", damping=DAMPING, limits=self.limits
        )
        self.configuration.integrate_inplace(velocity, self.dt)

    def rotations(self) -> np.ndarray:
        return np.array(
            [
                self.configuration.get_transform_frame_to_world(task.frame_name, "body")
                .rotation()
                .as_matrix()
                for task in self.tasks
            ]
        )


class Placo:
    """Orientation tasks, the base's position and a little regularisation, in C++ (eiquadprog)."""

    label = "placo"

    def __init__(self, urdf: Path, arrays: Arrays, velocity: float) -> None:
        import placo

        self.arrays, self.dt = arrays, float(arrays["dt"])
        self.robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, without_shapes(urdf))
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.dt = self.dt
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(velocity < NO_LIMIT)
        if velocity < NO_LIMIT:
            self.robot.set_velocity_limits(velocity)
        self.links, self.base = [str(link) for link in arrays["links"]], str(arrays["base_link"])
        self.tasks = [self.solver.add_orientation_task(link, np.eye(3)) for link in self.links]
        self.place = self.solver.add_position_task(self.base, np.zeros(3))
        self.held: dict[str, object] = {}
        for link, task in zip(self.links, self.tasks, strict=True):
            task.configure(link, "soft", 1.0)
        self.place.configure("place", "soft", 1.0)
        self.solver.add_regularization_task(DAMPING)

    def hold(self, links: Sequence[str]) -> None:
        self.reset()
        for link in links:
            self.held[link] = self.solver.add_position_task(link, self.robot.get_T_world_frame(link)[:3, 3])
            self.held[link].configure(f"{link} held", "hard", 1.0)

    def reset(self) -> None:
        self.robot.reset()
        start = np.eye(4)
        if self.base in self.links:
            start[:3, :3] = self.arrays["rotation"][0, self.links.index(self.base)]
        start[:3, 3] = self.arrays["base_position"][0]
        self.robot.set_T_world_frame(self.base, start)
        self.robot.update_kinematics()

    def step(self, k: int) -> None:
        for task, rotation in zip(self.tasks, self.arrays["rotation"][k], strict=True):
            task.R_world_frame = rotation
        self.place.target_world = self.arrays["base_position"][k]
        self.solver.solve(True)
        self.robot.update_kinematics()

    def rotations(self) -> np.ndarray:
        return np.array([self.robot.get_T_world_frame(link)[:3, :3] for link in self.links])


OTHERS = (Placo, Pinocchio, Pink, Mink)
CONTESTANTS = (Limber, *OTHERS)
