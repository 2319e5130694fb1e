"""Limber beside other libraries on a file of whole-body targets: one step a frame, errors and times, in turns
and in one process.

    python -m benchmarks.whole_body.peers --urdf FILE --targets IN.npz [--steps 200] [--hold LINK ...]

All follow the same orientations and base position from joints at zero with position limits and, where IN has
one, the velocity limit; times are medians of a step with everything that a frame needs, on one core, the
processor's own. With `--hold` those that have hard constraints of positions keep links, such as feet, where
they are in the first frame, and the base's target stays there. They run in .venv-bench (`python -m
benchmarks.environment`); one that cannot be had is named.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
from limber.solvers.whole_body.body import Coupling
from limber.solvers.whole_body.targets import Contact

from .__main__ import body_for, first, follower, frames_of

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-bench" / "bin" / "python"
DAMPING = 1e-4  # of the squares, as Limber's default
LEAST_MASS = 1e-6  # [kg, kg m^2] MuJoCo wants links between hinges to have some
NO_LIMIT = 1e3  # [rad/s] for libraries that want a number

Arrays = Mapping[str, np.ndarray]


class Limber:
    label = "Limber"

    def __init__(self, urdf: Path, given: Arrays, velocity: float) -> None:
        from limber.solvers.whole_body.law import Law

        self.solver = follower(body_for(urdf, given), given, Law())
        self.values, self.given, self.dt = frames_of(given), given, float(given["dt"])
        self.links = self.solver.body.link_indices([str(link) for link in given["links"]])

    def hold(self, links: Sequence[str]) -> None:
        body, state = self.solver.body, first(self.solver, self.given)
        places = body.placed(state.frames, body.link_indices(links))[:, :3, 3] + state.base_position
        contacts = tuple(map(Contact, links, places))
        self.values = [replace(values, contacts=contacts) for values in self.values]

    def reset(self) -> None:
        self.state = first(self.solver, self.given)

    def step(self, k: int) -> None:
        _, self.state = self.solver.step(self.values[k], self.state, self.dt)

    def rotations(self) -> np.ndarray:
        return self.solver.body.placed(self.state.frames, self.links)[:, :3, :3]


class Pinocchio:
    """Jacobians by Pinocchio, one QP a step by daqp."""

    label = "pinocchio + daqp"

    def __init__(
        self, urdf: Path, given: Arrays, velocity: float, couplings: Sequence[Coupling] = ()
    ) -> None:
        import daqp
        import pinocchio

        self.pin, self.daqp = pinocchio, daqp
        self.model = pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.given, self.dt, self.velocity = given, float(given["dt"]), velocity
        self.frames = [self.model.getFrameId(str(link)) for link in given["links"]]
        self.base = self.model.getFrameId(str(given["base_link"]))
        self.coupled = np.zeros((len(couplings), self.model.nv))
        self.bounds = np.array([(coupling.lower, coupling.upper) for coupling in couplings]).reshape(-1, 2)
        for row, coupling in enumerate(couplings):
            for name, factor in coupling.factors.items():
                self.coupled[row, self.model.joints[self.model.getJointId(name)].idx_v] = factor

    def start(self) -> np.ndarray:
        links = [str(link) for link in self.given["links"]]
        base = str(self.given["base_link"])
        turn = self.given["rotation"][0, links.index(base)] if base in links else np.eye(3)
        q = self.pin.neutral(self.model)
        q[:7] = self.pin.SE3ToXYZQUAT(self.pin.SE3(turn, self.given["base_position"][0]))
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
        for frame, target in zip(self.frames, self.given["rotation"][k], strict=True):
            rows.append(pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)[3:])
            errors.append(pin.log3(target @ self.data.oMf[frame].rotation.T))
        rows.append(pin.getFrameJacobian(self.model, self.data, self.base, pin.LOCAL_WORLD_ALIGNED)[:3])
        errors.append(self.given["base_position"][k] - self.data.oMf[self.base].translation)
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

    def __init__(self, urdf: Path, given: Arrays, velocity: float) -> None:
        super().__init__(urdf, given, velocity)
        import pink

        self.pink = pink
        self.model.velocityLimit[6:] = velocity
        self.limits = [pink.limits.ConfigurationLimit(self.model), pink.limits.VelocityLimit(self.model)]
        if velocity >= NO_LIMIT:
            self.limits.pop()
        names, base = [str(link) for link in given["links"]], str(given["base_link"])
        self.tasks = [
            pink.FrameTask(name, position_cost=float(name == base), orientation_cost=1.0) for name in names
        ]
        self.based = names.index(base) if base in names else None

    def reset(self) -> None:
        self.now = self.pink.Configuration(self.model, self.data, self.start())

    def step(self, k: int) -> None:
        places = np.zeros((len(self.tasks), 3))
        if self.based is not None:
            places[self.based] = self.given["base_position"][k]
        for task, turn, place in zip(self.tasks, self.given["rotation"][k], places, strict=True):
            task.set_target(self.pin.SE3(turn, place))
        velocity = self.pink.solve_ik(
            self.now,
            self.tasks,
            self.dt,
            solver="daqp",
            damping=DAMPING,
            limits=self.limits,
            safety_break=False,
        )
        self.now.integrate_inplace(velocity, self.dt)

    def rotations(self) -> np.ndarray:
        return np.array([self.now.get_transform_frame_to_world(task.frame).rotation for task in self.tasks])


def without_shapes(urdf: Path) -> str:
    """A URDF's text without meshes, which MuJoCo would look for and which play no part."""
    robot = ElementTree.parse(urdf).getroot()
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    return ElementTree.tostring(robot, encoding="unicode")


class Mink:
    label = "mink (daqp)"

    def __init__(self, urdf: Path, given: Arrays, velocity: float) -> None:
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
        self.given, self.dt = given, float(given["dt"])
        names, base = [str(link) for link in given["links"]], str(given["base_link"])
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
        self.now = self.mink.Configuration(self.model)
        q = np.zeros(self.model.nq)
        q[:3] = self.given["base_position"][0]
        q[3:7] = self.mink.SO3.from_matrix(self.given["rotation"][0, self.based or 0]).wxyz
        self.now.update(q)

    def step(self, k: int) -> None:
        mink = self.mink
        for index, (task, turn) in enumerate(zip(self.tasks, self.given["rotation"][k], strict=True)):
            place = self.given["base_position"][k] if index == self.based else np.zeros(3)
            task.set_target(mink.SE3.from_rotation_and_translation(mink.SO3.from_matrix(turn), place))
        velocity = mink.solve_ik(self.now, self.tasks, self.dt, "daqp", damping=DAMPING, limits=self.limits)
        self.now.integrate_inplace(velocity, self.dt)

    def rotations(self) -> np.ndarray:
        return np.array(
            [
                self.now.get_transform_frame_to_world(task.frame_name, "body").rotation().as_matrix()
                for task in self.tasks
            ]
        )


class Placo:
    """Orientation tasks, the base's position and a little regularisation, all of it in C++ (eiquadprog)."""

    label = "placo"

    def __init__(self, urdf: Path, given: Arrays, velocity: float) -> None:
        import placo

        self.given, self.dt = given, float(given["dt"])
        self.robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, without_shapes(urdf))
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.dt = self.dt
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(velocity < NO_LIMIT)
        if velocity < NO_LIMIT:
            self.robot.set_velocity_limits(velocity)
        self.links, self.base = [str(link) for link in given["links"]], str(given["base_link"])
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
            start[:3, :3] = self.given["rotation"][0, self.links.index(self.base)]
        start[:3, 3] = self.given["base_position"][0]
        self.robot.set_T_world_frame(self.base, start)
        self.robot.update_kinematics()

    def step(self, k: int) -> None:
        for task, turn in zip(self.tasks, self.given["rotation"][k], strict=True):
            task.R_world_frame = turn
        self.place.target_world = self.given["base_position"][k]
        self.solver.solve(True)
        self.robot.update_kinematics()

    def rotations(self) -> np.ndarray:
        return np.array([self.robot.get_T_world_frame(link)[:3, :3] for link in self.links])


OTHERS = (Placo, Pinocchio, Pink, Mink)
CONTESTANTS = (Limber, *OTHERS)


def degrees_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """True angles (k,) [deg] between rotations (k, 3, 3)."""
    from limber.solvers.kinematics.se3 import logarithm

    return np.degrees(np.linalg.norm(logarithm(a.swapaxes(1, 2) @ b), axis=-1))


def entrants(urdf: Path, given: Arrays, held: Sequence[str]) -> tuple[list, list[str]]:
    """The contestants that hold links, and a sentence for each that cannot be had."""
    velocity = float(given["joint_velocity_limit"]) if "joint_velocity_limit" in given else NO_LIMIT
    running, missing = [], []
    for kind in CONTESTANTS:
        if held and not hasattr(kind, "hold"):
            missing.append(f"left out: {kind.label}: it holds no links here")
            continue
        try:
            running.append(kind(urdf, given, velocity))
        except (ImportError, ValueError, RuntimeError) as error:
            missing.append(f"left out: {kind.label}: {error}")
            continue
        if held:
            running[-1].hold(held)
    return running, missing


def race(urdf: Path, given: Arrays, steps: int, rounds: int, held: Sequence[str] = ()) -> list[str]:
    """A Markdown table."""
    if held:
        given = {**given, "base_position": np.tile(given["base_position"][:1], (len(given["rotation"]), 1))}
        given["base_velocity"] = np.zeros_like(given["base_position"])
    running, missing = entrants(urdf, given, held)
    times = {each.label: [] for each in running}
    errors = {each.label: [] for each in running}
    late = round(1.0 / float(given["dt"]))
    for turn in range(rounds):
        for each in running:
            each.reset()
            for k in range(min(steps, len(given["rotation"]))):
                began = time.process_time()
                each.step(k)
                times[each.label].append(time.process_time() - began)
                if turn == 0 and k >= late:
                    errors[each.label].append(degrees_between(each.rotations(), given["rotation"][k]))
    lines = ["| | step, ms | mean error, deg | p95 |", "|---|---|---|---|"]
    for label, own in times.items():
        missed = np.array(errors[label]) if errors[label] else np.full(1, np.nan)
        lines.append(
            f"| {label} | {1e3 * median(own):.3f} | {missed.mean():.3f} | {np.quantile(missed, 0.95):.3f} |"
        )
    return lines + missing


def beside_peers(module: str) -> None:
    """Runs a module in the environment with the peers, where there is one, and leaves."""
    if PYTHON.exists() and Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():
        sys.exit(subprocess.run([str(PYTHON), "-m", module, *sys.argv[1:]], cwd=ROOT, check=False).returncode)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", type=Path, required=True)
    ask.add_argument("--targets", type=Path, required=True)
    ask.add_argument("--steps", type=int, default=200, help="frames of a round (default 200)")
    ask.add_argument("--rounds", type=int, default=3)
    ask.add_argument("--hold", nargs="*", default=[], metavar="LINK", help="links that stay where they are")
    asked = ask.parse_args()
    beside_peers("benchmarks.whole_body.peers")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with np.load(asked.targets) as file:
        given = dict(file)
    print("\n".join(race(asked.urdf, given, asked.steps, asked.rounds, asked.hold)))


if __name__ == "__main__":
    main()
