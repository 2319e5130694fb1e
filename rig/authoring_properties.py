"""What an animator sets of a chain beside its goal: how much the gaze counts, and how long postures take."""

from .overridable import FloatProperty


class LimberAuthoring:
    """How a chain's gaze and its posture go together. Not registered itself: chains have these properties."""

    influence: FloatProperty(
        name="Influence",
        description="How much the gaze counts: 1 the end does what its goal says, 0 the chain moves as posed or animated, within its"
        " joints' limits; between, each joint is that much of the way",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    transition: FloatProperty(
        name="Transition",
        description="Time that the body takes from one stored posture to another; 0: as long as half of the joints' limits need",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        subtype="TIME",
        unit="TIME_ABSOLUTE",
    )
