"""Every operator, for registration."""

import bpy

from .authoring.add_demo_lamp import LIMBER_OT_add_demo_lamp
from .authoring.characters import CLASSES as CHARACTER_CLASSES
from .authoring.check_chain import LIMBER_OT_check_chain
from .authoring.ends import LIMBER_OT_add_end, LIMBER_OT_remove_end
from .authoring.eyes_head_torso import LIMBER_OT_eyes_head_torso
from .authoring.forward_axis import LIMBER_OT_pick_forward_axis
from .authoring.give_euler_order import LIMBER_OT_give_euler_order
from .authoring.import_robot import LIMBER_FH_urdf, LIMBER_OT_import_urdf, add_to_menu
from .authoring.look_at import CLASSES as LOOK_AT_CLASSES
from .authoring.match_joints import LIMBER_OT_match_joints
from .authoring.mirror_posture import LIMBER_OT_mirror_posture
from .authoring.new_chain import LIMBER_OT_new_chain
from .authoring.postures import (
    LIMBER_OT_add_posture,
    LIMBER_OT_apply_posture,
    LIMBER_OT_move_posture,
    LIMBER_OT_remove_posture,
    LIMBER_OT_store_posture,
    LIMBER_OT_use_pose,
)
from .authoring.remove_chain import LIMBER_OT_remove_chain
from .authoring.retarget import CLASSES as RETARGET_CLASSES
from .authoring.targets import LIMBER_OT_add_target, LIMBER_OT_remove_target
from .live.live import LIMBER_OT_end_live, LIMBER_OT_end_live_all, LIMBER_OT_live, LIMBER_OT_live_all
from .mechanism.closures import CLASSES as CLOSURE_CLASSES
from .mechanism.import_closures import LIMBER_OT_import_closures
from .mechanism.items import CLASSES as MECHANISM_ITEM_CLASSES
from .mechanism.mechanisms import CLASSES as MECHANISM_CLASSES
from .mechanism.rest_pose import CLASSES as MECHANISM_ZERO_CLASSES
from .output.bake import LIMBER_OT_bake
from .output.compare import LIMBER_OT_compare_solvers, LIMBER_OT_copy_comparison, LIMBER_OT_sort_comparison, LIMBER_OT_use_solver
from .output.export_motion import LIMBER_OT_export_motion, add_to_export_menu
from .output.motion_check import CLASSES as MOTION_CHECK_CLASSES
from .output.record_live import CLASSES as RECORD_CLASSES
from .output.use_scene_range import LIMBER_OT_use_scene_range
from .output.zones import CLASSES as ZONE_CLASSES
from .robot.calibrate import (
    LIMBER_OT_end_range,
    LIMBER_OT_load_calibration,
    LIMBER_OT_record_range,
    LIMBER_OT_restore_calibration,
    LIMBER_OT_save_calibration,
    LIMBER_OT_set_end,
    LIMBER_OT_set_zero,
)
from .robot.protocol import LIMBER_OT_choose_baudrate, LIMBER_OT_choose_protocol_file, LIMBER_OT_read_protocol_file
from .robot.puppeteer import (
    LIMBER_OT_end_puppeteer,
    LIMBER_OT_end_record,
    LIMBER_OT_key_pose,
    LIMBER_OT_puppeteer,
    LIMBER_OT_record,
)
from .robot.remote import CLASSES as REMOTE_CLASSES
from .robot.robot import (
    LIMBER_OT_arm,
    LIMBER_OT_arm_confirmed,
    LIMBER_OT_choose_port,
    LIMBER_OT_clear_fault,
    LIMBER_OT_confirm_joint,
    LIMBER_OT_confirm_pose,
    LIMBER_OT_connect,
    LIMBER_OT_disarm,
    LIMBER_OT_disconnect,
    LIMBER_OT_park,
    LIMBER_OT_reconnect,
    LIMBER_OT_stop,
)
from .robot.scan import LIMBER_OT_cancel_scan, LIMBER_OT_change_servo, LIMBER_OT_scan, LIMBER_OT_use_found
from .robot.servos import (
    LIMBER_OT_add_channel,
    LIMBER_OT_add_share,
    LIMBER_OT_assign_servo,
    LIMBER_OT_choose_share,
    LIMBER_OT_remove_channel,
    LIMBER_OT_remove_share,
    LIMBER_OT_use_preset,
)
from .robot.setup import LIMBER_OT_jog, LIMBER_OT_let_go, LIMBER_OT_test_joint, LIMBER_OT_which_joint, LIMBER_OT_wiggle
from .robot.values import LIMBER_OT_add_auxiliary, LIMBER_OT_remove_auxiliary

CLASSES = (
    LIMBER_OT_add_demo_lamp,
    LIMBER_OT_import_urdf,
    LIMBER_FH_urdf,
    LIMBER_OT_new_chain,
    LIMBER_OT_eyes_head_torso,
    LIMBER_OT_pick_forward_axis,
    LIMBER_OT_remove_chain,
    LIMBER_OT_add_end,
    LIMBER_OT_remove_end,
    LIMBER_OT_add_target,
    LIMBER_OT_remove_target,
    *LOOK_AT_CLASSES,
    LIMBER_OT_check_chain,
    LIMBER_OT_match_joints,
    LIMBER_OT_give_euler_order,
    LIMBER_OT_store_posture,
    LIMBER_OT_use_pose,
    LIMBER_OT_add_posture,
    LIMBER_OT_apply_posture,
    LIMBER_OT_remove_posture,
    LIMBER_OT_move_posture,
    LIMBER_OT_mirror_posture,
    LIMBER_OT_live,
    LIMBER_OT_end_live,
    LIMBER_OT_live_all,
    LIMBER_OT_end_live_all,
    LIMBER_OT_compare_solvers,
    LIMBER_OT_sort_comparison,
    LIMBER_OT_use_solver,
    LIMBER_OT_copy_comparison,
    *MOTION_CHECK_CLASSES,
    *ZONE_CLASSES,
    *CHARACTER_CLASSES,
    *RECORD_CLASSES,
    LIMBER_OT_bake,
    *RETARGET_CLASSES,
    *REMOTE_CLASSES,
    LIMBER_OT_export_motion,
    LIMBER_OT_import_closures,
    *MECHANISM_CLASSES,
    *MECHANISM_ITEM_CLASSES,
    *CLOSURE_CLASSES,
    *MECHANISM_ZERO_CLASSES,
    LIMBER_OT_choose_port,
    LIMBER_OT_choose_baudrate,
    LIMBER_OT_choose_protocol_file,
    LIMBER_OT_read_protocol_file,
    LIMBER_OT_scan,
    LIMBER_OT_cancel_scan,
    LIMBER_OT_use_found,
    LIMBER_OT_change_servo,
    LIMBER_OT_assign_servo,
    LIMBER_OT_use_preset,
    LIMBER_OT_add_channel,
    LIMBER_OT_remove_channel,
    LIMBER_OT_add_share,
    LIMBER_OT_remove_share,
    LIMBER_OT_choose_share,
    LIMBER_OT_add_auxiliary,
    LIMBER_OT_remove_auxiliary,
    LIMBER_OT_connect,
    LIMBER_OT_reconnect,
    LIMBER_OT_disconnect,
    LIMBER_OT_wiggle,
    LIMBER_OT_which_joint,
    LIMBER_OT_let_go,
    LIMBER_OT_jog,
    LIMBER_OT_test_joint,
    LIMBER_OT_set_zero,
    LIMBER_OT_set_end,
    LIMBER_OT_record_range,
    LIMBER_OT_end_range,
    LIMBER_OT_save_calibration,
    LIMBER_OT_load_calibration,
    LIMBER_OT_restore_calibration,
    LIMBER_OT_puppeteer,
    LIMBER_OT_end_puppeteer,
    LIMBER_OT_record,
    LIMBER_OT_end_record,
    LIMBER_OT_key_pose,
    LIMBER_OT_arm,
    LIMBER_OT_arm_confirmed,
    LIMBER_OT_confirm_pose,
    LIMBER_OT_confirm_joint,
    LIMBER_OT_park,
    LIMBER_OT_disarm,
    LIMBER_OT_clear_fault,
    LIMBER_OT_stop,
    LIMBER_OT_use_scene_range,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_import.append(add_to_menu)
    bpy.types.TOPBAR_MT_file_export.append(add_to_export_menu)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(add_to_export_menu)
    bpy.types.TOPBAR_MT_file_import.remove(add_to_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
