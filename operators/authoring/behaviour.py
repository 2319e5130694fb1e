"""Operators on the scene's behaviour: built-in sets, its lists, the joints of a gesture, and Check."""

from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...character.behaviour.ready import READY
from ...rig.behaviour import authored, ready_sets
from ...rig.blender import item_keys
from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.blender.selection import selected, selected_index
from ...rig.live import rehearsal
from ..operator import Operator, UndoOperator
from ..subject import chain_of, needs_rig, rig_of

READY_SETS = {  # key in `READY` -> (name, text of the button, tooltip: the states)
    "ATTENTIVE": (
        "Attentive",
        "Add Attentive",
        "Asleep, waking, idle, noticing, attending, listening, speaking, thinking, searching, dozing",
    ),
    "CALM": ("Calm", "Add Calm", "Idle, attending, searching, asleep, with fewer reasons to move"),
}
LISTS = {  # property with the list -> (label of an item, property with the selected item's index)
    "states": ("State", "active_state"),
    "transitions": ("Transition", "active_transition"),
    "gestures": ("Gesture", "active_gesture"),
    "postures": ("Posture", "active_posture"),
    "chains": ("Chain", "active_chain"),
}
OF_STATE = ("postures", "chains")  # lists of a state; the others are lists of the behaviour
which = EnumProperty(
    name="List",
    description="List to change: a list of the behaviour, or of its selected state",
    items=[
        (key, f"{label}s", f"{label}s of the {'selected state' if key in OF_STATE else 'behaviour'}")
        for key, (label, _) in LISTS.items()
    ],
)


def selected_state(scene):
    """The selected state of the scene's behaviour, or None if it has no state."""
    return selected(scene.limber_behaviour.states, scene.limber_behaviour.active_state)


def owner_of(scene, items: str):
    """Property group that has the list `items`: the behaviour, or its selected state; None if the list is one
    of a state, and the behaviour has no states.
    """
    return selected_state(scene) if items in OF_STATE else scene.limber_behaviour


class LIMBER_OT_add_ready_set(UndoOperator):
    """Add the states and transitions of a built-in set to the behaviour. Each state keeps the stored posture
    that has its name, if the characters have one
    """

    bl_label = "Add Ready Set"

    name: EnumProperty(
        name="Set",
        description="Built-in set of states and transitions",
        items=[(key, READY_SETS[key][0], READY_SETS[key][2]) for key in READY],
    )

    why_not = needs_rig

    @classmethod
    def description(cls, context, properties) -> str:
        return (
            f"{READY_SETS[properties.name][2]}. Each state keeps the stored posture that has its name, if"
            " there is one"
        )

    def run(self, context):
        states, transitions = ready_sets.add(context.scene.limber_behaviour, self.name)
        label = READY_SETS[self.name][0]
        self.report(
            {"INFO"},
            f"{label}: {counted(states, 'state')} and {counted(transitions, 'transition')} were added",
        )


class _OnList(UndoOperator):
    """Base of operators on a list of the behaviour."""

    items: which

    needs_item = True

    def _list(self, context) -> tuple:
        """(property group that has the list, the list, name of its property with the selected index).

        Raises:
            RigError: it is a list of a state, and there is no state; or it is empty although an item is
                needed.
        """
        owner = owner_of(context.scene, self.items)
        if owner is None:
            raise RigError("The behaviour has no state: press + beside States first")
        if self.needs_item and not getattr(owner, self.items):
            raise RigError("The list is empty: press + beside it first")
        return owner, getattr(owner, self.items), LISTS[self.items][1]

    def _follow(self, owner, new_indices: dict[int, int | None]) -> None:
        """Updates keyframes and drivers on items of the list to the items' new indices; those of an item
        whose new index is None are removed.
        """
        item_keys.follow(owner.id_data, f"{owner.path_from_id()}.{self.items}", new_indices)


class LIMBER_OT_add_to_behaviour(_OnList):
    """Add an item to this list"""

    bl_label = "Add"

    needs_item = False

    def run(self, context):
        owner, items, active = self._list(context)
        item = items.add()
        setattr(owner, active, len(items) - 1)
        if self.items == "states":
            item.name = "State"
        elif self.items == "transitions":
            _between_states(context.scene, item)
        elif self.items == "gestures":
            item.name = "Gesture"
            item.event = item.name.casefold()
        if self.items in ("gestures", "chains"):
            _choose_active_chain(context, item)


def _between_states(scene, transition) -> None:
    """Sets a new transition to lead from the selected state to the next one, or from the last to the first,
    triggered by an event with that state's name in lower case. Without states it does nothing.
    """
    states = scene.limber_behaviour.states
    if states:
        index = selected_index(states, scene.limber_behaviour.active_state)
        transition.begin = states[index].name
        transition.end = states[(index + 1) % len(states)].name
        transition.event = transition.end.casefold()


def _choose_active_chain(context, item) -> None:
    """Sets the selected chain, if there is one, as the chain of a new gesture or chain item."""
    rig = rig_of(context)
    chain = chain_of(context) if rig is not None and rig.type == "ARMATURE" else None
    if chain is not None:
        item.owner, item.uid = rig, chain.uid


class LIMBER_OT_remove_from_behaviour(_OnList):
    """Remove the selected item of this list"""

    bl_label = "Remove"

    def run(self, context):
        owner, items, active = self._list(context)
        removed, count = selected_index(items, getattr(owner, active)), len(items)
        items.remove(removed)
        self._follow(owner, {k: None if k == removed else k - (k > removed) for k in range(count)})
        setattr(owner, active, selected_index(items, removed))
        if not context.scene.limber_behaviour.states:
            # a state that is added later must not direct the chains before the user rehearses again
            rehearsal.end(context.scene)


class LIMBER_OT_move_in_behaviour(_OnList):
    """Move the selected item in this list. The behaviour begins in the first state. The first transition
    whose condition is met is taken, with those From Any State last
    """

    bl_label = "Move"

    is_up: BoolProperty(name="Up", description="Move the item up; off: down")

    def run(self, context):
        owner, items, active = self._list(context)
        index = selected_index(items, getattr(owner, active))
        new = selected_index(items, index + (-1 if self.is_up else 1))
        if new != index:
            items.move(index, new)
            self._follow(owner, {index: new, new: index})
            setattr(owner, active, new)


class LIMBER_OT_mask_joint(UndoOperator):
    """Let the selected gesture move this joint, or leave the joint to the posture"""

    bl_label = "Gesture's Joint"

    joint: StringProperty(
        name="Joint",
        description="Joint to give to the gesture or to leave to the posture, by its label in the list",
    )

    @classmethod
    def why_not(cls, context) -> str:
        return (
            "" if context.scene.limber_behaviour.gestures else "There is no gesture: press + beside Gestures"
        )

    def run(self, context):
        behaviour = context.scene.limber_behaviour
        left_alone = selected(behaviour.gestures, behaviour.active_gesture).left_alone
        if (index := left_alone.find(self.joint)) >= 0:
            left_alone.remove(index)
        else:
            left_alone.add().name = self.joint


class LIMBER_OT_check_behaviour(Operator):
    """List what is wrong with the behaviour and how to fix it"""

    bl_label = "Check Behaviour"

    @classmethod
    def why_not(cls, context) -> str:
        return (
            ""
            if context.scene.limber_behaviour.states
            else "The behaviour has no state: press Add Attentive, or + beside States"
        )

    def run(self, context):
        sentences = [finding.sentence for finding in authored.findings(context.scene)]
        if not sentences:
            self.report({"INFO"}, "The behaviour is in order")
            return
        self.warn(sentences)
        self.show(context, "Behaviour", sentences, "ERROR")
