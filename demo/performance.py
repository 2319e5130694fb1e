"""One performance: live at the pace of the clock, filtered, streamed to the robot, then baked. It uses the
installed extension alone.
"""

from dataclasses import dataclass, field
from time import perf_counter, sleep

import bpy
import installed
import numpy as np
from mathutils import Vector

# [s] longest time to connect, with a cold start of the worker's Python on a busy machine
CONNECT_WITHIN = 20.0
ARM_WITHIN = 30.0  # [s] longest time to arm: the approach to the first pose is slow for safety
READ_EVERY = 0.01  # [s] time between two reads of the robot's status, which changes at most that often
FOLLOWED = 2.0  # [degrees] largest distance from the sent values at the end of a scene with closed loops
SETTLE = 1.0  # [s] time after the last frame in which the robot arrives


class FailedError(Exception):
    """A necessary step failed; the message says which."""


@dataclass
class Take:
    """Recorded values of one chain, frame by frame (rows), and of its robot, sample by sample."""

    fps: float
    joints: list[str] = field(default_factory=list)
    # (5, n) lower and upper limits [rad], velocity [rad/s], acceleration [rad/s2], jerk [rad/s3]
    limits: np.ndarray | None = None
    frames: list[int] = field(default_factory=list)
    due: list[float] = field(default_factory=list)  # [s] time of each frame since the first one
    solved: list = field(default_factory=list)  # [rad] solution of each frame, (n,)
    filtered: list = field(default_factory=list)  # [rad] values of each frame after the motion filter, (n,)
    # [rad] values handed to the robot's worker in each frame, (n,)
    handed: list = field(default_factory=list)
    goals: list = field(default_factory=list)  # goal of each frame
    postures: list[str] = field(default_factory=list)  # name of the posture kept in each frame
    solutions: list = field(default_factory=list)  # the solver's solution of each frame
    # [rad] aim error of each frame after the motion filter
    filtered_aim_error: list[float] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)  # frame -> why the chain could not be solved
    tick_seconds: list[float] = field(default_factory=list)  # [s] duration of the chain's tick in each frame
    frame_seconds: list[float] = field(default_factory=list)  # [s] duration of each change of frame
    late_frames: list[float] = field(default_factory=list)  # [s] delay of this process in each frame
    columns: list[int] = field(default_factory=list)  # indices of the chain's joints among the device's
    # (n,) whether a joint is revolute; values of the other joints are in metres
    is_revolute: np.ndarray | None = None
    # (time since the first frame [s], commanded (n,) or None, reported (n,)) of each sample of the status
    status_samples: list[tuple] = field(default_factory=list)
    status: object = None
    skeleton: object = None
    # [rad] aim errors of the baked motion, as Blender evaluates it
    shown_aim_error: list[float] = field(default_factory=list)
    baked: np.ndarray | None = None  # (t, n) [rad] values read back from the keys
    # (t, n) [rad] values that the robot reported for each frame, corrected for its lag
    robot: np.ndarray | None = None
    robot_aim: list[float] = field(default_factory=list)  # [degrees] aim error of the robot in each frame


def perform(rig, chain, frames: int, say) -> Take:
    """Plays frames 1 to `frames` live in real time while the robot follows; returns the recorded values.

    Raises:
        FailedError: the chain cannot be solved, or the robot cannot be armed or stopped following.
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
    # a robot may have further joints: a gripper, legs
    take.columns = [names.index(name) for name in take.joints]
    _note_what_is_sent(link, take)
    say(f"streaming {frames} frames at {take.fps:g} a second")

    began = perf_counter()
    beat = began
    for frame in range(1, frames + 1):
        due = (frame - 1) / take.fps
        while perf_counter() - began < due:
            beat = _read_status(link, take, began, beat)
            sleep(max(0.0, min(READ_EVERY, due - (perf_counter() - began))))
        take.late_frames.append(perf_counter() - began - due)
        take.handed.append(None)
        start = perf_counter()
        scene.frame_set(frame)
        take.frame_seconds.append(perf_counter() - start)
        _note(take, chain, session, frame, due)
        beat = _read_status(link, take, began, beat)
        _check(link)
    for _ in range(int(SETTLE / READ_EVERY)):
        beat = _read_status(link, take, began, beat)
        sleep(READ_EVERY)
    bpy.ops.limber.disarm()
    until = perf_counter() + SETTLE
    while (
        take.status is None or take.status.acknowledged + take.status.lost < take.status.sent
    ) and perf_counter() < until:
        sleep(READ_EVERY)
        take.status = link.status()
    bpy.ops.limber.disconnect()
    return take


class Follower:
    """The robot of an armature whose scene is played frame by frame at the pace of the clock; making it
    connects and arms the robot.
    """

    def __init__(self, rig, say) -> None:
        self.rig = rig
        self.sending = installed.module("rig.robot.sending")
        self.link = _connect_and_arm(rig, say)
        self.began = self.beat = perf_counter()

    def wait(self, due: float) -> None:
        """Waits until a time [s] since the first frame.

        Raises:
            FailedError: the robot stopped following.
        """
        while perf_counter() - self.began < due:
            self._beat()
            sleep(READ_EVERY)
        _check(self.link)

    def end(self, last) -> dict:
        """Gives the robot `SETTLE` seconds to reach the last frame's values [rad], then disarms and
        disconnects it; returns the numbers of sent and lost moves and the remaining error [degrees], which
        is infinite without measured positions.
        """
        until = perf_counter() + SETTLE
        while perf_counter() < until:
            self._beat()
            sleep(READ_EVERY)
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
    """Bakes the frames of the take, and reads the keys back.

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
    """Angle [rad] between the end's view and its target as shown in Blender, computed from Blender's
    matrices; of Limber it uses only the chain's settings and forward axis.

    It uses sine and cosine: in Blender's single precision, the cosine alone cannot distinguish an angle below
    a fiftieth of a degree from zero.
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
    """Connects the robot, waits until it is disarmed, arms it, and waits until it has reached the armature's
    pose; returns the link to it. Raises FailedError if it takes too long or fails.
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
    """Waits until the robot is in one of these states; raises FailedError after `limit` seconds, or if the
    robot fails. Timers do not run without a window, so their work is done here.
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


def _read_status(link, take: Take, began: float, beat: float) -> float:
    """Reads the robot's status once, after a heartbeat if one is due.

    Args:
        link: Link to the robot.
        take: Receives the sample.
        began: Time of the first frame, by `perf_counter` [s].
        beat: Time of the last heartbeat [s].

    Returns:
        Time of the last heartbeat [s].
    """
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
        take.status_samples.append((perf_counter() - began, *rows))
    return beat


def _check(link) -> None:
    status = link.status()
    if not status.moving:
        raise FailedError(f"The robot stopped following: {status.sentence}")


def _note_what_is_sent(link, take: Take) -> None:
    """Makes the link record in `take.handed` the first values that it sends in each frame; heartbeats send
    the same ones again.
    """
    send = link.send

    def noting(angles, **options) -> None:
        if take.handed and take.handed[-1] is None:
            # without velocity and acceleration
            positions = [getattr(angle, "position", angle) for angle in angles]
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
