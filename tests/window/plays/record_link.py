"""Shared by plays about a robot's data: records all that Blender sends, so that a test can play it to the
worker again.
"""

import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from robots import HELD

NEAR = 0.005  # [rad] tolerance


class Recording:
    """Records data sent by a robot's link: time [s], whether Blender plays, each joint's position, velocity
    and acceleration per frame, and the announced time until the next frame [s]; None instead of the joints
    if the newest frame is sent again as a heartbeat.

    Attributes:
        frames: (time, plays, states (joints, 3) or None, due) of each frame.
        states: Names of the robot's states so far, with the name of a fault.
        raised: Texts of exceptions that reached Python's hook, as those in a handler or a timer do.
    """

    def __init__(self, stage, rig) -> None:
        self._stage, self._rig = stage, rig
        self._links = stage.part("rig.robot.links")
        self.frames: list[tuple[float, bool, list | None, float]] = []
        self.states: set[str] = set()
        self.raised: list[str] = []
        cls = stage.part("hardware.link").WorkerLink
        send, again = cls.send, cls.send_again

        def noting(link, frame, plays=False, due=0.0) -> None:
            states = [
                (
                    [one.position, one.velocity, one.acceleration]
                    if hasattr(one, "position")
                    else [one, 0.0, 0.0]
                )
                for one in frame
            ]
            before = len(self.frames)
            send(link, frame, plays, due)
            del self.frames[before:]  # `send` calls `send_again`
            self.frames.append((time.perf_counter(), plays, states, due))

        def noting_again(link) -> None:
            again(link)
            self.frames.append((time.perf_counter(), False, None, 0.0))

        stage.at_end.callback(setattr, cls, "send", send)
        stage.at_end.callback(setattr, cls, "send_again", again)
        cls.send, cls.send_again = noting, noting_again
        stage.at_end.callback(setattr, sys, "excepthook", sys.excepthook)
        sys.excepthook = lambda *error: self.raised.append("".join(traceback.format_exception(*error)))

    @property
    def commanded(self) -> list[float] | None:
        """The robot's commanded joint values [rad]; None while it is not driven."""
        status = self._links.status(self._rig)
        self.states.add(f"{status.state.name} {status.fault.name}" if status.fault else status.state.name)
        return status.commanded and list(status.commanded)

    @property
    def newest(self) -> list[float]:
        """Positions [rad] that were sent last; none before the first frame."""
        return next(
            ([state[0] for state in states] for _, _, states, _ in reversed(self.frames) if states), []
        )

    def is_there(self) -> bool:
        """Whether the robot has the pose that Blender shows."""
        commanded, newest = self.commanded, self.newest
        return (
            bool(commanded and newest)
            and max(abs(a - b) for a, b in zip(commanded, newest, strict=True)) < NEAR
        )

    def played(self, count: int):
        """Waits until so many more frames of a playing scene were sent."""
        begun = len(self.frames)

        def enough() -> bool:
            self.is_there()
            return sum(plays for _, plays, _, _ in self.frames[begun:]) >= count

        yield from self._stage.until(enough, HELD)

    @property
    def facts(self) -> dict:
        """Data for the test: the robot and the recorded data."""
        device = self._stage.part("hardware.device").to_plain(self._links.link(self._rig).device)
        return {"device": device, "frames": self.frames, "states": sorted(self.states), "raised": self.raised}
