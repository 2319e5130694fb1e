"""One step of the whole-body solver, computed by the compiled kernel."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from ..kernel.library import Kernel
from ..kernel.whole_body import CompiledBody
from ..kinematics.se3 import Array
from ..kinematics.tree import BASE, Frames
from ..least_squares import box
from .contacts import contact_names
from .desired_motion import MotionTargets
from .state import KinematicState, WholeBodySolution
from .targets import Target, Values


class CompiledStep:
    """Steps of a body toward its targets, computed by the kernel."""

    def __init__(
        self, library: Kernel, targets: MotionTargets, damping: float, damping_by_error: float
    ) -> None:
        """`damping`: damping of squared moves; `damping_by_error`: additional damping, times the mean squared
        error of the targets.
        """
        self.library, self.targets = library, targets
        self.links = tuple(
            target.link for target in (*targets.orientation_targets, *targets.position_targets)
        )
        self.damping, self.damping_by_error = damping, damping_by_error
        levels = sorted(
            {target.level for target in (*targets.orientation_targets, *targets.position_targets)}
        )

        def ranks(group: Sequence[Target]) -> np.typing.NDArray[np.int32]:
            return np.array([levels.index(target.level) for target in group], np.int32)

        self._ranks = ranks(targets.orientation_targets), ranks(targets.position_targets)
        self.body = self._prepared(0)

    def _prepared(self, most_contacts: int) -> CompiledBody:
        """The body in the kernel, for steps with at most `most_contacts` contacts."""
        targets = self.targets
        links = targets.orientation_links, targets.position_links
        body = CompiledBody(self.library, targets.body, links, self._ranks, most_contacts)
        inputs, settings = body.inputs, body.settings
        inputs["turn_weights"][:] = [target.weight for target in targets.orientation_targets]
        inputs["weights"][:] = [target.weight for target in targets.position_targets]
        settings.corrects = targets.law.corrects_linearisation
        settings.acceleration = targets.acceleration or 0.0
        settings.damping, settings.damping_by_error = self.damping, self.damping_by_error
        return body

    def step(
        self, values: Values, state: KinematicState, dt: float, allowed: tuple[Array, Array], pull: float
    ) -> tuple[KinematicState, WholeBodySolution]:
        """The state after a step of `dt` [s] and its solution.

        Args:
            values: Target values of the frame.
            state: State before the step.
            dt: Duration of the step [s].
            allowed: Least and largest values (n,) [rad or m] of the joints after the step.
            pull: Gradient toward the posture, per rad or m of difference.
        """
        if len(values.contacts) > self.body.most_contacts:
            self.body = self._prepared(len(values.contacts))
        inputs, settings = self.body.inputs, self.body.settings
        shares = self.targets.shares(dt)
        if settings.dt != dt:
            inputs["turn_shares"][:], inputs["shares"][:], settings.dt = shares.rotations, shares.moves, dt
        inputs["joints"][:] = state.joints
        inputs["base"][:9], inputs["base"][9:] = state.base_rotation.reshape(9), state.base_position
        inputs["least"][:], inputs["most"][:] = allowed
        inputs["turns"][:], inputs["places"][:] = values.rotation, values.position
        settings.has_spins = shares.with_spins and values.angular_velocity is not None
        if settings.has_spins:
            inputs["spins"][:] = values.angular_velocity
        settings.has_speeds = shares.with_velocities and values.linear_velocity is not None
        if settings.has_speeds:
            inputs["speeds"][:] = values.linear_velocity
        settings.pull = 0.0 if values.posture is None else pull
        if values.posture is not None:
            inputs["posture"][:] = values.posture
        settings.most_rounds = box.MOST_ROUNDS
        self.body.hold(values.contacts)
        stepped = self.body.step(state.sides, state.multipliers)
        pose = stepped.joints, stepped.base[:9].reshape(3, 3), stepped.base[9:], stepped.velocity
        after = KinematicState(*pose, Frames(self.targets.body, stepped.nodes), stepped.sides, stepped.forces)
        lost: tuple[str, ...] = ()
        if stepped.lost.any():
            lost = tuple(compress(self.links, stepped.lost.tolist()))
        yielded: tuple[str, ...] = ()
        if stepped.yielded.any():
            names = (*self.targets.body.coupling_names, *contact_names(values.contacts))
            yielded = tuple(dict.fromkeys(compress(names, stepped.yielded.tolist())))
        bounded = stepped.sides[BASE:] != 0
        return after, WholeBodySolution(*pose, lost, yielded, bounded, stepped.rounds, stepped.stopped)
