"""What chains and bodies have in common from one moment to the next: where their bones are, where they are going, and where they were."""

from dataclasses import dataclass, field


@dataclass
class Moving:
    """A chain or a body that moves. Channels are bone name -> (rotation wxyz, location, scale), the warped basis."""

    state: object | None = None  # what the next tick needs of the last; None: it begins at rest
    channels: dict = field(default_factory=dict)
    channels_before: dict = field(default_factory=dict)  # at the last moment before; empty at a new start
    going: dict = field(default_factory=dict)  # where the joints are going: what chains that look at each other see of each other
    going_before: dict = field(default_factory=dict)

    def restart(self) -> None:
        """Forget the motion: the next tick begins at rest."""
        self.state, self.channels_before, self.going_before = None, {}, {}

    def moment(self) -> tuple:
        """What `go_back` needs to go on from here."""
        return self.state, self.channels, self.channels_before, self.going, self.going_before

    def go_back(self, moment: tuple | None) -> None:
        """To an earlier moment; None: to a new start."""
        self.state, self.channels, self.channels_before, self.going, self.going_before = moment or (None, {}, {}, {}, {})

    def move_on(self) -> None:
        """What is known now was before."""
        self.channels_before, self.going_before = (self.channels, self.going) if self.state is not None else ({}, {})
