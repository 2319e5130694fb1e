"""A step in the compiled kernel, for targets of one priority without contacts and couplings."""

from itertools import compress

from ..kernel.library import Kernel
from ..kernel.whole_body import CompiledBody
from ..kinematics.se3 import Array
from ..kinematics.tree import BASE, Frames
from .desired_motion import MotionTargets
from .state import Solution, State
from .targets import Values


class CompiledStep:
    """Steps of a body toward its targets."""

    def __init__(self, library: Kernel, targets: MotionTargets) -> None:
        self.targets = targets
        self.links = tuple(target.link for target in (*targets.turning, *targets.placed))
        self.body = CompiledBody(library, targets.body, targets.turning_links, targets.placed_links)
        inputs, settings = self.body.inputs, self.body.settings
        inputs["turn_weights"][:] = [target.weight for target in targets.turning]
        inputs["weights"][:] = [target.weight for target in targets.placed]
        settings.corrects = targets.law.corrects_linearisation
        settings.acceleration = targets.acceleration or 0.0

    def step(
        self, values: Values, state: State, dt: float, allowed: tuple[Array, Array], pull: float
    ) -> tuple[State, Solution]:
        """The state after a step of `dt` [s] and its solution.

        Args:
            values: Target values of the frame.
            state: State before the step.
            dt: Duration of the step [s].
            allowed: Least and largest values (n,) of the joints after the step.
            pull: Gradient toward the posture [per rad or m of difference].
        """
        inputs, settings = self.body.inputs, self.body.settings
        shares = self.targets.shares(dt)
        if settings.dt != dt:
            inputs["turn_shares"][:], inputs["shares"][:], settings.dt = shares.turns, shares.moves, dt
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
        stepped = self.body.step(state.sides)
        pose = stepped.joints, stepped.base[:9].reshape(3, 3), stepped.base[9:], stepped.velocity
        after = State(*pose, Frames(self.targets.body, stepped.nodes), stepped.sides, state.multipliers)
        lost: tuple[str, ...] = ()
        if stepped.lost.any():
            lost = tuple(compress(self.links, stepped.lost.tolist()))
        bounded = stepped.sides[BASE:] != 0
        return after, Solution(*pose, lost, (), bounded, stepped.rounds, stepped.stopped)
