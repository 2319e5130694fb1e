"""What the .blend keeps of remote control: where it would listen, and what it allows. Listening itself is no part of a file."""

from bpy.types import PropertyGroup

from .overridable import BoolProperty, IntProperty, StringProperty


class LimberRemote(PropertyGroup):
    """Other programs set targets, influence and weights of this armature, and stop its robot, by OSC over UDP."""

    host: StringProperty(
        name="Address",
        description="On which of this computer's addresses to listen: 127.0.0.1 hears this computer alone, 0.0.0.0 its networks too",
        default="127.0.0.1",
    )
    port: IntProperty(name="Port", description="UDP port on which to listen; another than Retarget's", default=9001, min=1, max=65535)
    allow_arm: BoolProperty(
        name="Allow Arming",
        description="Allow other programs to arm the connected robot, which then moves. They can always stop it",
    )
