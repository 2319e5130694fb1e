"""Position in the clip of a character that plays in real time."""


class Playhead:
    """Position in a clip that plays from its start to its end and stays there.

    Args:
        length: Length of the clip [s].

    Attributes:
        seconds: Position in the clip [s].
        plays: Whether the position advances.
        jumps: Number of jumps so far.
        jumped_to: Position [s] after the last jump.
    """

    def __init__(self, length: float) -> None:
        self.seconds, self.length, self.plays = 0.0, length, True
        self.jumps, self.jumped_to = (0, 0.0)

    def advance(self, dt: float) -> None:
        """Advances by `dt` [s], if it plays."""
        if self.plays:
            self.seconds = min(self.seconds + dt, self.length)
            self.plays = self.seconds < self.length

    def play(self) -> None:
        """Starts to play; from the start of the clip if the position is at its end."""
        if self.seconds >= self.length:
            self._jump(0.0)
        self.plays = self.length > 0.0

    def pause(self) -> None:
        self.plays = False

    def seek(self, seconds: float) -> None:
        """Goes to a time [s], clamped to the clip."""
        self._jump(min(max(seconds, 0.0), self.length))

    def _jump(self, seconds: float) -> None:
        self.seconds = self.jumped_to = seconds
        self.jumps += 1
