"""Panels Solver and Solver Options of a chain."""

from ...operators.subject import chain_of, rig_of
from ...rig.authoring.damping import has_damping
from ...rig.chains import chain as build
from ...rig.chains import measure
from ...rig.chains.chain import weighed
from ...solvers.expressive.options import ExpressiveOptions
from ...solvers.settings import settings_of
from ...solvers.table import SOLVERS
from ..tab import ChainTab, sentence


class LIMBER_PT_solver(ChainTab):
    """Method that solves for the joint angles"""

    bl_label = "Solver"
    bl_order = 8
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        trouble = build.why_not_solver(rig_of(context), chain)
        row = layout.row()
        row.use_property_split = True
        row.alert = bool(trouble)
        row.prop(chain, "solver")
        if trouble:
            sentence(layout, trouble, "ERROR")


class SettingsPart(ChainTab):
    """Base of the sub-panels with settings of the chain's solver."""

    bl_parent_id = "LIMBER_PT_solver"
    bl_options = {"DEFAULT_CLOSED"}
    usual: bool  # whether it draws the usual settings; else the advanced ones

    @classmethod
    def poll(cls, context):
        return super().poll(context) and any(
            each.is_usual == cls.usual for each in _settings(chain_of(context)).values()
        )


def _draw_settings(layout, chain, usual: bool) -> None:
    """Draws a row for each usual or, if `usual` is False, each advanced setting of the chain's solver;
    settings without effect are greyed out.
    """
    layout.use_property_split = True
    group = getattr(chain.options, chain.solver)
    described = _settings(chain)
    for name, each in described.items():
        if each.is_usual != usual:
            continue
        row = layout.column(heading=each.label, translate=False) if each.several else layout.column()
        row.active = all(
            getattr(group, other) == described[other].key_of.get(value, value) for other, value in each.needs
        )
        if chain.solver == "expressive":
            row.active = measure.counts(name, is_of_bones=measure.is_of_bones(chain, chain.solver))
        row.prop(group, name)


def _settings(chain) -> dict:
    """Settings of the chain's solver by name; empty if this version does not know the solver."""
    return settings_of(SOLVERS[chain.solver].options) if chain.solver in SOLVERS else {}


class LIMBER_PT_options(SettingsPart):
    """Main settings of the chain's solver and, for Expressive, of the shape that it keeps"""

    bl_label = "Solver Options"
    bl_order = 0

    usual = True

    def draw(self, context):
        chain = chain_of(context)
        _draw_settings(self.layout, chain, usual=True)
        if SOLVERS[chain.solver].options is ExpressiveOptions:
            layout = self.layout
            layout.prop(chain.options, "measure")
            layout.prop(chain.options, "body")
            layout.label(text="Shape weights of bones:", translate=False)
            column = layout.column(align=True)
            for joint in weighed(chain):
                column.prop(joint, "shape_weight", text=joint.bone)


class LIMBER_PT_advanced_options(SettingsPart):
    """Further settings of the chain's solver, named as in the papers that describe it"""

    bl_label = "Advanced"
    bl_parent_id = "LIMBER_PT_options"
    bl_order = 0

    usual = False

    def draw(self, context):
        chain = chain_of(context)
        _draw_settings(self.layout, chain, usual=False)
        if has_damping(chain):
            self.layout.operator("limber.choose_damping", icon="VIEWZOOM")
        self.layout.operator("limber.reset_solver_settings", text="Reset to Defaults", icon="LOOP_BACK")
