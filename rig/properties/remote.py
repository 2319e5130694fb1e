"""Properties of remote control: address and permissions. Whether it listens, and whether it may arm, is not
saved.
"""

from bpy.types import PropertyGroup

from .overridable import BoolProperty, IntProperty, StringProperty

_armable: set[int] = (
    set()
)  # session_uids of the objects whose robots other programs may arm; of no file, and beyond undo


def forbid_arming(rig) -> None:
    """Withdraws an object's permission to arm its robot, as when it is disarmed."""
    _armable.discard(rig.session_uid)


def forbid_all_arming() -> None:
    """Withdraws all permissions to arm robots, as when they are stopped."""
    _armable.clear()


def _may_arm(remote) -> bool:
    return remote.id_data.session_uid in _armable


def _allow_arm(remote, allowed: bool) -> None:
    (_armable.add if allowed else _armable.discard)(remote.id_data.session_uid)


class LimberRemote(PropertyGroup):
    """Remote control of an object's targets, influence and weights, and of its robot, with OSC over UDP."""

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
        description="UDP port on which to listen; not that of Retarget",
        default=9001,
        min=1,
        max=65535,
    )
    allow_arm: BoolProperty(
        name="Allow Arming",
        description=(
            "Allow other programs to arm the connected robot, which then moves, until it is disarmed or"
            " stopped. They can always stop it. Not saved"
        ),
        get=_may_arm,
        set=_allow_arm,
    )
