"""Performance of a character: its movers are solved frame by frame, without a clock."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from ..character.behaviour.data import BehaviourError
from ..character.behaviour.deciding import Senses
from ..character.behaviour.performer import Directed, Performer, Requested
from ..character.body.tick import BodyOutputs, BodyState
from ..character.chain.inputs import Matrix
from ..character.chain.tick import ChainOutputs, ChainState
from ..character.file.contents import BodyEntry, ChainEntry, CharacterFile, MechanismEntry, ValueEntry
from ..character.mechanism.tick import MechanismOutputs, MechanismState
from ..character.stage import TickOrder, commit, in_order, turns
from ..motion import Kinematic
from .bodies import PlayedBody
from .chains import PlayedChain, watched
from .controls import SetControls, or_authored
from .errors import PlayerError
from .mechanisms import PlayedMechanism
from .scene import Moment, MoverEntry, PlayedMover, PlayedScene, key_of


class Performance:
    """A character that plays from the first frame of its clip, where it begins at rest.

    Args:
        character: The character.
        targets: Names of targets in addition to those of the file.
        seed: Seed of the behaviour's random numbers.
    """

    def __init__(self, character: CharacterFile, targets: Sequence[str] = (), seed: int = 0) -> None:
        self.character = character
        self.performer = Performer(character.behaviour, seed) if character.behaviour is not None else None
        self._chains = {chain.name: PlayedChain(chain) for chain in character.chains}
        self._movers: list[PlayedMover[Any]] = [
            *self._chains.values(),
            *(PlayedMechanism(mechanism) for mechanism in character.mechanisms),
            *(PlayedBody(body) for body in character.bodies),
        ]
        self._records = {mover.key: mover.record for mover in self._movers}
        self.controls = SetControls(
            character,
            frozenset(targets) | {target.name for target in character.targets},
            self.performer,
        )
        self.frame = 0.0  # shown frame of the clip, counted from 0
        # order of ticking of the movers, and the followed and moved targets from which it was computed
        self._order: TickOrder | None = None
        self._ordered_for: object = None
        self._scene = PlayedScene(
            {chain.name: chain for chain in character.chains},
            {target.name: target.anchor for target in character.targets},
        )
        # moment of the last call of `advance`
        self._moment = Moment(0.0, 0.0, self._scene, {}, self.controls.chains, None)
        self._posture_names = {
            chain.name: [posture.name for posture in chain.postures] for chain in character.chains
        }

    def advance(
        self,
        frame: float,
        dt: float,
        targets: Mapping[str, Matrix],
        events: Sequence[str] = (),
        seconds: float | None = None,
        senses: Senses | None = None,
    ) -> None:
        """Advances the character.

        Args:
            frame: Frame of the clip, counted from 0.
            dt: Time since the last call [s]; 0 in the first.
            targets: World matrices of targets, instead of those of the clip.
            events: Names of the events since the last call.
            seconds: Time [s] since the first frame, for idle motion; None: that of the frame.
            senses: Perception of persons; None without a tracker.
        """
        if self.performer is not None:
            self.performer.advance(dt, events, senses)
        direct = None if self.performer is None else partial(self._direct, self.performer, dt)
        rate = self.character.rate
        frames = frame if seconds is None else seconds / rate.seconds_a_frame
        seconds = (self.character.first_frame + frames) * rate.fps_base / rate.fps
        moment = Moment(frame, seconds, self._scene, targets, self.controls.chains, direct)
        self.frame, self._moment = frame, moment
        self._tick(moment, dt)

    def _tick(self, moment: Moment, dt: float) -> None:
        """Ticks the movers in the order of their dependencies."""
        movers, records = self._movers, [mover.record for mover in self._movers]
        order = self._order_in(moment)
        commit(records, dt)
        view = targets = moment.view(movers, [record.pose_before for record in records])
        if order.cyclic:
            targets = moment.view(movers, [record.desired_before for record in records])
        for turn in turns(order, records):
            for mover, pose, desired_pose in turn.moved:
                view.place(movers[mover].key, pose)
                if order.cyclic:
                    targets.place(movers[mover].key, desired_pose)
            movers[turn.mover].advance(view, targets if turn.is_mutual else view, dt)

    def _order_in(self, moment: Moment) -> TickOrder:
        """Order of ticking of the movers: it changes only if somebody moves another target, or makes a chain
        follow another one.
        """
        key = moment.targets.keys(), [chain.target for chain in moment.controls.values()]
        if self._order is None or key != self._ordered_for:
            needs = moment.needs(self._movers)
            self._order = in_order(needs, [mover.looks_forward for mover in self._movers])
            self._ordered_for = frozenset(key[0]), key[1]
        return self._order

    def _direct(self, performer: Performer, dt: float, chain: str, clip: Directed, kept: int) -> Directed:
        """Values requested of a chain in this frame: those of its clip, `clip`, changed by the behaviour;
        arguments as for `Performer.direct`.
        """
        return performer.direct(chain, self._posture_names[chain], clip, kept, dt)

    @property
    def state(self) -> str:
        """Name of the behaviour's state; "" without a behaviour."""
        return self.performer.state.name if self.performer is not None else ""

    def enter(self, state: str, cause: str) -> None:
        """Enters a state of the behaviour; raises PlayerError if there is none of that name."""
        if self.performer is None:
            raise PlayerError(f"there is no state '{state}': the character has no behaviour")
        try:
            self.performer.enter(state, cause)
        except BehaviourError as error:
            raise PlayerError(str(error)) from error

    def forget_decisions(self) -> None:
        """Deletes the decisions so far, since a performance may last for days."""
        if self.performer is not None:
            self.performer.decisions.clear()

    def outputs(self, chain: ChainEntry) -> ChainOutputs | None:
        """Outputs of a chain at the last call of `advance`; None before its first solve."""
        return self._chains[chain.name].solved

    def mechanism_outputs(self, mechanism: MechanismEntry) -> MechanismOutputs | None:
        """Outputs of a mechanism at the last call of `advance`; None before its first solve."""
        outputs = self._records[key_of(mechanism)].outputs
        return outputs if isinstance(outputs, MechanismOutputs) else None

    def body_outputs(self, body: BodyEntry) -> BodyOutputs | None:
        """Outputs of a body at the last call of `advance`; None before its first solve."""
        outputs = self._records[key_of(body)].outputs
        return outputs if isinstance(outputs, BodyOutputs) else None

    def target_name(self, chain: str) -> str:
        """Name of the target that a chain's own end follows, or will in its first tick; raises PlayerError
        if there is no such chain.
        """
        entry = self._scene.chains.get(chain)
        if entry is None:
            raise PlayerError(f"there is no chain '{chain}'")
        return self._chains[chain].target or self.controls.chains[chain].target or watched(entry, self.frame)

    def kept(self, chain: ChainEntry) -> Requested:
        """Weights of postures, influence and share requested of a chain at the last call of `advance`; with a
        behaviour, values set by hand since are included.
        """
        request = self.performer.requested(chain.name) if self.performer is not None else None
        return request if request is not None else self._chains[chain.name].kept

    def set_by(self, chain: ChainEntry) -> dict[str, str]:
        """What sets a chain's influence, share, target and postures now: text by their words, as
        `Performer.set_by`; empty without a behaviour.
        """
        return self.performer.set_by(chain.name) if self.performer is not None else {}

    def authored_target(self, name: str, frame: float) -> Matrix:
        """World matrix of a target of the clip at a frame, even if somebody has moved the target; if a chain
        carries it, with the chain's pose at the last call of `advance`.
        """
        anchor = self._scene.anchors[name]
        if anchor.link is None:
            return anchor.frame.matrix_at(frame)
        poses = [mover.record.pose for mover in self._movers]
        matrix: Matrix = self._moment.view(self._movers, poses).world(anchor).tolist()
        return matrix

    @property
    def target_names(self) -> list[str]:
        """Names of the clip's targets."""
        return list(self._scene.anchors)

    def target_distance(self, chain: ChainEntry) -> float:
        """Distance [m] from a chain's base to the target of its own end at the last tick; infinite if the
        chain could not be read.
        """
        inputs = self._chains[chain.name].inputs
        return inputs.target_distance if inputs is not None else inf

    def target_position(self, chain: ChainEntry) -> list[float]:
        """World position [m] of the target that a chain's own end follows, at the last tick; empty if the
        chain could not be read.
        """
        return self._chains[chain.name].target_position

    def problem(self, entry: MoverEntry) -> str:
        """Why a mover does not follow its goals, as a sentence; "" if it does."""
        return self._records[key_of(entry)].problem

    def motion(self) -> dict[str, Kinematic]:
        """Motion of every joint that is solved [rad, m, and per second], by its name in the file. The speed
        of a chain's or a body's joint without a motion filter is given as 0.
        """
        motion: dict[str, Kinematic] = {}
        for body in self.character.bodies:
            if (posed := self.body_outputs(body)) is not None:
                state = self._records[key_of(body)].state
                values = posed.state.joints.tolist()
                motion |= _by_name(
                    body.joint_names, values, state.motion if isinstance(state, BodyState) else ()
                )
        for mechanism in self.character.mechanisms:
            if (moved := self.mechanism_outputs(mechanism)) is not None:
                state = self._records[key_of(mechanism)].state
                motion |= _by_name(
                    mechanism.joint_names,
                    moved.values,
                    state.motion if isinstance(state, MechanismState) else (),
                )
        for chain in self.character.chains:
            if (solved := self.outputs(chain)) is not None:
                state = self._records[key_of(chain)].state
                known = state.motion if isinstance(state, ChainState) and state.model.filters else ()
                motion |= _by_name(chain.joint_names, solved.angles.tolist(), known)
        return motion

    def values(self) -> list[float]:
        """The numbers of the character that are not joint values, in the order of the file."""
        return [
            float(or_authored(self.controls.values[value.name], self._value(value)))
            for value in self.character.values
        ]

    def _value(self, value: ValueEntry) -> float:
        """Number of a value entry: the clip's, or the closure of the chain's lids that the entry follows."""
        chain = self._chains.get(value.lids_of)
        if chain is not None and chain.solved is not None:
            return chain.solved.lid
        return float(value.track.at(self.frame))


def _by_name(
    names: Sequence[str], values: Sequence[float], motion: Sequence[Kinematic]
) -> dict[str, Kinematic]:
    """Motion of joints by their names; if `motion` is empty, the joints are at rest at `values` (n,)."""
    known = motion or [Kinematic(value) for value in values]
    return dict(zip(names, known, strict=False))
