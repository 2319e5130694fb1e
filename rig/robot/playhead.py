"""How a scene's current frame moves while it plays: backward, with frames left out, or slower than its rate;
and so when its next frame is due.
"""

import time
from collections import deque
from dataclasses import dataclass, field
from statistics import median

import bpy

from ...character.playback import JUMP

REMEMBERED = 9  # number of newest gaps that tell how fast a scene plays: a few slow redraws change nothing
# factor of the interval at the rate: a scene whose frames come so late cannot keep it; less is unevenness
SLOWER = 1.4


@dataclass
class _Playhead:
    """Movement of a scene's current frame.

    Attributes:
        frame: Shown last.
        at: Time of that [s, time.perf_counter].
        steps: From frame to frame in the last two [frames]; negative: backward. Jumps are left out.
        gaps: Between the last frames [s].
    """

    frame: float
    at: float
    steps: deque[float] = field(default_factory=lambda: deque(maxlen=2))
    gaps: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


_playheads: dict[int, _Playhead] = {}  # by the scene's session_uid


def note(scene: bpy.types.Scene, shown_at: float | None = None) -> None:
    """Records that a scene shows another frame, at the time `shown_at` [s, time.perf_counter]."""
    shown_at = time.perf_counter() if shown_at is None else shown_at
    frame = scene.frame_current + scene.frame_subframe
    head = _playheads.setdefault(scene.session_uid, _Playhead(frame, shown_at))
    step, gap = frame - head.frame, shown_at - head.at
    head.frame, head.at = frame, shown_at
    if 0.0 < abs(step) <= max(1.0, JUMP / seconds_a_frame(scene)):
        head.steps.append(step)
    if gap > max(JUMP, 2.0 * _nominal(scene)):  # a pause, or the scene has not played
        head.gaps.clear()
    else:
        head.gaps.append(gap)


def forget() -> None:
    """Discards what is known of scenes, before another file is loaded."""
    _playheads.clear()


def seconds_a_frame(scene: bpy.types.Scene) -> float:
    """Duration of a scene's frame [s]."""
    return scene.render.fps_base / scene.render.fps


def step(scene: bpy.types.Scene) -> float:
    """Frames until the one that a playing scene shows next; negative where it plays backward.

    The shorter of the last two steps, since a single long one is a stall.
    """
    head = _playheads.get(scene.session_uid)
    if head is None or not head.steps:
        return 1.0
    return min(head.steps, key=abs) if head.steps[0] * head.steps[-1] > 0.0 else head.steps[-1]


def due(scene: bpy.types.Scene) -> float:
    """Time until a playing scene shows its next frame [s]: as its rate says, unless it could not keep that
    lately.
    """
    nominal = _nominal(scene)
    head = _playheads.get(scene.session_uid)
    if head is None or len(head.gaps) < REMEMBERED:
        return nominal
    measured = median(head.gaps)
    return measured if measured > SLOWER * nominal else nominal


def _nominal(scene: bpy.types.Scene) -> float:
    """Time until the next frame [s] where the scene keeps its rate; playback leaves frames out by
    whole ones.
    """
    return max(1.0, abs(step(scene))) * seconds_a_frame(scene)
