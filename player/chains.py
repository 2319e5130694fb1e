"""Chains of a character file as a performance plays them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..character.behaviour.performer import Directed, Requested
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
from ..character.chain.tick import ChainModel, ChainOutputs, make_model
from ..character.file.contents import Anchor, ChainEntry
from ..solvers.kinematics.skeleton import Angles
from .controls import ChainControls, or_authored
from .scene import Moment, PlayedMover, PlayedView


@dataclass
class PlayedChain(PlayedMover[ChainEntry]):
    """A chain of a character file.

    Attributes:
        target: Name of the target that the chain's own end follows.
        directed: Postures, settings and target requested of the chain at the last tick; None before the
            first.
        posture: Index of the stored posture that the chain kept at the last tick; -1 if none.
        base: World matrix (4, 4) of the chain's base frame.
        values: (n,) [rad; prismatic joints m] posture that the chain kept at the last tick.
        values_made_of: What `values` was made of, apart from clips; if that changes, it is made anew.
        models: Models, by whether the chain keeps stored postures one at a time, so that its posture jumps.
    """

    looks_forward = True
    target: str = ""
    directed: Directed | None = None
    posture: int = -1
    base: Matrix = field(default_factory=list)
    models: dict[bool, ChainModel] = field(default_factory=dict)
    values: Angles = field(default_factory=lambda: np.zeros(0))
    values_made_of: tuple[object, ...] = ()

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

    def read(self, view: PlayedView, targets: PlayedView) -> tuple[ChainModel, ChainInputs]:
        moment, entry = view.moment, self.entry
        controls = moment.controls[entry.name]
        base, posture, weights = _kept(entry, controls, moment.frame)
        clip = Directed(base, weights, _settings(entry, controls, moment.frame))
        directed = clip if moment.direct is None else moment.direct(entry.name, clip, posture)
        base, settings = directed.base, directed.settings
        self.directed, self.posture = directed, posture
        model = self._model(entry, base == POSTURE)
        is_filtered = bool(model.filters)
        self.target = directed.target or controls.target or watched(entry, moment.frame)
        stored = entry.postures[posture].values if base == POSTURE and posture >= 0 else None
        self.base = view.world(entry.base_frame).tolist()
        chain_frame = ChainFrame(
            name=entry.name,
            base=self.base,
            ends=self._ends(entry, targets),
            posture=self._posture(directed, stored, entry.authored.at(moment.frame)),
            kept=None if is_filtered else kept_posture(base, posture, stored, len(entry.skeleton)),
            has_choice=len(moment.scene.anchors.keys() | moment.targets.keys()) > 1,
            seconds=moment.seconds,
            gestures=directed.gestures,
        )
        return model, chain_inputs(
            chain_frame,
            settings,
            is_filtered=is_filtered,
            is_mutual=targets is not view,
        )

    def _posture(self, directed: Directed, stored: Angles | None, authored: Angles) -> Angles:
        """Posture (n,) [rad; prismatic joints m] that the chain keeps; the last tick's array itself if
        nothing has changed. Raises InputsError if there is no stored posture to keep.

        Args:
            directed: Source of the posture, weights and clips.
            stored: The stored posture in use; None if none is.
            authored: The authored pose (n,) [rad; prismatic joints m].
        """
        if directed.base == POSTURE and stored is None:
            raise InputsError(f"Chain '{self.entry.name}' has no stored posture: choose one of its postures")
        has_clips = bool(directed.clips)
        made_of = directed.base, self.posture, tuple(directed.weights), authored.tolist(), has_clips
        if has_clips or made_of != self.values_made_of:
            postures = [each.values for each in self.entry.postures]
            weighted = [(1.0, stored)] if stored is not None else directed.weighted(postures)
            self.values, self.values_made_of = kept_values(directed.base, weighted, authored), made_of
        return self.values

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

    def _ends(self, entry: ChainEntry, targets: PlayedView) -> tuple[EndInputs, ...]:
        """Inputs of the ends with the targets' current matrices."""
        names = (self.target, *(end.targets[0] for end in entry.ends[1:]))
        return tuple(
            end.inputs._replace(target=targets.target(name), identity=name, name=name)
            for end, name in zip(entry.ends, names, strict=True)
        )

    @property
    def kept(self) -> Requested:
        """Weights of the stored postures, influence and share requested of the chain at the last tick; no
        weights, and 1, before the first.
        """
        if (directed := self.directed) is None:
            return Requested({}, 1.0, 1.0)
        names = [each.name for each in self.entry.postures]
        weights = dict(zip(names, directed.all_weights(self.posture), strict=True))
        return Requested(weights, directed.settings.influence, directed.settings.share)

    @property
    def inputs(self) -> ChainInputs | None:
        """Inputs of the last tick; None if they could not be read."""
        inputs = self.record.ticked[1] if self.record.ticked is not None else None
        return inputs if isinstance(inputs, ChainInputs) else None

    @property
    def target_position(self) -> list[float]:
        """World position [m] of the target that the chain's own end follows, at the last tick; empty if the
        chain could not be read.
        """
        return [row[3] for row in self.inputs.ends[0].target[:3]] if self.inputs is not None else []

    @property
    def solved(self) -> ChainOutputs | None:
        """Outputs of the chain; None before its first solve."""
        outputs = self.record.outputs
        return outputs if isinstance(outputs, ChainOutputs) else None

    def show(self) -> None:
        if (outputs := self.solved) is not None:
            self.record.pose, self.record.desired_pose = (
                ChainPose(self.base, outputs.skeleton, tuple(angles.tolist()))
                for angles in (outputs.angles, outputs.desired)
            )


def watched(entry: ChainEntry, frame: float) -> str:
    """Name of the target that a chain's own end follows at a frame of its clip."""
    return entry.ends[0].targets[entry.base_at(frame).watch]


def _kept(entry: ChainEntry, controls: ChainControls, frame: float) -> tuple[str, int, Sequence[float]]:
    """(kind of base, index of the stored posture or -1, weights of all postures) of a chain at a frame of its
    clip; values set during the performance replace those of the clip.
    """
    clip, weights = entry.base_at(frame), controls.weights
    return (
        BASES[or_authored(controls.base, clip.base)],
        or_authored(controls.posture, clip.posture),
        [weights.get(k, weight) for k, weight in enumerate(clip.weights)] if weights else clip.weights,
    )


def _settings(entry: ChainEntry, controls: ChainControls, frame: float) -> ChainSettings:
    """Settings of a chain at a frame of its clip; values set during the performance replace the clip's."""
    settings = entry.settings_at(frame)
    if controls.influence is None and controls.share is None:
        return settings
    return settings._replace(
        influence=or_authored(controls.influence, settings.influence),
        share=or_authored(controls.share, settings.share),
    )
