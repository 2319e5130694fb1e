"""Entry Send to Robot in the context menu of animatable numbers and switches."""

from .tab import RobotTab


def full_path(context) -> str:
    """Full data path of the property under the mouse, as Copy Full Data Path gives it; "" if it belongs to no
    data-block, or is not a single animatable number or switch.
    """
    pointer, prop = getattr(context, "button_pointer", None), getattr(context, "button_prop", None)
    if (
        pointer is None
        or prop is None
        or not prop.is_animatable
        or prop.type not in {"BOOLEAN", "INT", "FLOAT"}
    ):
        return ""
    try:
        path = pointer.path_from_id(prop.identifier)
    except ValueError:  # properties of operators and windows have no data path
        return ""
    if getattr(prop, "is_array", False):
        pointed_at = context.property
        if pointed_at is None or pointed_at[2] < 0:
            return ""
        path = f"{path}[{pointed_at[2]}]"
    return f"{pointer.id_data!r}{'' if path.startswith('[') else '.'}{path}"


def draw(menu, context) -> None:
    """Draws the entry if the armature or mechanism in use may have a robot, and the property has a
    `full_path`.
    """
    path = full_path(context) if RobotTab.poll(context) else ""
    if path:
        menu.layout.separator()
        menu.layout.operator_context = "EXEC_DEFAULT"
        menu.layout.operator("limber.add_auxiliary", text="Send to Robot", icon="CON_ARMATURE").path = path


MENU_ENTRIES = {"UI_MT_button_context_menu": draw}
