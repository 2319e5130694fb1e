"""Properties of a scene's behaviour: states, what leads from one to another, and gestures."""

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

CAUSES = [  # files store the index in this table: add new causes at its end
    ("event", "Event", "When an event comes: a button here, a program by OSC, a line of a script"),
    ("after", "After a Time", "After a time in the state"),
    ("random", "At Random", "At a random time in the state, between two bounds"),
    ("seen", "Person Seen", "When a person has been seen for a time"),
    (
        "lost",
        "Person Lost",
        "When a person who was seen has been seen no more for a time; only losses after the last event count",
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
    """Mixin: what chains look at in a state, and how much."""

    look_at: PointerProperty(
        name="Look At",
        description=(
            "Target that chains look at in this state, those that have it among their targets; none: as in"
            " the scene"
        ),
        type=Object,
        poll=lambda _role, candidate: choices.is_target(candidate),
    )
    look_at_bone: StringProperty(
        name="Bone",
        description="Bone to look at, of those that chains have among their targets; none: the first of them",
        search=choices.target_bones,
    )
    sets_influence: BoolProperty(
        name="Set Influence", description="Use this influence in the state, in place of the chains' own"
    )
    influence: FactorProperty(
        name="Influence",
        description="Influence of the gaze in this state: 0 none, 1 exact",
        default=1.0,
    )
    sets_share: BoolProperty(
        name="Set Share", description="Use this share in the state, in place of the chains' own"
    )
    share: FactorProperty(
        name="Share",
        description="How far chains rotate from their posture to the target in this state",
        default=1.0,
    )
    life: FactorProperty(
        name="Life", description="Factor of the chains' idle motion in this state", default=1.0
    )
    blinks: FloatProperty(
        name="Blinks",
        description="Factor of the number of blinks in this state, where eyes are on; 0: none",
        default=1.0,
        min=0.0,
        max=10.0,
    )
    aversion: FactorProperty(
        name="Looks Away", description="Factor of looks away in this state; 0: none", default=1.0
    )
    lids: FactorProperty(
        name="Lids", description="How far lids are closed in this state: 0 open, 1 closed", default=0.0
    )


class LimberChainChoice:
    """Mixin: a chain of any armature of the file, chosen from a list."""

    owner: PointerProperty(name="Armature", description="Armature of the chain", type=Object)
    uid: StringProperty(name="Identity", description="Identity of the chain", options={"HIDDEN"})
    chain: EnumProperty(
        name="Chain",
        description="The chain that this is for",
        items=choices.chain_items,
        get=choices.chosen_chain,
        set=choices.choose_chain,
        options={"SKIP_SAVE"},
    )


class LimberChainRole(LimberRole, LimberChainChoice, PropertyGroup):
    """What one chain does in a state, instead of what all do."""


class LimberStatePosture(PropertyGroup):
    """A posture of a state with its weight."""

    action: PointerProperty(
        name="Pose",
        description="Stored posture that is kept in this state, by the chains that have it",
        type=Action,
        poll=lambda _posture, candidate: choices.is_posture(candidate),
    )
    weight: FactorProperty(
        name="Weight",
        description="Weight of the posture; where those of a chain sum to less than 1, the rest is its clip",
        default=1.0,
    )


class LimberState(LimberRole, PropertyGroup):
    """A state of a behaviour. `name` is unique in it."""

    name: StringProperty(
        name="Name", description="Name of the state, unique in the behaviour", update=choices.follow_name
    )
    known_as: StringProperty(
        name="Known As", description="Name by which transitions know the state", options={"HIDDEN"}
    )
    seconds: SecondsProperty(
        name="Transition", description="Duration of the transition into this state", default=0.5
    )
    speaks: BoolProperty(
        name="Speaks", description="The character speaks in this state: eyes blink when it ends"
    )
    postures: CollectionProperty(
        name="Postures",
        description="Stored postures that are kept in this state; none: the clip, as animated",
        type=LimberStatePosture,
    )
    active_posture: IntProperty(name="Posture", description="Selected posture")
    clip: PointerProperty(
        name="Clip",
        description="Action that is played while the state lasts, by the chains whose bones it moves",
        type=Action,
    )
    loops: BoolProperty(
        name="Loop",
        description="Begin the clip again at its end; else it stays in its last frame",
        default=True,
    )
    chains: CollectionProperty(
        name="Chains", description="Chains that do something else in this state", type=LimberChainRole
    )
    active_chain: IntProperty(name="Chain", description="Selected chain")


class LimberStateTransition(PropertyGroup):
    """What leads from a state to another."""

    begins_anywhere: BoolProperty(
        name="From Any State", description="Leads from every other state", default=False
    )
    begin: StringProperty(name="From", description="State that it leads from")
    end: StringProperty(name="To", description="State that it leads to")
    cause: EnumProperty(name="When", description="Event or condition that makes it happen", items=CAUSES)
    event: StringProperty(
        name="Event",
        description="Name of the event: choose one, or type a new one",
        search=choices.events,
        search_options={"SUGGESTION"},
    )
    seconds: SecondsProperty(name="Time", description="Time for which that must last", default=1.0)
    longest: SecondsProperty(
        name="Longest", description="Longest time in the state; at random between the two", default=5.0
    )
    distance: FloatProperty(
        name="Distance",
        description="Distance of the nearest person",
        default=1.0,
        min=0.0,
        subtype="DISTANCE",
    )


class LimberMaskedJoint(PropertyGroup):
    """A joint that a gesture leaves alone."""

    name: StringProperty(name="Name", description="Label of the joint")


class LimberGesture(LimberChainChoice, PropertyGroup):
    """A clip that is played once over the state when an event comes."""

    name: StringProperty(
        name="Name",
        description="Name of the gesture, unique in the behaviour",
        default="Gesture",
        update=choices.name_gesture,
    )
    event: StringProperty(
        name="Event",
        description="Name of the event that begins it: choose one, or type a new one",
        search=choices.events,
        search_options={"SUGGESTION"},
    )
    action: PointerProperty(
        name="Action", description="Animation of the chain's bones that is played once", type=Action
    )
    mode: EnumProperty(
        name="Mode",
        description="How it goes with the posture beneath",
        items=[
            ("ADD", "Add", "Add what moves since the action's first frame to the posture beneath"),
            ("REPLACE", "Replace", "Replace the posture beneath"),
        ],
    )
    fade: SecondsProperty(
        name="Fade", description="Time in which it fades in, and fades out again", default=0.2
    )
    left_alone: CollectionProperty(
        name="Left Alone", description="Joints that the gesture leaves alone", type=LimberMaskedJoint
    )


class LimberBehaviour(PropertyGroup):
    """What the scene's characters do by themselves; it begins in its first state."""

    states: CollectionProperty(
        name="States", description="States of the character; it begins in the first", type=LimberState
    )
    active_state: IntProperty(name="State", description="Selected state")
    transitions: CollectionProperty(
        name="Transitions",
        description="Transitions to other states; the first whose condition is met is taken",
        type=LimberStateTransition,
    )
    active_transition: IntProperty(name="Transition", description="Selected transition")
    gestures: CollectionProperty(
        name="Gestures", description="Clips that are played once over a state", type=LimberGesture
    )
    active_gesture: IntProperty(name="Gesture", description="Selected gesture")
    seed: IntProperty(
        name="Seed", description="Seed of all random draws: the same seed draws alike", default=0, min=0
    )
    rehearse: BoolProperty(
        name="Rehearse",
        description="Live chains do what the behaviour says",
        options={"HIDDEN"},
    )
    person: EnumProperty(
        name="Person",
        description="While rehearsing: what a tracker would say where the character plays",
        items=[
            (
                "UNKNOWN",
                "Tracker",
                "What trackers say by OSC; without one nobody is seen, and nobody is lost",
            ),
            ("SEEN", "Seen", "A person is seen"),
            ("LOST", "Gone", "Nobody is seen"),
        ],
    )
    person_distance: FloatProperty(
        name="Distance",
        description="While rehearsing: distance of the person",
        default=1.5,
        min=0.0,
        subtype="DISTANCE",
    )


PROPERTIES = {
    (Scene, "limber_behaviour"): bpy.props.PointerProperty(
        name="Behaviour", description="What the scene's characters do by themselves", type=LimberBehaviour
    ),
}
