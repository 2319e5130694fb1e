"""Menu Limber in the 3D viewport's menus Object and Pose, so that F3 finds the operators.

Blender's operator search covers menus only. Operators that take an item or a joint as argument are in panels
only.
"""

import bpy

from ..operators.subject import rig_of
from ..rig.authoring import gallery_folders


class Submenu:
    """Base of the submenus: draws the operators in `operators`, named without `limber.`."""

    operators: tuple[str, ...]

    def draw(self, context):
        self.layout.operator_context = "INVOKE_REGION_WIN"
        for name in self.operators:
            self.layout.operator(f"limber.{name}")


class LIMBER_MT_operators_chain(Submenu, bpy.types.Menu):
    """Operators that add, set up and remove chains"""

    bl_label = "Chain"
    operators = (
        "new_chain",
        "remove_chain",
        "eyes_head_torso",
        "check_chain",
        "match_joints",
        "use_new_settings",
        "import_joint_limits",
        "add_end",
        "remove_end",
        "about_robot",
    )


class LIMBER_MT_operators_postures(Submenu, bpy.types.Menu):
    """Operators on stored postures"""

    bl_label = "Postures"
    operators = (
        "store_posture",
        "add_posture",
        "apply_posture",
        "mirror_posture",
        "remove_posture",
        "use_pose",
        "use_posture",
        "pose_from_points",
    )


class LIMBER_MT_operators_gaze_and_live(Submenu, bpy.types.Menu):
    """Operators on targets, live motion and solvers"""

    bl_label = "Gaze and Live"
    operators = (
        "live", "end_live", "live_all", "end_live_all", "move_with_mouse", "look_into_camera", "make_target", "add_target", "remove_target",
        "pick_forward_axis", "compare_solvers", "choose_damping", "reset_solver_settings",
    )  # fmt: skip


class LIMBER_MT_operators_motion(Submenu, bpy.types.Menu):
    """Operators that load motion styles, check motion and edit no-go zones"""

    bl_label = "Motion"
    operators = (
        "load_motion_style", "check_motion", "mark_findings", "clear_marks", "save_findings", "save_motion_picture",
        "add_zone", "remove_zone",
    )  # fmt: skip


class LIMBER_MT_operators_behaviour(Submenu, bpy.types.Menu):
    """Operators on the behaviour and on eyes"""

    bl_label = "Behaviour and Eyes"
    operators = ("rehearse", "end_rehearsal", "check_behaviour", "add_lid", "remove_lid", "add_lid_value")


class LIMBER_MT_operators_bake_and_record(Submenu, bpy.types.Menu):
    """Operators that bake, record, import and export motion"""

    bl_label = "Bake and Record"
    operators = (
        "bake",
        "record_live",
        "keep_takes",
        "drop_takes",
        "restore_takes",
        "leave_takes",
        "import_motion",
        "export_motion",
        "export_character",
        "check_character",
    )


class LIMBER_MT_operators_retarget(Submenu, bpy.types.Menu):
    """Operators on retargeting"""

    bl_label = "Retarget"
    operators = (
        *("pair_bones", "add_pair", "remove_pair", "calibrate_pairs", "listen", "end_listen"),
        *("add_coupled_limit", "remove_coupled_limit", "add_coupled_joint", "remove_coupled_joint"),
    )


class LIMBER_MT_operators_mechanism(Submenu, bpy.types.Menu):
    """Operators on mechanisms"""

    bl_label = "Mechanism"
    operators = (
        "new_mechanism", "import_closures", "check_mechanism", "assemble_mechanism", "set_rest_pose", "go_to_rest_pose",
        "add_mechanism_joints", "find_mechanism_joints", "remove_mechanism_joint", "add_motors", "remove_motor",
        "add_mechanism_goal", "remove_mechanism_goal",
        "add_closure", "remove_closure", "close_named_loops", "keep_goal_offset", "align_joint", "key_support",
    )  # fmt: skip


class LIMBER_MT_operators_robot(Submenu, bpy.types.Menu):
    """Operators that connect and move the robot"""

    bl_label = "Robot"
    operators = (
        "connect", "disconnect", "reconnect", "arm", "arm_confirmed", "confirm_pose", "park", "disarm", "clear_fault", "stop",
        "go_to_robot",
    )  # fmt: skip


class LIMBER_MT_operators_robot_set_up(Submenu, bpy.types.Menu):
    """Operators that set up a robot and its servos, move the rig by the robot, and open remote control"""

    bl_label = "Robot Set Up"
    operators = (
        "scan", "cancel_scan", "use_preset", "add_channel", "remove_channel", "add_auxiliary", "remove_auxiliary", "record_range",
        "end_range", "save_calibration", "load_calibration", "restore_calibration", "import_lerobot", "export_lerobot", "zero_pose",
        "puppeteer", "end_puppeteer", "record", "end_record",
        "key_pose", "store_park_pose", "remote", "end_remote", "page", "end_page",
    )  # fmt: skip


SUBMENUS = tuple(Submenu.__subclasses__())


class LIMBER_MT_add_robot(bpy.types.Menu):
    """Robots of the gallery, of a folder of yours, or from the robot itself"""

    bl_label = "Limber Robot"

    def draw(self, context):
        layout = self.layout
        for entry in gallery_folders.listed():
            layout.operator("limber.add_robot", text=entry.title).robot = str(entry.folder)
        layout.separator()
        layout.operator_context = "INVOKE_REGION_WIN"
        layout.operator("limber.import_from_robot", icon="URL")
        layout.operator("limber.add_robot_folder", icon="FILE_FOLDER")
        layout.operator("limber.install_robot_meshes", icon="MESH_DATA")


class LIMBER_MT_operators(bpy.types.Menu):
    """Operators of Limber"""

    bl_label = "Limber"

    def draw(self, context):
        layout = self.layout
        layout.operator("limber.add_demo_lamp", icon="LIGHT")
        layout.menu(LIMBER_MT_add_robot.__name__, icon="ARMATURE_DATA")
        layout.operator("limber.import_robot", icon="IMPORT")
        layout.operator("limber.import_from_robot", icon="URL")
        layout.operator_menu_enum("limber.add_mechanism", "kind")
        if rig_of(context) is not None:
            layout.separator()
            for menu in SUBMENUS:
                layout.menu(menu.__name__)


def draw(menu, _context) -> None:
    """Draws the menu Limber at the end of the menus Object and Pose."""
    menu.layout.separator()
    menu.layout.menu(LIMBER_MT_operators.__name__, icon="CON_ROTLIMIT")


def draw_in_add(menu, _context) -> None:
    """Draws the menu of the gallery's robots at the end of the menu Add."""
    menu.layout.menu(LIMBER_MT_add_robot.__name__, icon="CON_ROTLIMIT")


MENU_ENTRIES = {"VIEW3D_MT_object": draw, "VIEW3D_MT_pose": draw, "VIEW3D_MT_add": draw_in_add}
