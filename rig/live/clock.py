"""Wall time for what moves while nothing plays: in whole steps, for each scene its own. Knows no Blender."""

STEP = 1 / 60  # [s] a display's frame
MOST_STEPS = 6  # made up for after a slow redraw; what is beyond is dropped, so that a stall cannot feed itself


class Clock:
    """Up to when each scene's motion has come."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}  # scene's session_uid -> wall time [s]

    def due(self, scene, now: float) -> float:
        """Time [s] by which the motion is to advance; it counts as advanced then. A clock that stood still begins with one step.

        Args:
            scene: Whose motion it is.
            now: Wall time [s].
        """
        begun = self._until.setdefault(scene.session_uid, now - STEP)
        steps = int((now - begun) / STEP + 1e-6)  # a timer that comes a hair early still makes its step
        if steps <= 0:
            return 0.0
        self._until[scene.session_uid] = now if steps > MOST_STEPS else begun + steps * STEP
        return min(steps, MOST_STEPS) * STEP

    def stop(self, scene) -> None:
        """The scene's motion is at rest, or goes by another time."""
        self._until.pop(scene.session_uid, None)
