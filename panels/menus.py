"""Limber's menu in the 3D view's menus Object and Pose: it has what F3 finds, as far as the context allows it.

Blender's search goes through menus, so what is in a panel alone is not found. Operators that need to be told which item of a list, or which
joint, they act on have their places in panels.
"""

import bpy

from ..operators.subject import rig_of

MENUS: dict[str, tuple[str, ...]] = {
    "Chain": ("new_chain", "remove_chain", "eyes_head_torso", "check_chain", "match_joints", "give_euler_order", "add_end", "remove_end"),
    "Postures": (
        "store_posture", "add_posture", "apply_posture", "mirror_posture", "remove_posture", "use_pose",
    ),
    "Gaze and Live": (
        "live", "end_live", "live_all", "end_live_all", "move_with_mouse", "look_into_camera", "add_target", "remove_target",
        "pick_forward_axis", "compare_solvers",
    ),
    "Motion": (
        "load_character", "save_character", "check_motion", "mark_findings", "clear_marks", "save_findings", "save_motion_picture",
        "add_zone", "remove_zone",
    ),
    "Bake and Record": (
        "bake", "record_live", "keep_takes", "drop_takes", "restore_takes", "leave_takes", "export_motion",
    ),
    "Retarget": (
        "pair_bones", "add_pair", "remove_pair", "calibrate_pairs", "follow", "end_follow", "listen", "end_listen", "bake_follow",
    ),
    "Mechanism": (
        "new_mechanism", "import_closures", "check_mechanism", "assemble_mechanism", "set_mechanism_zero", "mechanism_live",
        "end_mechanism_live", "bake_mechanism", "add_motors", "remove_motor", "add_mechanism_goal", "remove_mechanism_goal", "add_closure",
        "remove_closure", "close_named_loops", "keep_goal_offset", "align_joint", "load_mechanism_character",
        "save_mechanism_character",
    ),
    "Robot": (
        "connect", "disconnect", "reconnect", "arm", "arm_confirmed", "confirm_pose", "park", "disarm", "clear_fault", "stop",
    ),
    "Robot Set Up": (
        "scan", "cancel_scan", "use_preset", "add_channel", "remove_channel", "add_auxiliary", "remove_auxiliary", "record_range",
        "end_range", "save_calibration", "load_calibration", "restore_calibration", "puppeteer", "end_puppeteer", "record", "end_record",
        "key_pose", "remote", "end_remote",
    ),
}  # fmt: skip


def _submenu(title: str, verbs: tuple[str, ...]) -> type[bpy.types.Menu]:
    def draw(self, context):
        self.layout.operator_context = "INVOKE_REGION_WIN"
        for verb in verbs:
            self.layout.operator(f"limber.{verb}")

    name = "LIMBER_MT_operators_" + title.lower().replace(" ", "_")
    return type(name, (bpy.types.Menu,), {"__doc__": f"Operators: {title}", "bl_idname": name, "bl_label": title, "draw": draw})


SUBMENUS = tuple(_submenu(title, verbs) for title, verbs in MENUS.items())


class LIMBER_MT_operators(bpy.types.Menu):
    """Limber's operators, for F3 and for shortcuts of one's own"""

    bl_label = "Limber"

    def draw(self, context):
        layout = self.layout
        layout.operator("limber.add_demo_lamp", icon="LIGHT")
        layout.operator("limber.import_urdf", icon="IMPORT")
        layout.operator_menu_enum("limber.add_mechanism", "kind")
        if rig_of(context) is not None:
            layout.separator()
            for menu in SUBMENUS:
                layout.menu(menu.bl_idname)


def draw(menu, _context) -> None:
    menu.layout.separator()
    menu.layout.menu(LIMBER_MT_operators.__name__, icon="CON_ROTLIMIT")


CLASSES = (*SUBMENUS, LIMBER_MT_operators)
PLACES = ("VIEW3D_MT_object", "VIEW3D_MT_pose")


def register() -> None:
    for place in PLACES:
        getattr(bpy.types, place).append(draw)


def unregister() -> None:
    for place in PLACES:
        getattr(bpy.types, place).remove(draw)
