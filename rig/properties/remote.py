"""Properties of remote control: address and permissions. Whether Limber is listening, and whether programs
may arm robots, is not saved.
"""

import bpy
from bpy.types import PropertyGroup

from ...hardware.robot_session import ArmingPermits
from .overridable import BoolProperty, IntProperty, StringProperty

# objects, by their session_uids, whose robots other programs may arm; never saved, and not subject to undo
permits = ArmingPermits()


def _may_arm(remote: bpy.types.PropertyGroup) -> bool:
    return permits.is_allowed(remote.id_data.session_uid)


def _allow_arm(remote: bpy.types.PropertyGroup, allowed: bool) -> None:
    permits.allow(remote.id_data.session_uid, allowed)


class LimberRemote(PropertyGroup):
    """Settings of remote control, by OSC over UDP or a page in a browser, of an object's targets, influence
    and weights, and of its robot.
    """

    host: StringProperty(
        name="Address",
        description=(
            "Address of this computer on which to listen: 127.0.0.1 for this computer only, 0.0.0.0 for its"
            " networks too"
        ),
        default="127.0.0.1",
    )
    port: IntProperty(
        name="Port",
        description="UDP port on which to listen, different from the port of Retarget",
        default=9001,
        min=1,
        max=65535,
    )
    page_port: IntProperty(
        name="Page's Port",
        description="TCP port on which the page for browsers is served",
        default=8765,
        min=1,
        max=65535,
    )
    allow_arm: BoolProperty(
        name="Allow Arming",
        description=(
            "Allow other programs to arm the connected robot, which then moves. They can always stop it. The"
            " permission ends when the robot is disarmed or stopped, and is not saved"
        ),
        get=_may_arm,
        set=_allow_arm,
    )
