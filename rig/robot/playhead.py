"""Movement of a scene's current frame during playback, which may be backward, with dropped frames, or slower
than the scene's rate; it gives the time of the next frame.
"""

import time
from collections import deque
from dataclasses import dataclass, field
from statistics import median

import bpy

from ...character.playback import JUMP

# number of latest intervals from which the playback speed is computed, so that a few slow redraws have no
# effect
REMEMBERED = 9
# if the median interval between frames is above this multiple of the nominal interval, the scene cannot keep
# its rate; a smaller one counts as jitter
SLOWER = 1.4


@dataclass
class _Playhead:
    """Movement of a scene's current frame.

    Attributes:
        frame: Frame shown last.
        at: Time at which it was shown [s, time.perf_counter].
        steps: The last two steps [frames], negative for backward; jumps are left out.
        gaps: Intervals between the last frames [s].
    """

    frame: float
    at: float
    steps: deque[float] = field(default_factory=lambda: deque(maxlen=2))
    gaps: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


_playheads: dict[int, _Playhead] = {}  # playback of each scene, by its session_uid


def note(scene: bpy.types.Scene, shown_at: float | None = None) -> None:
    """Records the frame that a scene shows since the time `shown_at` [s, time.perf_counter; None: now], with
    the step and the interval since the last call. Jumps are no steps; a pause clears the intervals.
    """
    shown_at = time.perf_counter() if shown_at is None else shown_at
    frame = scene.frame_current + scene.frame_subframe
    head = _playheads.setdefault(scene.session_uid, _Playhead(frame, shown_at))
    step, gap = frame - head.frame, shown_at - head.at
    head.frame, head.at = frame, shown_at
    if 0.0 < abs(step) <= max(1.0, JUMP / seconds_a_frame(scene)):
        head.steps.append(step)
    if gap > max(JUMP, 2.0 * _nominal(scene)):  # a pause, or the scene has not been playing
        head.gaps.clear()
    else:
        head.gaps.append(gap)


def forget() -> None:
    """Discards the playback state of all scenes, before another file is loaded."""
    _playheads.clear()


def seconds_a_frame(scene: bpy.types.Scene) -> float:
    """Duration of a scene's frame [s]."""
    return scene.render.fps_base / scene.render.fps


def step(scene: bpy.types.Scene) -> float:
    """Step [frames] from the current frame of a playing scene to the next one; negative if it plays backward.
    It is the shorter of the last two steps, since a single long one is a stall; after a change of direction
    the last one; 1 if no step is known.
    """
    head = _playheads.get(scene.session_uid)
    if head is None or not head.steps:
        return 1.0
    return min(head.steps, key=abs) if head.steps[0] * head.steps[-1] > 0.0 else head.steps[-1]


def due(scene: bpy.types.Scene) -> float:
    """Time [s] until a playing scene shows its next frame: by its frame rate or, if the last intervals show
    that the scene cannot keep the rate, their median.
    """
    nominal = _nominal(scene)
    head = _playheads.get(scene.session_uid)
    if head is None or len(head.gaps) < REMEMBERED:
        return nominal
    measured = median(head.gaps)
    return measured if measured > SLOWER * nominal else nominal


def _nominal(scene: bpy.types.Scene) -> float:
    """Time [s] until the next frame if the scene keeps its rate; playback drops whole frames."""
    return max(1.0, abs(step(scene))) * seconds_a_frame(scene)
