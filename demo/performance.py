"""The main job, once: live at the pace of the clock, filtered, streamed to the robot, then baked. Uses the
installed extension alone.
"""

from dataclasses import dataclass, field
from time import perf_counter, sleep

import bpy
import installed
import numpy as np
from mathutils import Vector

CONNECT_WITHIN = 20.0  # [s] a cold start of the worker's Python on a busy machine
ARM_WITHIN = 30.0  # [s] the ramp to the first pose is slow on purpose
LOOK = 0.01  # [s] between two looks at the robot: it reports at most that often
FOLLOWED = 2.0  # [degrees] from what it was sent, at the end of a scene with closed loops
SETTLE = 1.0  # [s] after the last frame in which the robot arrives


class FailedError(Exception):
    """Something essential did not happen; the message says what."""


@dataclass
class Take:
    """What was seen of one chain, frame by frame (rows), and of its robot, look by look."""

    fps: float
    joints: list[str] = field(default_factory=list)
    limits: np.ndarray | None = (
        None  # (5, n): lower, upper [rad], velocity, acceleration, jerk [rad/s, /s2, /s3]
    )
    frames: list[int] = field(default_factory=list)
    due: list[float] = field(default_factory=list)  # [s] since the first frame
    solved: list = field(default_factory=list)  # [rad]
    filtered: list = field(default_factory=list)  # [rad]
    handed: list = field(default_factory=list)  # [rad] what went to the robot's worker
    goals: list = field(default_factory=list)
    postures: list[str] = field(default_factory=list)
    solutions: list = field(default_factory=list)
    filtered_aim_error: list[float] = field(default_factory=list)  # [rad]
    problems: dict[int, str] = field(default_factory=dict)
    tick_seconds: list[float] = field(default_factory=list)
    frame_seconds: list[float] = field(default_factory=list)
    late_frames: list[float] = field(default_factory=list)  # [s] by which this process was late
    columns: list[int] = field(default_factory=list)  # of the chain's joints among the device's
    turns: np.ndarray | None = (
        None  # (n,) whether a joint turns; the others slide, and their numbers are metres
    )
    looks: list[tuple] = field(
        default_factory=list
    )  # (time since the first frame [s], commanded, reported [rad])
    status: object = None
    skeleton: object = None
    shown_aim_error: list[float] = field(
        default_factory=list
    )  # [rad] of the baked motion, as Blender evaluates it
    baked: np.ndarray | None = None  # (t, n) [rad] read back from the keys
    robot: np.ndarray | None = None  # (t, n) [rad] what the robot reported of each frame, its lag taken out
    robot_aim: list[float] = field(default_factory=list)  # [degrees]


def perform(rig, chain, frames: int, say) -> Take:
    """Plays frames 1 to `frames` live in real time while the robot follows.

    Raises:
        FailedError: the chain or the robot did not come so far.
    """
    scene = bpy.context.scene
    take = Take(scene.render.fps / scene.render.fps_base)
    scene.frame_set(1)
    bpy.ops.limber.live()
    session = installed.module("rig.live.live").session(rig, chain)
    if session.problem or session.outputs is None:
        raise FailedError(f"The chain cannot go live: {session.problem}")
    take.skeleton = session.model.skeleton
    take.joints = [joint.name for joint in take.skeleton.joints]
    take.limits = np.array(
        [(j.lower, j.upper, j.velocity, j.acceleration, j.jerk) for j in take.skeleton.joints]
    ).T
    take.is_revolute = np.array([joint.kind == "revolute" for joint in take.skeleton.joints])
    link = _connect_and_arm(rig, say)
    names = [joint.name for joint in link.device.joints]
    take.columns = [names.index(name) for name in take.joints]  # a robot may have more: a gripper, legs
    _note_what_is_sent(link, take)
    say(f"streaming {frames} frames at {take.fps:g} a second")

    began = perf_counter()
    beat = began
    for frame in range(1, frames + 1):
        due = (frame - 1) / take.fps
        while perf_counter() - began < due:
            beat = _look(link, take, began, beat)
            sleep(max(0.0, min(LOOK, due - (perf_counter() - began))))
        take.late_frames.append(perf_counter() - began - due)
        take.handed.append(None)
        start = perf_counter()
        scene.frame_set(frame)
        take.frame_seconds.append(perf_counter() - start)
        _note(take, chain, session, frame, due)
        beat = _look(link, take, began, beat)
        _check(link)
    for _ in range(int(SETTLE / LOOK)):
        beat = _look(link, take, began, beat)
        sleep(LOOK)
    bpy.ops.limber.disarm()
    until = perf_counter() + SETTLE
    while (
        take.status is None or take.status.acknowledged + take.status.lost < take.status.sent
    ) and perf_counter() < until:
        sleep(LOOK)
        take.status = link.status()
    bpy.ops.limber.disconnect()
    return take


class Follower:
    """The virtual robot of an armature while its scene is played frame by frame at the pace of the clock."""

    def __init__(self, rig, say) -> None:
        self.rig = rig
        self.sending = installed.module("rig.robot.sending")
        self.link = _connect_and_arm(rig, say)
        self.began = self.beat = perf_counter()

    def wait(self, due: float) -> None:
        """Waits until so many seconds since the first frame.

        Raises:
            FailedError: the robot stopped following.
        """
        while perf_counter() - self.began < due:
            self._beat()
            sleep(LOOK)
        _check(self.link)

    def end(self, last) -> dict:
        """Lets the robot arrive at the last frame's values [rad], and disconnects it; returns what was sent,
        lost and missed.
        """
        until = perf_counter() + SETTLE
        while perf_counter() < until:
            self._beat()
            sleep(LOOK)
        status = self.link.status()
        bpy.ops.limber.disarm()
        bpy.ops.limber.disconnect()
        missed = (
            np.degrees(np.abs(np.array(status.measured)[: len(last)] - last).max())
            if status.measured is not None
            else np.inf
        )
        return {"sent": status.sent, "lost": status.lost, "follows_within_deg": float(missed)}

    def _beat(self) -> None:
        if perf_counter() - self.beat > self.sending.HEARTBEAT:
            self.sending.heartbeat()
            self.beat = perf_counter()


def bake(rig, chain, take: Take) -> None:
    """Bakes the frames of the take and reads the keys back.

    Raises:
        FailedError: nothing was baked.
    """
    scene = bpy.context.scene
    retarget = rig.limber.retarget
    for owner in (chain, retarget):
        owner.frame_start, owner.frame_end = take.frames[0], take.frames[-1]
    with bpy.context.temp_override(limber_mover=retarget if retarget.live else chain):
        if bpy.ops.limber.bake() != {"FINISHED"}:
            raise FailedError("The motion was not baked")
    reader = installed.module("rig.chains.skeleton").ChainReader(rig, chain)
    rows = []
    for frame in take.frames:
        scene.frame_set(frame)
        rows.append(reader.angles(reader.read(rig.pose.bones)))
        take.shown_aim_error.append(shown_aim_error(rig, chain))
    take.baked = np.array(rows)


def shown_aim_error(rig, chain) -> float:
    """The angle [rad] by which the end, as it is seen in Blender now, misses its target: from matrices alone,
    without Limber's own.

    By its sine and cosine: the cosine alone, in Blender's single precision, tells no angle below a fiftieth
    of a degree from none.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    end = rig.evaluated_get(depsgraph).pose.bones[chain.end]
    matrix = rig.matrix_world @ end.matrix
    forward = Vector(installed.module("rig.scene.goal").forward_axis(chain))
    eye = matrix @ Vector((0.0, chain.eye * end.bone.length, 0.0))
    target = chain.target.evaluated_get(depsgraph).matrix_world.translation
    looks, to_target = np.array(matrix.to_3x3() @ forward, float), np.array(target - eye, float)
    return float(np.arctan2(np.linalg.norm(np.cross(looks, to_target)), looks @ to_target))


def _connect_and_arm(rig, say):
    """Connects, waits until the robot is there and disarmed, arms, and waits until it has come to the
    armature's pose.
    """
    robot, states = installed.module("rig.robot.links"), installed.module("hardware.safety").State
    bpy.ops.limber.connect()
    link = robot.link(rig)
    say("connecting")
    _wait(robot, rig, {states.DISARMED}, CONNECT_WITHIN)
    say(f"{robot.status(rig).sentence}")
    bpy.ops.limber.arm()
    _wait(robot, rig, {states.ARMED}, ARM_WITHIN)
    say(f"{robot.status(rig).sentence}")
    return link


def _wait(robot, rig, states: set, limit: float) -> None:
    """Until the robot is in a wanted state. Timers do not run without a window: what they would do is done
    here.
    """
    broken = {
        installed.module("hardware.safety").State.FAULT,
        installed.module("hardware.safety").State.WORKER_LOST,
    }
    until = perf_counter() + limit
    sending = installed.module("rig.robot.sending")
    while True:
        sending.heartbeat()
        status = robot.status(rig)
        if status.state in states:
            return
        if status.state in broken or perf_counter() > until:
            raise FailedError(
                f"The robot did not get to {' or '.join(state.name for state in states)}: {status.sentence}"
            )
        sleep(sending.HEARTBEAT / 2)


def _look(link, take: Take, began: float, beat: float) -> float:
    """One look at the robot; returns when the last heartbeat was."""
    now, sending = perf_counter(), installed.module("rig.robot.sending")
    if now - beat > sending.HEARTBEAT:
        sending.heartbeat()
        beat = now
    status = link.status()
    if status.measured is not None:
        rows = (
            [row[k] for k in take.columns] if row is not None else None
            for row in (status.commanded, status.measured)
        )
        take.looks.append((perf_counter() - began, *rows))
    return beat


def _check(link) -> None:
    status = link.status()
    if not status.moving:
        raise FailedError(f"The robot stopped following: {status.sentence}")


def _note_what_is_sent(link, take: Take) -> None:
    """Every frame that the extension hands over is noted beside the live one; heartbeats repeat the
    newest.
    """
    send = link.send

    def noting(angles, **options) -> None:
        if take.handed and take.handed[-1] is None:
            positions = [
                getattr(angle, "position", angle) for angle in angles
            ]  # without velocity and acceleration
            take.handed[-1] = tuple(positions[k] for k in take.columns)
        send(angles, **options)

    link.send = noting


def _note(take: Take, chain, session, frame: int, due: float) -> None:
    outputs = session.outputs
    if session.problem:
        take.problems[frame] = session.problem
    take.frames.append(frame)
    take.due.append(due)
    take.solved.append(outputs.solution.angles.copy())
    take.filtered.append(outputs.angles.copy())
    take.goals.append(session.goal)
    take.solutions.append(outputs.solution)
    take.filtered_aim_error.append(outputs.filtered_aim_error)
    take.tick_seconds.append(session.seconds)
    named = chain.base == "POSTURE" and chain.postures[chain.shown_posture].action
    take.postures.append(named.name if named else "")
