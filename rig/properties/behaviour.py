"""Properties of a scene's behaviour: states, transitions between them, and gestures."""

import bpy
from bpy.types import Action, Object, PropertyGroup, Scene

from ..behaviour import choices
from .overridable import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FactorProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    SecondsProperty,
    StringProperty,
)

# files store a cause's index in this table, so new causes are added at the end
CAUSES = [
    ("event", "Event", "When an event comes: a button here, a program by OSC, a line of a script"),
    ("after", "After a Time", "After a time in the state"),
    ("random", "At Random", "After a random time in the state, between Time and Longest"),
    ("seen", "Person Seen", "When a person has been seen for a time"),
    (
        "lost",
        "Person Lost",
        "When a person who was seen has not been seen for a time. A loss before the last change of state by"
        " an event or a button does not count",
    ),
    ("nearer", "Person Near", "When the nearest person is nearer than a distance"),
    ("farther", "Person Far", "When the nearest person is farther away than a distance"),
    ("ended", "Clip's End", "When the state's clip has been played once"),
    (
        "arrived",
        "Person Arrives",
        "When a person comes while the state lasts, after nobody was seen for a time",
    ),
    ("unseen", "Nobody Seen", "When nobody has been seen for a time in the state"),
]


class LimberRole:
    """Mixin: the target that chains look at in a state, with influence, share, life and eyes."""

    look_at: PointerProperty(
        name="Look At",
        description=(
            "Target to look at in this state, for chains that have it as their own or an additional "
            "target. Empty: as set in the scene"
        ),
        type=Object,
        poll=lambda _role, candidate: choices.is_target(candidate),
    )
    look_at_bone: StringProperty(
        name="Bone",
        description=(
            "Bone of the armature to look at, for chains that have this bone as a target. Empty: the armature"
            " object itself, or else the first of its bones that a chain has as a target"
        ),
        search=choices.target_bones,
    )
    sets_influence: BoolProperty(
        name="Set Influence", description="Use this influence in the state, instead of the chains' own"
    )
    influence: FactorProperty(
        name="Influence",
        description="Influence of the goal in this state: 0 keeps the posture, 1 follows the goal",
        default=1.0,
    )
    sets_share: BoolProperty(
        name="Set Share", description="Use this share in the state, instead of the chains' own"
    )
    share: FactorProperty(
        name="Share",
        description=(
            "Share of the rotation from their posture to the target that chains make in this state: 0"
            " none, 1 all"
        ),
        default=1.0,
    )
    life: FactorProperty(
        name="Life",
        description=(
            "Factor of the Amount of the chains' idle motion in this state. 0: none, 1: as set for the chain"
        ),
        default=1.0,
    )
    blinks: FloatProperty(
        name="Blinks",
        description=(
            "Factor of the Blinks of chains with Eyes on, in this state. 0: never, 1: as set for the chain"
        ),
        default=1.0,
        min=0.0,
        max=10.0,
    )
    aversion: FactorProperty(
        name="Looks Away",
        description=(
            "Factor of the Looks Away of chains with Eyes on, in this state. 0: never, 1: as set for the"
            " chain"
        ),
        default=1.0,
    )
    lids: FactorProperty(
        name="Lids", description="How far the eyelids are closed in this state: 0 open, 1 closed", default=0.0
    )


class LimberChainChoice:
    """Mixin: a chain of any armature of the file, chosen from a list."""

    owner: PointerProperty(name="Armature", description="Armature of the chain", type=Object)
    uid: StringProperty(
        name="Identity",
        description="Identifier of the chain, which stays when it is renamed",
        options={"HIDDEN"},
    )
    chain: EnumProperty(
        name="Chain",
        description="Chain to which these settings apply",
        items=choices.chain_items,
        get=choices.chosen_chain,
        set=choices.choose_chain,
        options={"SKIP_SAVE"},
    )


class LimberChainRole(LimberRole, LimberChainChoice, PropertyGroup):
    """Settings of one chain in a state, instead of the settings for all chains."""


class LimberStatePosture(PropertyGroup):
    """A posture of a state with its weight."""

    action: PointerProperty(
        name="Pose",
        description="Stored posture to keep in this state, for chains that have it",
        type=Action,
        poll=lambda _posture, candidate: choices.is_posture(candidate),
    )
    weight: FactorProperty(
        name="Weight",
        description=(
            "Weight of the posture. The state's clip has the weight 1, and weights that sum to more than 1 are"
            " normalised; if they sum to less, the authored pose has the rest of the weight"
        ),
        default=1.0,
    )


class LimberState(LimberRole, PropertyGroup):
    """A state of a behaviour. `name` is unique in the behaviour."""

    name: StringProperty(
        name="Name", description="Name of the state, unique in the behaviour", update=choices.follow_name
    )
    known_as: StringProperty(
        name="Known As", description="Name by which the transitions refer to the state", options={"HIDDEN"}
    )
    seconds: SecondsProperty(
        name="Transition", description="Duration of the transition into this state", default=0.5
    )
    speaks: BoolProperty(
        name="Speaks", description="Let this state count as speech: the eyes blink when it ends"
    )
    postures: CollectionProperty(
        name="Postures",
        description=(
            "Stored postures that chains keep in this state. A chain that has none of them plays the clip, or"
            " else its animation"
        ),
        type=LimberStatePosture,
    )
    active_posture: IntProperty(name="Posture", description="Selected posture")
    clip: PointerProperty(
        name="Clip",
        description="Action that plays during the state, for chains whose joints it moves",
        type=Action,
    )
    loops: BoolProperty(
        name="Loop",
        description="Repeat the clip; off: stay at its last frame",
        default=True,
    )
    chains: CollectionProperty(
        name="Chains", description="Chains with settings of their own in this state", type=LimberChainRole
    )
    active_chain: IntProperty(name="Chain", description="Selected chain")


class LimberStateTransition(PropertyGroup):
    """A transition from one state to another, and the condition that triggers it."""

    begins_anywhere: BoolProperty(
        name="From Any State", description="Let the transition start from every other state", default=False
    )
    begin: StringProperty(name="From", description="State in which the transition begins")
    end: StringProperty(name="To", description="State to which the transition leads")
    cause: EnumProperty(
        name="When", description=("Event or condition that triggers the transition"), items=CAUSES
    )
    event: StringProperty(
        name="Event",
        description="Name of the event that triggers the transition: choose one, or type a new one",
        search=choices.events,
        search_options={"SUGGESTION"},
    )
    seconds: SecondsProperty(
        name="Time",
        description=(
            "Time in the state, or for which a person or nobody must be seen. At Random: the shortest time."
            " Person Arrives: the time for which nobody was seen before"
        ),
        default=1.0,
    )
    longest: SecondsProperty(
        name="Longest",
        description=(
            "Longest time in the state, in seconds; the time is drawn at random between Time and Longest"
        ),
        default=5.0,
    )
    distance: FloatProperty(
        name="Distance",
        description="Distance from the camera to the nearest person at which the transition is triggered",
        default=1.0,
        min=0.0,
        subtype="DISTANCE",
    )


class LimberMaskedJoint(PropertyGroup):
    """A joint that a gesture does not move."""

    name: StringProperty(name="Name", description="Label of the joint")


class LimberGesture(LimberChainChoice, PropertyGroup):
    """A clip that is played once, on top of the state, when an event occurs."""

    name: StringProperty(
        name="Name",
        description="Name of the gesture, unique in the behaviour",
        default="Gesture",
        update=choices.name_gesture,
    )
    event: StringProperty(
        name="Event",
        description="Name of the event that starts the gesture: choose one, or type a new one",
        search=choices.events,
        search_options={"SUGGESTION"},
    )
    action: PointerProperty(
        name="Action", description="Action that the gesture plays once on the chain's bones", type=Action
    )
    mode: EnumProperty(
        name="Mode",
        description="How the gesture combines with the posture",
        items=[
            ("ADD", "Add", "Add the action's motion, relative to its first frame, to the posture"),
            (
                "REPLACE",
                "Replace",
                "Play the action's motion instead of the posture, for the joints that it moves",
            ),
        ],
    )
    fade: SecondsProperty(
        name="Fade",
        description=("Duration of the fade in at the start, and of the fade out at the end"),
        default=0.2,
    )
    left_alone: CollectionProperty(
        name="Left Alone", description="Joints that the gesture does not move", type=LimberMaskedJoint
    )


class LimberBehaviour(PropertyGroup):
    """A scene's behaviour: what its characters do on their own, beginning in the first state."""

    states: CollectionProperty(
        name="States", description="States of the behaviour, which begins in the first one", type=LimberState
    )
    active_state: IntProperty(name="State", description="Selected state")
    transitions: CollectionProperty(
        name="Transitions",
        description=(
            "Transitions between states. The first whose condition is met is taken; those From Any State come"
            " last"
        ),
        type=LimberStateTransition,
    )
    active_transition: IntProperty(name="Transition", description="Selected transition")
    gestures: CollectionProperty(
        name="Gestures",
        description="Animation clips that play once on top of the current state",
        type=LimberGesture,
    )
    active_gesture: IntProperty(name="Gesture", description="Selected gesture")
    seed: IntProperty(
        name="Seed",
        description=("Seed of the random times and choices: the same seed gives the same behaviour"),
        default=0,
        min=0,
    )
    rehearse: BoolProperty(
        name="Rehearse",
        description="Let live chains follow the behaviour; switch it with Rehearse and End Rehearsal",
        options={"HIDDEN"},
    )
    person: EnumProperty(
        name="Person",
        description="Persons in the rehearsal: those that a tracker reports, or an assumed one",
        items=[
            (
                "UNKNOWN",
                "Tracker",
                "Use the persons that trackers report by OSC; without a tracker, nobody is seen or lost",
            ),
            ("SEEN", "Seen", "Assume that a person is seen"),
            ("LOST", "Gone", "Assume that the person has gone"),
        ],
    )
    person_distance: FloatProperty(
        name="Distance",
        description="Distance from the camera to the assumed person during the rehearsal",
        default=1.5,
        min=0.0,
        subtype="DISTANCE",
    )


PROPERTIES = {
    (Scene, "limber_behaviour"): bpy.props.PointerProperty(
        name="Behaviour",
        description="States, transitions and gestures of the scene's characters",
        type=LimberBehaviour,
    ),
}
