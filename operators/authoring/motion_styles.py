"""Operators for the motion style of the chain, body or mechanism in use: set it, load it from a file."""

from bpy.props import StringProperty

from ...rig.authoring import motion_styles
from ...rig.blender.errors import RigError
from ..files import ReadsFile, shown_files
from ..movers import ActsOnMover, needs_mover
from ..operator import UndoOperator


def _give_style(operator, context, style: motion_styles.StyleSettings, name: str) -> None:
    """Gives the operator's mover a motion style, and reports it by its name."""
    mover = operator.mover(context)
    motion_styles.use(mover.settings, style)
    mover.owner.update_tag()
    operator.report({"INFO"}, f"{mover.label} uses the motion style {name}")


class LIMBER_OT_use_motion_style(ActsOnMover, UndoOperator):
    """Give the chain, body or mechanism this motion style: the filter that smooths its motion, and how much
    of its velocity, acceleration and jerk limits it uses
    """

    bl_label = "Use Motion Style"

    name: StringProperty(
        name="Motion Style",
        description=(
            "Name of a built-in motion style, or of the chain, body or mechanism whose style is copied"
        ),
        options={"SKIP_SAVE"},
    )

    why_not = staticmethod(needs_mover)

    @classmethod
    def description(cls, context, properties):
        built_in = motion_styles.BUILT_IN.get(properties.name)
        return built_in[0] if built_in else f"Use the motion style of {properties.name}"

    def run(self, context):
        styles = {name: style for name, (_, style) in motion_styles.BUILT_IN.items()}
        styles |= motion_styles.in_file()
        if self.name not in styles:
            raise RigError(
                f"There is no motion style '{self.name}': choose one of {', '.join(styles)}, or read a file by"
                " Load Motion Style"
            )
        _give_style(self, context, styles[self.name], self.name)


class LIMBER_OT_load_motion_style(ActsOnMover, ReadsFile, UndoOperator):
    """Load a motion style for the chain, body or mechanism from a file that an earlier version of Limber
    saved
    """

    bl_label = "Load Motion Style"

    filter_glob: shown_files(f"*{motion_styles.SUFFIX}")

    why_not = staticmethod(needs_mover)

    def invoke(self, context, event):
        """Opens the file browser, in the folder in which earlier versions saved styles if there is one."""
        if not self.filepath and (folder := motion_styles.folder()):
            self.filepath = str(folder / "")
        return super().invoke(context, event)

    def run(self, context):
        _give_style(self, context, motion_styles.load(self.path), self.path.name)
