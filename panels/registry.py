"""Every panel, list and menu, in the order in which the tab shows them: first what a beginner needs, open, then all else, closed."""

import bpy

from . import menus, property_menu
from .authoring.attention import LIMBER_PT_attention
from .authoring.chain_overlay import LIMBER_PT_overlays
from .authoring.ends import LIMBER_PT_ends
from .authoring.gaze import LIMBER_PT_gaze, LIMBER_PT_gaze_settings
from .authoring.life import LIMBER_PT_life
from .authoring.lists import LIMBER_UL_chains, LIMBER_UL_ends, LIMBER_UL_joints, LIMBER_UL_postures, LIMBER_UL_targets
from .authoring.motion import LIMBER_MT_characters, LIMBER_PT_motion
from .authoring.next_step import LIMBER_PT_next_step
from .authoring.options import LIMBER_PT_options, LIMBER_PT_solver
from .authoring.postures import LIMBER_MT_postures, LIMBER_PT_postures
from .authoring.retarget import CLASSES as RETARGET_CLASSES
from .authoring.rig import LIMBER_MT_chains, LIMBER_PT_joints, LIMBER_PT_rig
from .live.deviation import LIMBER_PT_deviation
from .live.live import LIMBER_PT_diagnostics, LIMBER_PT_live
from .mechanism.mechanisms import CLASSES as MECHANISM_CLASSES
from .output.bake import LIMBER_PT_bake, LIMBER_PT_record
from .output.compare import LIMBER_PT_compare, LIMBER_PT_comparison
from .output.export import LIMBER_PT_export
from .output.motion_check import LIMBER_PT_motion_check, LIMBER_PT_zones, LIMBER_UL_findings, LIMBER_UL_zones
from .robot.calibrate import LIMBER_PT_calibrate
from .robot.feedback import LIMBER_PT_feedback, LIMBER_PT_puppeteer
from .robot.remote import LIMBER_PT_remote
from .robot.robot import LIMBER_PT_robot, LIMBER_PT_robot_options, LIMBER_PT_robot_setup
from .robot.scan import LIMBER_PT_protocol, LIMBER_PT_scan
from .robot.servos import (
    LIMBER_PT_channels,
    LIMBER_PT_more_servos,
    LIMBER_PT_values,
    LIMBER_UL_auxiliaries,
    LIMBER_UL_channels,
    LIMBER_UL_servos,
)
from .robot.stop import LIMBER_PT_stop

CLASSES = (
    LIMBER_UL_chains,
    LIMBER_UL_ends,
    LIMBER_UL_joints,
    LIMBER_UL_postures,
    LIMBER_UL_findings,
    LIMBER_UL_zones,
    LIMBER_UL_targets,
    LIMBER_UL_servos,
    LIMBER_UL_channels,
    LIMBER_UL_auxiliaries,
    LIMBER_PT_stop,
    LIMBER_PT_next_step,
    LIMBER_MT_chains,
    LIMBER_PT_rig,
    LIMBER_PT_joints,
    LIMBER_MT_postures,
    LIMBER_PT_postures,
    LIMBER_PT_gaze,
    LIMBER_PT_gaze_settings,
    LIMBER_PT_attention,
    LIMBER_PT_ends,
    LIMBER_PT_live,
    LIMBER_PT_diagnostics,
    LIMBER_PT_deviation,
    LIMBER_PT_overlays,
    LIMBER_PT_robot,
    LIMBER_PT_robot_setup,
    LIMBER_PT_protocol,
    LIMBER_PT_scan,
    LIMBER_PT_channels,
    LIMBER_PT_more_servos,
    LIMBER_PT_values,
    LIMBER_PT_calibrate,
    LIMBER_PT_feedback,
    LIMBER_PT_puppeteer,
    LIMBER_PT_robot_options,
    LIMBER_MT_characters,
    LIMBER_PT_motion,
    LIMBER_PT_life,
    LIMBER_PT_motion_check,
    LIMBER_PT_zones,
    LIMBER_PT_solver,
    LIMBER_PT_options,
    LIMBER_PT_compare,
    LIMBER_PT_comparison,
    LIMBER_PT_bake,
    LIMBER_PT_record,
    LIMBER_PT_export,
    *RETARGET_CLASSES,
    *MECHANISM_CLASSES,
    LIMBER_PT_remote,
    *menus.CLASSES,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.UI_MT_button_context_menu.append(property_menu.draw)
    menus.register()


def unregister() -> None:
    menus.unregister()
    bpy.types.UI_MT_button_context_menu.remove(property_menu.draw)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
