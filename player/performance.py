"""Performance of a character: its movers on a stage of the engine, frame by frame, without a clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..character.behaviour.data import BehaviourError
from ..character.behaviour.deciding import Senses
from ..character.behaviour.performer import Directed, Performer, Requested
from ..character.body.tick import BodyOutputs, BodyState
from ..character.chain.hanging import ChainPose
from ..character.chain.inputs import ChainInputs, EndInputs, InputsError, Matrix
from ..character.chain.settings import (
    BASES,
    POSTURE,
    ChainFrame,
    ChainSettings,
    chain_inputs,
    kept_posture,
    kept_values,
)
from ..character.chain.tick import ChainModel, ChainOutputs, ChainState, make_model
from ..character.file.contents import Anchor, BodyEntry, ChainEntry, CharacterFile, MechanismEntry, ValueEntry
from ..character.host import Frame, NoPose, Session
from ..character.mechanism.tick import MechanismOutputs
from ..character.one_thread import in_one_thread
from ..character.stage import Stage
from ..motion import Kinematic
from .bodies import PlayedBody
from .controls import ChainControls, SetControls
from .errors import PlayerError
from .mechanisms import PlayedMechanism
from .scene import Moment, MoverEntry, PlayedMover, PlayedScene, PlayedView, key_of


@dataclass
class PlayedChainSession(Session[PlayedView, ChainPose]):
    """Session of a chain from a character file.

    Attributes:
        entry: The chain.
        target: Name of the target that the chain's own end follows.
        directed: Postures, settings and target requested of the chain at the last tick; None before the
            first.
        posture: Index of the stored posture that the chain kept at the last tick; -1 if none.
        base: World matrix (4, 4) of the chain's base frame.
        models: Models by whether stored postures are switched.
    """

    entry: ChainEntry = field(kw_only=True)
    target: str = ""
    directed: Directed | None = None
    posture: int = -1
    base: Matrix = field(default_factory=list)
    models: dict[bool, ChainModel] = field(default_factory=dict)

    def read(self, frame: Frame[PlayedView, ChainPose], dt: float) -> tuple[ChainModel, ChainInputs]:
        moment, entry = frame.view.moment, self.entry
        controls = moment.controls[entry.name]
        base, posture, weights = _kept(entry, controls, moment.frame)
        clip = Directed(base, weights, _settings(entry, controls, moment.frame))
        directed = clip if moment.direct is None else moment.direct(entry.name, clip, posture)
        base, settings = directed.base, directed.settings
        self.directed, self.posture = directed, posture
        model = self._model(entry, base == POSTURE)
        is_filtered = bool(model.filters)
        self.target = directed.target or controls.target or _watched(entry, moment.frame)
        stored = entry.postures[posture].values if base == POSTURE and posture >= 0 else None
        if base == POSTURE and stored is None:
            raise InputsError(f"Chain '{entry.name}' has no stored posture: choose one of its postures")
        weighted = (
            [(1.0, stored)]
            if stored is not None
            else directed.weighted([each.values for each in entry.postures])
        )
        self.base = frame.view.world(entry.base_frame).tolist()
        chain_frame = ChainFrame(
            name=entry.name,
            base=self.base,
            ends=self._ends(entry, frame.targets),
            posture=kept_values(base, weighted, entry.authored.at(moment.frame)),
            kept=None if is_filtered else kept_posture(base, posture, stored, len(entry.skeleton)),
            has_choice=len(moment.scene.anchors.keys() | moment.targets.keys()) > 1,
            seconds=moment.seconds,
            gestures=directed.gestures,
        )
        return model, chain_inputs(
            chain_frame,
            settings,
            is_filtered=is_filtered,
            ahead=frame.ahead,
            is_mutual=frame.is_mutual,
        )

    def _model(self, entry: ChainEntry, posture_jumps: bool) -> ChainModel:
        if posture_jumps not in self.models:
            self.models[posture_jumps] = make_model(
                entry.skeleton,
                entry.solver,
                entry.filter_name,
                entry.styles,
                posture_jumps=posture_jumps,
                options=entry.options,
                transition=entry.transition,
            )
        return self.models[posture_jumps]

    def _ends(self, entry: ChainEntry, view: PlayedView) -> tuple[EndInputs, ...]:
        """Inputs of the ends with the targets' current matrices."""
        names = (self.target, *(end.targets[0] for end in entry.ends[1:]))
        return tuple(
            end.inputs._replace(target=view.target(name), identity=name, name=name)
            for end, name in zip(entry.ends, names, strict=True)
        )

    @property
    def kept(self) -> Requested:
        """Values requested of the chain at the last tick."""
        if (directed := self.directed) is None:
            return Requested({}, 1.0, 1.0)
        names = [each.name for each in self.entry.postures]
        weights = dict(zip(names, directed.all_weights(self.posture), strict=True))
        return Requested(weights, directed.settings.influence, directed.settings.share)

    @property
    def target_position(self) -> list[float]:
        """World position [m] of the target that the chain's own end follows, at the last tick."""
        inputs = self.ticked[1] if self.ticked is not None else None
        return [row[3] for row in inputs.ends[0].target[:3]] if isinstance(inputs, ChainInputs) else []

    @property
    def solved(self) -> ChainOutputs | None:
        """Outputs of the chain; None if it could not be solved yet."""
        return self.outputs if isinstance(self.outputs, ChainOutputs) else None

    def show(self, frame: Frame[PlayedView, ChainPose]) -> tuple[ChainPose | NoPose, ChainPose | NoPose]:
        outputs = self.solved
        if outputs is None:
            return self.pose, self.desired_pose
        shown, desired = (
            ChainPose(self.base, outputs.skeleton, tuple(angles.tolist()))
            for angles in (outputs.angles, outputs.desired)
        )
        return shown, desired


class PlayedChain(PlayedMover[ChainEntry]):
    """A chain of a character file."""

    looks_forward = True

    def new_session(self) -> PlayedChainSession:
        return PlayedChainSession(entry=self.entry)

    @property
    def anchors(self) -> list[Anchor]:
        """Anchor of the chain's base."""
        return [self.entry.base_frame]

    def followed(self, moment: Moment) -> Iterator[str]:
        """Names of the targets that the chain follows or may follow."""
        for end in self.entry.ends:
            yield from end.targets
        if (target := moment.controls[self.entry.name].target) is not None:
            yield target


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
        self.parts: list[PlayedMover[Any]] = [
            *(PlayedChain(chain) for chain in character.chains),
            *(PlayedMechanism(mechanism) for mechanism in character.mechanisms),
            *(PlayedBody(body) for body in character.bodies),
        ]
        self.controls = SetControls(
            character,
            frozenset(targets) | {target.name for target in character.targets},
            self.performer,
        )
        self.frame = 0.0  # shown frame of the clip, counted from 0
        self._stage: Stage[PlayedView, ChainPose] = Stage()
        self._scene = PlayedScene(
            {chain.name: chain for chain in character.chains},
            {target.name: target.anchor for target in character.targets},
            {part.key: part for part in self.parts},
        )
        # moment of the last call of `advance`
        self._moment = Moment(0.0, 0.0, self._scene, {}, self.controls.chains, None)
        self._posture_names = {
            chain.name: [posture.name for posture in chain.postures] for chain in character.chains
        }

    @in_one_thread
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
            targets: World matrices of targets, in place of those of the clip.
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
        self._stage.tick(self.parts, moment, dt, {})

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
        """Outputs of a chain at the last call of `advance`; None if it could not be solved yet."""
        return self._session(chain).solved

    def mechanism_outputs(self, mechanism: MechanismEntry) -> MechanismOutputs | None:
        """Outputs of a mechanism at the last call of `advance`; None if it could not be solved yet."""
        outputs = self._stage.sessions[key_of(mechanism)].outputs
        return outputs if isinstance(outputs, MechanismOutputs) else None

    def body_outputs(self, body: BodyEntry) -> BodyOutputs | None:
        """Outputs of a body at the last call of `advance`; None if it could not be solved yet."""
        outputs = self._stage.sessions[key_of(body)].outputs
        return outputs if isinstance(outputs, BodyOutputs) else None

    def target_name(self, chain: str) -> str:
        """Name of the target that a chain's own end follows, or will in its first tick; raises PlayerError
        without such a chain.
        """
        entry = self._scene.chains.get(chain)
        if entry is None:
            raise PlayerError(f"there is no chain '{chain}'")
        session = self._stage.sessions.get(chain)
        if isinstance(session, PlayedChainSession) and session.target:
            return session.target
        return self.controls.chains[chain].target or _watched(entry, self.frame)

    def kept(self, chain: ChainEntry) -> Requested:
        """Values requested of a chain at the last call of `advance`; values set by hand are included at
        once.
        """
        request = self.performer.requested(chain.name) if self.performer is not None else None
        return request if request is not None else self._session(chain).kept

    def set_by(self, chain: ChainEntry) -> dict[str, str]:
        """Sources of the values that a chain keeps and follows, as `Performer.set_by`."""
        return self.performer.set_by(chain.name) if self.performer is not None else {}

    def authored_target(self, name: str, frame: float) -> Matrix:
        """World matrix of a target of the clip at a frame, even if somebody has moved the target; if a chain
        carries it, with the chain's pose at the last call of `advance`.
        """
        anchor = self._scene.anchors[name]
        if anchor.link is None:
            matrix: Matrix = anchor.frame.at(frame).tolist()
        else:
            matrix = self._stage.view(self.parts, self._moment).world(anchor).tolist()
        return matrix

    @property
    def target_names(self) -> list[str]:
        """Names of the clip's targets."""
        return list(self._scene.anchors)

    def target_position(self, chain: ChainEntry) -> list[float]:
        """World position [m] of the target that a chain's own end follows."""
        return self._session(chain).target_position

    def problem(self, entry: MoverEntry) -> str:
        """Why a mover does not follow its goals, as a sentence; "" if it does."""
        return self._stage.sessions[key_of(entry)].problem

    def motion(self) -> dict[str, Kinematic]:
        """Motion of every joint that is solved [rad, m, and per second], by its name in the file; without a
        motion filter its speed is unknown, and given as 0.
        """
        motion: dict[str, Kinematic] = {}
        for body in self.character.bodies:
            if (posed := self.body_outputs(body)) is not None:
                state = self._stage.sessions[key_of(body)].state
                values = posed.state.joints.tolist()
                motion |= _named(
                    body.joint_names, values, state.motion if isinstance(state, BodyState) else ()
                )
        for mechanism in self.character.mechanisms:
            if (moved := self.mechanism_outputs(mechanism)) is not None:
                motion |= _named(mechanism.joint_names, moved.values, ())
        for chain in self.character.chains:
            if (solved := self.outputs(chain)) is not None:
                state = self._stage.sessions[key_of(chain)].state
                known = state.motion if isinstance(state, ChainState) and state.model.filters else ()
                motion |= _named(chain.joint_names, solved.angles.tolist(), known)
        return motion

    def values(self) -> list[float]:
        """The numbers of the character that are not joint values, in the order of the file."""
        return [
            float(_or(self.controls.values[value.name], self._value(value)))
            for value in self.character.values
        ]

    def _value(self, value: ValueEntry) -> float:
        """A value of the clip, or the closure of the chain's lids that it follows."""
        session = self._stage.sessions.get(value.lids_of)
        if isinstance(session, PlayedChainSession) and session.solved is not None:
            return session.solved.lid
        return float(value.track.at(self.frame))

    def _session(self, chain: ChainEntry) -> PlayedChainSession:
        session = self._stage.sessions[chain.name]
        if not isinstance(session, PlayedChainSession):
            raise TypeError(f"'{chain.name}' is no chain")
        return session


def _named(
    names: Sequence[str], values: Sequence[float], motion: Sequence[Kinematic]
) -> dict[str, Kinematic]:
    """Motion of joints by their names; without known `motion`, the joints are at rest at `values` (n,)."""
    known = motion or [Kinematic(value) for value in values]
    return dict(zip(names, known, strict=False))


def _or(control: Any, authored: Any) -> Any:
    """A set value, or that of the clip if none was set."""
    return authored if control is None else control


def _watched(entry: ChainEntry, frame: float) -> str:
    """Name of the target that a chain's own end follows at a frame of its clip."""
    return entry.ends[0].targets[int(entry.watch.step(frame))]


def _kept(entry: ChainEntry, controls: ChainControls, frame: float) -> tuple[str, int, list[float]]:
    """(kind of base, index of the stored posture or -1, weights of all postures), including set values."""
    weights = entry.weights.at(frame).tolist()
    return (
        BASES[_or(controls.base, int(entry.base.step(frame)))],
        _or(controls.posture, int(entry.posture.step(frame))),
        [controls.weights.get(k, weight) for k, weight in enumerate(weights)],
    )


def _settings(entry: ChainEntry, controls: ChainControls, frame: float) -> ChainSettings:
    """The settings of a chain at a frame of its clip, including set values."""
    settings = entry.settings_at(frame)
    return settings._replace(
        influence=_or(controls.influence, settings.influence), share=_or(controls.share, settings.share)
    )
