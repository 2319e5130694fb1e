"""Panel Calibrate: zero, direction and range of the selected joint, and calibration files."""

from math import degrees

from ...hardware.errors import HardwareError
from ...hardware.lerobot.calibration import DYNAMIXEL, FEETECH
from ...hardware.safety import State
from ...operators.subject import rig_of
from ...rig.blender.errors import RigError
from ...rig.bones import axes
from ...rig.properties import servo_units
from ...rig.robot import calibrating, device, lerobot, links, servo_lists, zero_check
from ..tab import ServoTab, message
from .servos import draw_list, draw_trials, joint_unit

LEROBOTS = (FEETECH.protocol, DYNAMIXEL.protocol)  # protocols of the servos of LeRobot's robots
# [rad] a joint farther from the shown pose counts as off; about 1 degree, which remains when a robot is posed
# carefully by hand. Times `DeviceJoint.scale` for joints in other units
APART = 0.0175


class LIMBER_PT_calibrate(ServoTab):
    """Zeros, directions and ranges of the robot's servos"""

    bl_label = "Calibrate"
    bl_parent_id = "LIMBER_PT_robot_setup"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 5

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        message(layout, [_state(rig)], 3)
        if any(each.all for each in servo_lists.lists(rig)):
            for each in servo_lists.lists(rig):
                joint = draw_list(layout, rig, each, "calibrate ", rows=3)
                if joint is not None:
                    _draw_joint(layout, rig, joint)
            _draw_range(layout, rig)
            _draw_zeros(layout, rig)
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("limber.save_calibration", text="Save", icon="EXPORT")
        row.operator("limber.load_calibration", text="Load", icon="IMPORT")
        column.operator("limber.restore_calibration", icon="RECOVER_LAST")
        if rig.limber.device.protocol in LEROBOTS or lerobot.model_name(rig):
            column = layout.column(align=True)
            column.label(text="LeRobot's Calibration", translate=False)
            row = column.row(align=True)
            row.operator("limber.export_lerobot", text="Export", icon="EXPORT")
            row.operator("limber.import_lerobot", text="Import", icon="IMPORT")


def _state(rig) -> tuple[str, str]:
    """(sentence, icon) on what can be calibrated in the robot's current state."""
    if links.status(rig) is None:
        return (
            "Press Connect, then move joints by hand or with the buttons, and set their zeros and ranges",
            "INFO",
        )
    if calibrating.is_recording(rig):
        return "Move each joint from end to end, then press End Range", "REC"
    if _is_limp(rig):
        return "Limp: move the robot by hand", "VIEW_PAN"
    return "Move joints with the buttons, or press Release and move them by hand", "INFO"


def _is_limp(rig) -> bool:
    """Whether the robot is connected and its torque is off."""
    status = links.status(rig)
    return status is not None and status.state is State.LIMP


def _draw_joint(layout, rig, joint) -> None:
    """Draws the buttons that move or release a joint, zero, direction and range of its servo, and the joint's
    limits.
    """
    name, limp = joint.label, _is_limp(rig)
    draw_trials(layout, rig, name, joint.servo, joint_unit(joint), usable=not limp)
    row = layout.row(align=True)
    row.enabled = not limp
    row.operator("limber.let_go", text="Release Joint", icon="VIEW_PAN").joint = name
    row.operator("limber.let_go", text="Release All")
    position = _servo_position(rig, joint)
    unit = servo_units.unit_name(rig.limber.device.protocol)
    box = layout.box().column(align=True)
    row = box.split(factor=0.68)
    row.label(text=f"{name}: servo {joint.servo}", translate=False)
    row.label(text="not known" if position is None else f"{position:.0f} {unit}", translate=False)
    buttons = box.row(align=True)
    for end, text in (("LOW", "Min Here"), ("", "Zero Here"), ("HIGH", "Max Here")):
        if end:
            button = buttons.operator("limber.set_end", text=text)
            button.end = end
        else:
            button = buttons.operator("limber.set_zero", text=text)
        button.joint = name
    row = box.row(align=True)
    for field in ("min_us", "zero_us", "max_us"):
        row.prop(joint, field, text="")
    box.prop(joint, "reverse", text="Reverse")
    column = box.column(align=True)
    slides = axes.is_prismatic(joint.axis)
    row = column.row(align=True)
    row.prop(joint, "linear_lower" if slides else "lower")
    row.prop(joint, "linear_upper" if slides else "upper")


def _servo_position(rig, joint) -> float | None:
    """Measured position of a joint's servo, in the protocol's unit; None if it is not known."""
    if links.status(rig) is None:
        return None
    index = device.channel_of_servo(links.link(rig).device, joint.servo)
    positions = calibrating.positions(rig)
    return positions[index] if index is not None and index < len(positions) else None


def _draw_range(layout, rig) -> None:
    """Draws the button that starts or ends the recording of ranges."""
    recording = calibrating.is_recording(rig)
    row = layout.row()
    row.enabled, row.alert = _is_limp(rig), recording
    row.operator(
        "limber.end_range" if recording else "limber.record_range", icon="SNAP_FACE" if recording else "REC"
    )


def _draw_zeros(layout, rig) -> None:
    """Draws the check of zeros: for each joint the difference between its measured and shown value, and a
    button to set its zero.
    """
    column = layout.column(align=True)
    column.operator("limber.zero_pose", icon="ARMATURE_DATA")
    differences, remark = _differences(rig)
    message(column, [remark], 4)
    box = column.box().column(align=True)
    for label in (joint.label for _, joint in device.driven(rig)):
        difference = differences.get(label)
        name, rest = _split(box, 0.5)
        name.label(text=label, translate=False)
        figure, button = _split(rest, 0.55)
        figure.alignment = "RIGHT"
        figure.label(
            text=(
                "-"
                if difference is None
                else (
                    "not known"
                    if difference.measured is None
                    else _signed(difference.joint, difference.measured - difference.shown)
                )
            ),
            translate=False,
        )
        button.enabled = difference is not None and _is_apart(difference)
        zero = button.operator("limber.set_zero", text="Zero")
        zero.joint, zero.angle = label, 0.0 if difference is None else difference.shown


def _differences(rig) -> tuple[dict[str, zero_check.Difference], tuple[str, str]]:
    """(differences, (sentence, icon)): by joint the difference between its measured and shown value, empty
    unless torque is off; and a sentence on what to do next, or why values cannot be compared.
    """
    if not _is_limp(rig):
        return {}, ("To check zeros: pose, press Release All, and compare", "INFO")
    try:
        differences = {difference.joint.name: difference for difference in zero_check.differences(rig)}
    except (RigError, HardwareError) as error:
        return {}, (str(error), "ERROR")
    if any(map(_is_apart, differences.values())):
        return differences, (
            (
                "Bring the robot to the pose that Blender shows. Hold a joint there that is off, and press"
                " its Zero"
            ),
            "VIEW_PAN",
        )
    return differences, (
        "By the calibration every joint is within a degree of the pose that Blender shows",
        "CHECKMARK",
    )


def _is_apart(difference: zero_check.Difference) -> bool:
    """Whether a joint is not measured, or farther than APART from the shown pose."""
    return (
        difference.measured is None
        or abs(difference.measured - difference.shown) > APART * difference.joint.scale
    )


def _split(layout, factor: float):
    """The two columns of a split layout; the first takes `factor` (0 to 1) of the width."""
    split = layout.split(factor=factor)
    return split.row(), split.row()


def _signed(joint, difference: float) -> str:
    """A difference [rad or m] as text with sign and unit."""
    number, unit = (1000.0 * difference, " mm") if joint.unit == "m" else (degrees(difference), "°")
    return f"{round(number, 1) + 0.0:+.1f}{unit}"
