"""Where the clip of a character is while it plays in real time."""


class Playhead:
    """A place in a clip, which plays from its begin to its end and stays there.

    Args:
        length: Length of the clip [s].
    """

    def __init__(self, length: float) -> None:
        self.seconds, self.length, self.plays = 0.0, length, True

    def advance(self, dt: float) -> None:
        """Moves on by `dt` [s], if it plays."""
        if self.plays:
            self.seconds = min(self.seconds + dt, self.length)
            self.plays = self.seconds < self.length

    def play(self) -> None:
        """Plays on; from the begin where it is at the end."""
        if self.seconds >= self.length:
            self.seconds = 0.0
        self.plays = self.length > 0.0

    def pause(self) -> None:
        self.plays = False

    def seek(self, seconds: float) -> None:
        """Goes to a time [s]; outside of the clip: to its nearer end."""
        self.seconds = min(max(seconds, 0.0), self.length)
