"""Tests the recipes of docs/extending.md: the files and names that they mention exist, and their lists of
necessary additions are complete.

Recipes with tests of their own: `tests/character/test_effects.py`, `tests/solvers/test_new_aim.py`,
`tests/blender/test_fourth_mover.py`, a robot of the gallery in `tests/blender/test_gallery.py`. Those that
need Blender are in `tests/blender/test_recipes_in_blender.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from limber.hardware.address import address_of
from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share
from limber.hardware.motion_files import FORMATS, Settings, read, write
from limber.hardware.motion_files.formats import Format
from limber.hardware.motion_files.recording import RecordedColumn, Recording
from limber.hardware.protocols import table as protocols
from limber.hardware.protocols.interface import Capabilities, Codec, Exchange, Units
from limber.hardware.protocols.servo_animation import SilentDecoder
from limber.hardware.protocols.table import ProtocolEntry, codec_for
from limber.hardware.worker import connections
from limber.hardware.worker.connection import Connection, Moves
from limber.hardware.worker.connection_state import SERVO_TRANSITIONS
from limber.motion import FILTERS, FilterInfo, Kinematic, Limits, make_filter
from limber.robots import reading
from limber.robots.model import ModelJoint, ModelLink, Robot
from limber.robots.unread import tell_unread
from limber.solvers.diagnosis import Diagnosis
from limber.solvers.goals import Direction, GazeError, GazeGoal, any_aim, check_goal
from limber.solvers.kinematics.se3 import hat
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import Goals
from limber.solvers.mechanism.objectives import Objectives
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.settings import SolverOptions as Options
from limber.solvers.settings import setting, settings_of
from limber.solvers.table import SOLVERS, SolverInfo, make_solver, unavailable

from tests.hardware.moves import motion
from tests.solvers import mechanisms
from tests.solvers.chains import lamp

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
TEXT = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
PATHS = sorted(set(re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", TEXT)))
NAMES = sorted(set(re.findall(r"`(\w+)` (?:of|in) (?:the )?`((?:\w+/)+\w+\.py)`", TEXT)))
TESTS = sorted(set(re.findall(r"`(?:\w+/)*(test_\w+\.py)`", TEXT)))


@pytest.mark.parametrize("path", PATHS)
def test_a_path_of_the_page_is_there(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("name", "path"), NAMES)
def test_a_name_of_the_page_is_defined_in_the_file_that_the_page_says(name, path):
    assert re.search(rf"^\s*(class |def )?{name}\b\s*[:=(]", (ROOT / path).read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", TESTS)
def test_a_file_of_tests_of_the_page_is_there(name):
    assert list((ROOT / "tests").rglob(name))


# a solver


@dataclass(frozen=True)
class HalfwayOptions(Options):
    """Settings of the solver below."""

    share: float = setting(0.5, "Share", "How far joints go from the start to the posture", unit="share")


class Halfway:
    """A solver that moves half-way to the posture and ignores the target."""

    def __init__(self, skeleton, options=None):
        self.skeleton, self.options = skeleton, options or HalfwayOptions()
        self.diagnosis = Diagnosis(skeleton)

    def solve(self, goal, start=None, memory=None, *, dt=1 / 60):
        posture = np.array(check_goal(self.skeleton, goal, any_aim, start, dt))
        begin = posture if start is None else np.array(start)
        angles = self.skeleton.clamp(begin + self.options.share * (posture - begin))
        return self.diagnosis.solution(goal, tuple(posture.tolist()), angles, iterations=1, began=0.0)


def test_a_solver_is_a_class_and_an_entry_of_the_table(monkeypatch):
    info = SolverInfo("halfway", "Halfway", "Goes halfway", Halfway, options=HalfwayOptions)
    monkeypatch.setitem(SOLVERS, "halfway", info)
    skeleton = lamp()
    goal = GazeGoal(Direction((1.0, 0.2, 0.3)), np.full(len(skeleton), 0.2))
    solution = make_solver("halfway", skeleton).solve(goal, np.zeros(len(skeleton)))
    assert solution.angles.tolist() == pytest.approx([0.1] * len(skeleton))
    assert not solution.converged
    assert solution.reason
    assert unavailable("halfway", skeleton, [Direction]) == ""
    assert settings_of(info.options)["share"].high == 1.0


# a motion filter


class Steady:
    """A filter with constant velocity."""

    def __init__(self, limits, style):
        self.limits, self.velocity = limits, style.velocity * limits.velocity

    def rest(self, position):
        return Kinematic(self.limits.clamp(position))

    def step(self, state, target, dt, target_velocity=None):
        most = self.velocity * dt
        move = min(max(self.limits.clamp(target) - state.position, -most), most)
        return Kinematic(state.position + move, move / dt if dt else 0.0)


def test_a_motion_filter_is_a_class_and_an_entry_of_the_table(monkeypatch):
    monkeypatch.setitem(FILTERS, "steady", FilterInfo("steady", "Steady", "Constant velocity", Steady))
    joint = make_filter("steady", Limits(-1.0, 1.0, 2.0, 20.0, 200.0))
    state = joint.rest(0.0)
    for _ in range(40):
        state = joint.step(state, 3.0, 1 / 60)
    assert state.position == 1.0


# a format of motion files


def _write(motion, _settings) -> bytes:
    rows = zip(motion.recording.times, *(column.values for column in motion.recording.columns), strict=True)
    names = " ".join(column.name for column in motion.recording.columns)
    return "\n".join([f"ANGLES {names}", *(" ".join(map(repr, row)) for row in rows)]).encode()


def _read(data: bytes, *_) -> Recording:
    heading, *lines = data.decode().splitlines()
    times, *columns = zip(*(map(float, line.split()) for line in lines), strict=True)
    names = heading.split()[1:]
    return Recording(
        times, tuple(RecordedColumn(name, values) for name, values in zip(names, columns, strict=True))
    )


def test_a_format_of_motion_files_is_two_functions_and_an_entry_of_the_table(monkeypatch, tmp_path):
    form = Format("Angles", "Words and numbers", ".angles", _write, _read)
    monkeypatch.setitem(FORMATS, "angles", form)
    written, path = motion(("pan", "tilt"), rows=3), tmp_path / "motion.angles"
    write(path, form.make(written, Settings()))
    assert read(path).columns == tuple(
        RecordedColumn(column.name, column.values) for column in written.recording.columns
    )


# a servo protocol


class Letters(Codec):
    """A codec of text commands such as S3=1500."""

    capabilities = Capabilities("Letters", Units("microseconds", 500, 2500), range(10), (9_600,))

    def decoder(self) -> SilentDecoder:
        return SilentDecoder()

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        return (Exchange(b"".join(b"S%d=%d\n" % goal for goal in goals.items())),)


def test_a_servo_protocol_is_a_codec_and_an_entry_of_the_table(monkeypatch):
    entry = ProtocolEntry("Letters", lambda _device: Letters())
    monkeypatch.setattr(protocols, "PROTOCOLS", MappingProxyType({**protocols.PROTOCOLS, "letters": entry}))
    codec = codec_for("letters")
    assert codec.write({3: 1500})[0].data == b"S3=1500\n"
    assert codec.capabilities.units.lowest == 500


# a setting of a solver


def test_a_setting_of_a_solver_is_a_field_whose_description_gives_its_bounds_and_messages():
    described = settings_of(HalfwayOptions)["share"]
    assert (described.label, described.low, described.high, described.unit) == ("Share", 0.0, 1.0, "share")
    with pytest.raises(GazeError, match=r"Share is 2: choose a number from 0 to 1"):
        described.check(2.0)


# a goal of a mechanism


@dataclass(frozen=True)
class ReachGoals(Goals):
    """Goals with one more: the distance [m] of a body's frame from the base."""

    reach: tuple[str, float] = ("rocker", 0.0)


@dataclass(eq=False)
class Reach:
    """Task that keeps ends at a distance from the origin."""

    ends: object
    distance: float

    def linear(self, at):
        angular, linear = at.screws
        points = self.ends.frames(at.frames)[:, :3, 3]
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        along = points / lengths
        slopes = np.einsum("ka,kav->kv", along, linear - hat(points) @ angular)
        return self.ends.weighted(lengths - self.distance, slopes[:, None])


def distance(solution) -> float:
    """Distance [m] of the rocker's end from the base."""
    return float(np.linalg.norm(solution.poses[-1] @ (0.3, 0.0, 0.0, 1.0) - (0.0, 0.0, 0.0, 1.0)))


def test_a_goal_of_a_mechanism_is_a_task_that_the_objectives_make_of_a_field(monkeypatch):
    of_goals = Objectives.of_goals

    def with_reach(objectives, goals):
        yield from of_goals(objectives, goals)
        if isinstance(goals, ReachGoals):
            body, distance = goals.reach
            share = objectives.tree.size**-2.0
            ends = objectives._ends(((body, mechanisms.flat(0.3), (1.0,)),), share)
            yield Reach(ends, distance)

    monkeypatch.setattr(Objectives, "of_goals", with_reach)
    solver = MechanismSolver(mechanisms.four_bar())
    start = assemble(solver)
    before = distance(start)
    solution = solver.solve(ReachGoals(reach=("rocker", before - 0.05)), start.state)
    assert distance(solution) == pytest.approx(before - 0.05, abs=1e-5)


# a robot behind its maker's daemon


class Daemon(Connection):
    """A robot whose daemon takes a line of numbers, and says nothing."""

    def __init__(self, device, transport, moves, time):
        super().__init__(device, transport, SERVO_TRANSITIONS, moves, time)

    @property
    def measures(self):
        return False

    @property
    def _is_set_up(self):
        return True

    def _requested(self, before):
        pass

    def measured(self):
        return (None,) * len(self._device.channels)

    def pose(self, time):
        return self.measured()

    def listen(self, time):
        self._receive()

    def move(self, time, raw):
        self._transmit((" ".join(map(str, raw)) + "\n").encode())

    def speak(self, time):
        pass

    acknowledge_fault = close = speak


class Wire:
    """A transport that remembers what was written."""

    def __init__(self):
        self.written = b""

    def read(self):
        return b""

    def write(self, data):
        self.written += data
        return True


def test_a_robot_behind_a_daemon_is_a_connection_and_its_capabilities(monkeypatch):
    capabilities = Capabilities(
        "Daemon", Units("radians", -3.0, 3.0), range(10), (), address="localhost:9000"
    )
    monkeypatch.setattr(protocols, "WITHOUT_CODEC", {**protocols.WITHOUT_CODEC, "daemon": capabilities})

    def make(device, port, _session, _period, moves, time):
        return Daemon(device, port, moves, time)

    monkeypatch.setattr(connections, "CONNECTIONS", {**connections.CONNECTIONS, "daemon": make})
    assert protocols.is_on_network("daemon")
    assert protocols.capabilities_of("daemon") is capabilities
    assert address_of(capabilities.address)
    wire = Wire()
    pan = DeviceJoint("pan", Limits(-1.0, 1.0, 2.0, 20.0, 200.0))
    channel = ServoChannel(0, (Share("pan"),), zero=0.0, per_radian=1.0, lowest=-3.0, highest=3.0)
    device = Device(capabilities.address, (pan,), (channel,), protocol="daemon")
    connection = connections.connection_to(device, lambda _device, _time: wire, 1, 0.01, Moves(), 0.0)
    connection.move(0.0, [0.5])
    assert wire.written == b"0.5\n"


# an import format for robots


def _sketched(reader, root, _for_mechanism, _remade) -> Robot:
    names = [reader.text(bone, "name") for bone in root.all("bone")]
    joints = tuple(
        ModelJoint(f"{child} joint", "continuous", parent, child) for parent, child in pairwise(names)
    )
    tell_unread(reader, root)
    return Robot(
        "sketch", reader.file, tuple(map(ModelLink, names)), joints, names[0], tuple(reader.warnings)
    )


def test_an_import_format_for_robots_is_a_function_and_its_root_element(monkeypatch, tmp_path):
    monkeypatch.setitem(reading.READERS, "sketch", _sketched)
    path = tmp_path / "arm.xml"
    path.write_text('<sketch><bone name="base"/><bone name="arm" colour="red"/></sketch>')
    robot = reading.read(path)
    assert [joint.child for joint in robot.joints] == ["arm"]
    assert robot.root == "base"
    assert any("colour" in warning for warning in robot.warnings)
