"""The demo lamp and the virtual robot, set up with the operators that a user presses; the lamp plays, then
its target is dragged.
"""

from dataclasses import dataclass

import bpy
import limber

from .stepped import SteppedTime
from .tracing import Calls, Function

CONNECT_SECONDS = 2.0  # [s] time until the robot has answered
ARM_SECONDS = 10.0  # [s] time until the robot has moved slowly to the pose
REST_SECONDS = 5.0  # [s] time until all motion has ended
# number of traced frames of the animation, after as many untraced ones; number of traced ticks of the clock
FRAMES = 24
DRAG = 0.3  # [m] displacement of the target, more than the motion filter covers in the traced ticks


@dataclass(frozen=True)
class Path:
    """The calls of one frame.

    Attributes:
        number: Number of the scene's frame, or of the tick, counted from the first.
        blender: Calls in Blender, from the handler to the memory that is shared with the worker.
        worker: Calls in the hardware worker, from there to the bytes, until the next frame is due.
        crossings: As in `Tracer`, in Blender.
        calls_back: As in `Tracer`, in Blender.
    """

    number: int
    blender: Calls
    worker: Calls
    crossings: int
    calls_back: list[tuple[Function, Function]]

    @property
    def files(self) -> list[str]:
        """Files of both processes, each once, in the order of their first calls."""
        return list(dict.fromkeys(file for file, _ in (*self.blender, *self.worker)))


def trace() -> tuple[Path, Path]:
    """Traces a played frame, and a tick of the clock while the target is dragged; of the traced frames and
    ticks, those that ran the most files.
    """
    time = SteppedTime()
    try:
        _begin(time)
        return _played(time), _dragged(time)
    finally:
        time.end()


def _begin(time: SteppedTime) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    bpy.ops.limber.add_demo_lamp()
    bpy.ops.limber.live()
    bpy.ops.limber.connect()
    time.pass_by(CONNECT_SECONDS)
    bpy.ops.limber.arm()
    time.pass_by(ARM_SECONDS)


def _played(time: SteppedTime) -> Path:
    scene = bpy.context.scene
    paths = []
    bpy.ops.screen.animation_play()
    for _ in range(2 * FRAMES):
        with time.tracer.on() as calls:
            scene.frame_set(scene.frame_current + 1)
        paths.append(_path(time, scene.frame_current, calls, scene.render.fps_base / scene.render.fps))
        time.pass_by(0.0)
    bpy.ops.screen.animation_play()
    return _fullest(paths[FRAMES:])


def _dragged(time: SteppedTime) -> Path:
    """Path of a tick of the clock, the timer that starts after the target was moved."""
    time.pass_by(REST_SECONDS)
    before = set(time.timers.due)
    target = bpy.context.active_object.limber.chains[0].target
    target.location.z += DRAG
    bpy.context.view_layer.update()
    (clock,) = set(time.timers.due) - before
    time.timers.unregister(clock)  # the timer's function is called directly here
    paths = []
    for number in range(1, FRAMES + 1):
        with time.tracer.on() as calls:
            interval = clock()
        paths.append(_path(time, number, calls, interval))
        time.pass_by(0.0)
    return _fullest(paths)


def _path(time: SteppedTime, number: int, calls: Calls, due: float) -> Path:
    """The path of a frame whose part in Blender was traced last; `due`: [s] until the next frame."""
    tracer = time.tracer
    return Path(number, calls, time.trace_workers(due), tracer.crossings, list(tracer.calls_back))


def _fullest(paths: list[Path]) -> Path:
    return max(paths, key=lambda path: len(path.files))
