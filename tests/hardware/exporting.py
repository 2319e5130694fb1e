"""Motion for the tests of the export: joints that follow the output of a motion filter, on hobby servos."""

import math
from dataclasses import replace

from limber.hardware.device import Device, DeviceJoint
from limber.hardware.motion_files import Motion, Take, make_motion
from limber.motion import Limits, make_filter

from tests.hardware.devices import direct, one_to_one

FPS = 24.0
LIMITS = Limits(-1.2, 1.2, math.pi, 5 * math.pi, 50 * math.pi)
JOINTS = 6


def device(joints: int = JOINTS, limits: Limits = LIMITS, **channel) -> Device:
    return one_to_one("virtual", [direct(f"joint {k}", k, limits, **channel) for k in range(joints)])


def filtered(
    robot: Device,
    seconds: float = 4.0,
    fps: float = FPS,
    first: int = 1,
    filter_name: str = "default",
    pauses: bool = True,
) -> Take:
    """Frames of a motion filter that follows waves as far as it can, with pauses in the middle, and comes to
    rest.
    """
    filters = [make_filter(filter_name, joint.limits) for joint in robot.joints]
    states = [
        one.rest(joint.limits.clamp(0.1 * k))
        for k, (one, joint) in enumerate(zip(filters, robot.joints, strict=True))
    ]
    frames = [tuple(state.position for state in states)]
    for frame in range(1, 100_000):
        time = frame / fps
        states = [
            one.step(state, _wave(joint, k, time, pauses) if time < seconds else state.position, 1.0 / fps)
            for k, (one, state, joint) in enumerate(zip(filters, states, robot.joints, strict=True))
        ]
        frames.append(tuple(state.position for state in states))
        if time > seconds and frames[-1] == frames[-2]:
            break
    return Take(robot, first, fps, tuple(frames), first + len(frames) - 1)


def _wave(joint: DeviceJoint, k: int, time: float, pauses: bool) -> float:
    middle, width = 0.5 * (joint.limits.lower + joint.limits.upper), joint.limits.upper - joint.limits.lower
    return middle + 0.4 * width * math.sin(3.0 * time + k) if not pauses or int(time) % 3 else middle


def motion(rate: int = 50, loops: bool = False, robot: Device | None = None, **take) -> Motion:
    return make_motion(filtered(robot or device(), **take), rate, "Arm", loops)


def changed(take: Take, frame: int, joint: int, value: float) -> Take:
    """The take with another value of a joint from a frame on."""
    frames = [
        tuple(value if frame <= take.first + row and k == joint else old for k, old in enumerate(values))
        for row, values in enumerate(take.frames)
    ]
    return replace(take, frames=tuple(frames))
