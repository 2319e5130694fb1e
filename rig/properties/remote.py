"""Properties of remote control: address and permissions. Whether it listens is not saved."""

from bpy.types import PropertyGroup

from .overridable import BoolProperty, IntProperty, StringProperty


class LimberRemote(PropertyGroup):
    """Remote control of an object's targets, influence and weights, and of its robot, with OSC over UDP."""

    host: StringProperty(
        name="Address",
        description="Address of this computer on which to listen: 127.0.0.1 for this computer only, 0.0.0.0 for its networks too",
        default="127.0.0.1",
    )
    port: IntProperty(name="Port", description="UDP port on which to listen; not that of Retarget", default=9001, min=1, max=65535)
    allow_arm: BoolProperty(
        name="Allow Arming",
        description="Allow other programs to arm the connected robot, which then moves. They can always stop it",
    )
