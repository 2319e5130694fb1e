"""Drawing of a motion style (filter and limits), shared by chains, bodies and mechanisms."""

from ...motion import NO_FILTER
from ...operators.movers import names_mover
from ...rig.authoring import motion_styles
from ...rig.chains.chain import filter_in_use, filter_sentence
from ..tab import message


class MotionStyleMenu:
    """Menu of motion styles: built-in ones, and those of other chains, bodies and mechanisms in the .blend.
    Subclasses implement `settings(context)`: a chain, body or mechanism.
    """

    bl_label = "Motion Styles"

    def draw(self, context):
        layout = self.layout
        names_mover(layout, self.settings(context))
        for name in motion_styles.BUILT_IN:
            layout.operator("limber.use_motion_style", text=name).name = name
        styles = motion_styles.in_file()
        if styles:
            layout.separator()
        for label in styles:
            layout.operator("limber.use_motion_style", text=f"As {label}", icon="COPYDOWN").name = label
        layout.separator()
        layout.operator("limber.load_motion_style", icon="FILEBROWSER")


def draw_own_style(layout, joint, filter_name: str) -> None:
    """Draws the switch and the settings of a joint's or motor's own motion style; greyed out if its mover's
    filter `filter_name` is `NO_FILTER`.
    """
    column = layout.column()
    column.active = filter_name != NO_FILTER
    column.prop(joint, "own_style")
    style = column.column(align=True)
    style.active = joint.own_style
    style.prop(joint, "sigma", slider=True)
    style.prop(joint, "rho", slider=True)
    if filter_name == "nutty":
        style.prop(joint, "beta")


def draw_motion_style(layout, settings, menu: str) -> None:
    """Draws the filter and limits of a mover's settings, which are a `LimberMotionStyle`, below a menu of
    styles; `menu` is the menu's identifier.
    """
    is_filtered = filter_in_use(settings.id_data, settings) != NO_FILTER
    name = (motion_styles.name_of(settings) or "own") if is_filtered else "none"
    layout.menu(menu, text=f"Motion Style: {name}", icon="PRESET")
    layout.use_property_split = True
    layout.prop(settings, "filter")
    message(layout, [(filter_sentence(settings), "INFO")], 2)
    style = layout.column()
    style.active = is_filtered
    style.prop(settings, "sigma", slider=True)
    style.prop(settings, "rho", slider=True)
    if settings.filter == "nutty":
        style.prop(settings, "beta")
    column = style.column(align=True)
    for name in ("velocity_share", "acceleration_share", "jerk_share"):
        column.prop(settings, name, slider=True)
