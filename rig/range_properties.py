"""Which frames are baked."""

from .overridable import IntProperty


class LimberRange:
    """First and last frame of a bake. Not registered itself: chains, retargets and mechanisms have these properties."""

    frame_start: IntProperty(name="Start", description="First frame to bake", default=1)
    frame_end: IntProperty(name="End", description="Last frame to bake", default=250)
