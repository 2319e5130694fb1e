"""Operators of a solver's settings: defaults, and the choice of a damping."""

from ...rig.authoring.damping import DampingChoice, has_damping
from ...solvers.settings import settings_of
from ...solvers.table import SOLVERS
from ..operator import UndoOperator
from ..stepwise import Stepwise
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_reset_solver_settings(UndoOperator):
    """Set all settings of the chain's solver to their defaults; other solvers keep theirs. Settings with
    keyframes or drivers stay animated
    """

    bl_label = "Reset Solver Settings"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        if chain_of(context).solver not in SOLVERS:
            return "The chain has a solver that this version does not know: choose its Solver again"
        return ""

    def run(self, context):
        chain = chain_of(context)
        info = SOLVERS[chain.solver]
        for name in settings_of(info.options):
            getattr(chain.options, info.name).property_unset(name)
        self.report({"INFO"}, f"The settings of {info.label} in chain '{chain.name}' are the defaults")


class LIMBER_OT_choose_damping(Stepwise, UndoOperator):
    """Find a constant damping for this chain by the method of Buss (2009): the damping with the least error
    for targets that move in and out of reach, raised until joints hardly shake. Takes some seconds. Esc
    cancels
    """

    bl_label = "Choose Damping"

    nothing = "No damping was chosen"
    cancelled = "Choosing is cancelled: the damping is as it was"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        if not has_damping(chain_of(context)):
            return (
                "The chain's solver has no damping: choose Damped Least Squares or Task Priorities as its"
                " Solver"
            )
        return ""

    def _begin(self, context):
        return DampingChoice(context.scene, rig_of(context), chain_of(context))

    def _says(self):
        return f"Trying dampings: {self.work.damping:.3f}"

    def _finish(self, context):
        trial = self.work.finish()
        share, shakes = 100.0 * trial.error, 100.0 * trial.oscillation
        text = (
            f"Constant damping {trial.damping:.3f}: with targets in and out of reach ends err by {share:.1f}%"
            " of the reach, or of a radian,"
        )
        self.report({"INFO"}, f"{text} in the mean, and joints shake in {shakes:.1f}% of the frames")
