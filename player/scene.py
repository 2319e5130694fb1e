"""Poses of all objects of a performance at one moment: the scene that its movers read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from ..character.behaviour.performer import Directed
from ..character.chain.hanging import ChainPose
from ..character.chain.inputs import Matrix
from ..character.file.contents import Anchor, BodyEntry, ChainEntry, MechanismEntry
from ..character.file.tracks import Array
from ..character.mover import MoverModel
from ..character.record import MoverRecord, NoPose
from .controls import ChainControls


@dataclass
class PlayedView:
    """Poses at one moment: current ones of chains that were ticked, authored ones of others.

    Attributes:
        moment: The moment.
        chains: Poses of chains, by their names.
    """

    moment: "Moment"
    chains: dict[str, ChainPose] = field(default_factory=dict)

    def place(self, mover: "MoverKey", pose: ChainPose | NoPose) -> None:
        """Sets the pose of a chain, if it is known; other movers carry nothing and have no pose here."""
        if isinstance(pose, ChainPose):
            self.chains[mover.name] = pose

    def world(self, anchor: Anchor) -> Array:
        """World matrix (4, 4) of an anchor."""
        relative = anchor.frame.at(self.moment.frame)
        if anchor.link is None:
            return relative
        chain, joint = anchor.link
        if chain in self.chains:
            return self.chains[chain].on(joint, relative)
        entry = self.moment.scene.chains[chain]
        base = self.world(entry.base_frame).tolist()
        authored = tuple(entry.authored.at(self.moment.frame).tolist())
        return ChainPose(base, entry.skeleton, authored).on(joint, relative)

    def target(self, name: str) -> Matrix:
        """World matrix (4, 4) of the target with this name."""
        if name in self.moment.targets:
            return self.moment.targets[name]
        matrix: Matrix = self.world(self.moment.scene.anchors[name]).tolist()
        return matrix


MoverEntry = ChainEntry | MechanismEntry | BodyEntry
Entry = TypeVar("Entry", bound=MoverEntry)


class MoverKey(NamedTuple):
    """Key of a mover in a performance: movers of different kinds may have the same name."""

    kind: type[MoverEntry]
    name: str


def key_of(entry: MoverEntry) -> MoverKey:
    """Key of a mover of a character file."""
    return MoverKey(type(entry), entry.name)


@dataclass
class PlayedMover(ABC, Generic[Entry]):
    """A mover of a character file, with the record of its motion."""

    entry: Entry
    record: MoverRecord[ChainPose] = field(default_factory=MoverRecord)
    looks_forward = False  # whether the mover reads the desired poses of the other movers in a cycle

    @cached_property
    def key(self) -> MoverKey:
        """Key of the mover."""
        return key_of(self.entry)

    @property
    @abstractmethod
    def anchors(self) -> list[Anchor]:
        """Anchors of the mover's base and of its inputs."""

    @abstractmethod
    def followed(self, moment: "Moment") -> Iterator[str]:
        """Names of the targets that the mover follows, or may follow."""

    @abstractmethod
    def read(self, view: PlayedView, targets: PlayedView) -> tuple[MoverModel, object]:
        """(model, inputs) of the mover in a frame.

        Args:
            view: Poses of the movers that it depends on.
            targets: Poses of targets; in a cycle, such as chains that look at each other, the desired ones.

        Raises:
            ValueError: the inputs cannot be used; the message names the fault and the remedy.
        """

    def show(self) -> None:
        """Stores the mover's poses in its record after a tick, if other movers depend on them."""

    def advance(self, view: PlayedView, targets: PlayedView, dt: float) -> None:
        """Advances the mover by one tick of `dt` [s]; arguments as for `read`. A mover that cannot be read or
        solved rests, and its record has the reason.
        """
        self.record.begin()
        try:
            self.record.tick(*self.read(view, targets), dt)
        except ValueError as error:
            self.record.rest(str(error), dt)
        self.show()


@dataclass(frozen=True)
class PlayedScene:
    """Content of a character file for its performance: chains by name, and anchors of targets by name."""

    chains: Mapping[str, ChainEntry]
    anchors: Mapping[str, Anchor]


class Moment(NamedTuple):
    """A moment of a performance.

    Attributes:
        frame: Frame of the clip, counted from 0, with its fraction.
        seconds: Scene time [s].
        scene: Content of the file.
        targets: World matrices of targets that somebody moves, instead of those of the clip.
        controls: Values set on the chains, by their names.
        direct: Function from a chain's name, the values that its clip requests, and the index of the stored
            posture that it keeps, to the values that the behaviour makes of them; None without a behaviour.
    """

    frame: float
    seconds: float
    scene: PlayedScene
    targets: Mapping[str, Matrix]
    controls: Mapping[str, ChainControls]
    direct: Callable[[str, Directed, int], Directed] | None

    def needs(self, movers: Sequence[PlayedMover[Any]]) -> list[list[int]]:
        """For each mover the indices of the movers on which it depends."""
        indices = {mover.key: k for k, mover in enumerate(movers)}
        needs = []
        for mover in movers:
            anchors = [*mover.anchors, *map(self._anchor, mover.followed(self))]
            links = [anchor.link for anchor in anchors if anchor is not None]
            chains = {MoverKey(ChainEntry, link.chain) for link in links if link is not None}
            needs.append(sorted(indices[chain] for chain in chains - {mover.key}))
        return needs

    def view(self, movers: Sequence[PlayedMover[Any]], poses: Sequence[ChainPose | NoPose]) -> PlayedView:
        """The scene with these poses of the movers."""
        view = PlayedView(self)
        for mover, pose in zip(movers, poses, strict=True):
            view.place(mover.key, pose)
        return view

    def _anchor(self, target: str) -> Anchor | None:
        """Anchor of a target in the clip; None if somebody moves it."""
        return None if target in self.targets else self.scene.anchors[target]
