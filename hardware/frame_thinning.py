"""Selection of the frames that are sent to the worker, for a host that has more than the worker reads."""

from __future__ import annotations

import math

# [s] period at which the worker reads the newest frame, and skips older ones; equals `worker.core.PERIOD`
READ_EVERY = 0.01
# [s] shortest interval between selected frames if some are left out; longer than READ_EVERY, since a frame
# that comes early could replace the last one before that is read
SELECTED_EVERY = 1.25 * READ_EVERY


class FrameThinning:
    """Selects every second, third or nth frame where frames come faster than the worker reads, and all frames
    elsewhere. Without it the worker would read some of the fast ones, at uneven intervals, from which no
    velocity can be computed.
    """

    def __init__(self) -> None:
        self._frames_to_skip = 0  # number of next frames that are not selected, unless they come late
        self._next_at = 0.0  # [s] time from which a frame is selected in any case

    def take(self, time: float, due: float) -> float | None:
        """Time [s] from this frame to the next selected one, 0 if `due` is 0; None if this frame is not
        selected.

        Args:
            time: Time [s] of the frame.
            due: Announced time [s] to the next frame; 0 if not known.
        """
        is_fast = 0.0 < due < READ_EVERY
        if is_fast and self._frames_to_skip and time < self._next_at:
            self._frames_to_skip -= 1
            return None
        count = math.ceil(SELECTED_EVERY / due) if is_fast else 1
        self._frames_to_skip, self._next_at = count - 1, time + count * due
        return count * due
