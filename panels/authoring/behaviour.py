"""Panel Behaviour: what the scene's characters do by themselves, and its rehearsal."""

from ...operators.authoring.behaviour import LISTS, READY_SETS, selected_state
from ...rig.behaviour.choices import chain_of, event_names
from ...rig.blender.selection import selected
from ...rig.live import rehearsal
from ..tab import List, RigTab, message, props, sentence

LINES = 5  # number of lines for the newest decisions; the same number for a problem with speech
COLUMNS = 2  # number of columns of the buttons for events and states


class LIMBER_UL_states(List):
    """States of the behaviour, which begins in the first one. Double-click to rename"""

    def draw_row(self, context, layout, owner, item, index):
        is_current = rehearsal.state(item.id_data) == item.name
        layout.prop(item, "name", text="", emboss=False, icon="RADIOBUT_ON" if is_current else "RADIOBUT_OFF")


class LIMBER_UL_transitions(List):
    """Transitions of the behaviour. The first whose condition is met is taken; those From Any State come
    last
    """

    def draw_row(self, context, layout, owner, item, index):
        begin = "Any" if item.begins_anywhere else item.begin
        row = layout.split(factor=0.6, align=True)
        row.label(text=f"{begin} \N{RIGHTWARDS ARROW} {item.end}", translate=False)
        row.label(text=item.event if item.cause == "event" else _cause(item), translate=False)


class LIMBER_UL_gestures(List):
    """Gestures of the behaviour, with their events. Double-click to rename"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.split(factor=0.6, align=True)
        row.prop(item, "name", text="", emboss=False, icon="ANIM")
        row.label(text=item.event, translate=False)


class LIMBER_UL_state_postures(List):
    """Stored postures that are kept in the state, with their weights"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        row.label(text="", icon="POSE_HLT")  # a cell without a text field, where a click selects the row
        row = row.split(factor=0.6, align=True)
        row.prop(item, "action", text="")
        row.prop(item, "weight", text="", slider=True)


class LIMBER_UL_state_chains(List):
    """Chains that have settings of their own in the selected state"""

    def draw_row(self, context, layout, owner, item, index):
        pair = chain_of(item)
        row = layout.split(factor=0.6, align=True)
        row.label(
            text=pair[1].name if pair is not None else "None",
            icon="CON_ROTLIMIT" if pair is not None else "ERROR",
            translate=False,
        )
        row.label(text=pair[0].name if pair is not None else "", translate=False)


def _cause(transition) -> str:
    """Name of a transition's cause for the user."""
    return transition.bl_rna.properties["cause"].enum_items[transition.cause].name


def _listed(layout, list_name: str, owner, items: str, rows: int = 3):
    """Draws a list of the behaviour with buttons to add, remove and move items; returns the selected item, or
    None.
    """
    active = LISTS[items][1]
    row = layout.row()
    row.template_list(list_name, items, owner, items, owner, active, rows=rows)
    column = row.column(align=True)
    column.operator("limber.add_to_behaviour", text="", icon="ADD").items = items
    column.operator("limber.remove_from_behaviour", text="", icon="REMOVE").items = items
    column.separator()
    for icon, is_up in (("TRIA_UP", True), ("TRIA_DOWN", False)):
        button = column.operator("limber.move_in_behaviour", text="", icon=icon)
        button.items, button.is_up = items, is_up
    return selected(getattr(owner, items), getattr(owner, active))


class LIMBER_PT_behaviour(RigTab):
    """What the scene's characters do by themselves: states, the transitions between them, and gestures"""

    bl_label = "Behaviour"
    bl_parent_id = "LIMBER_PT_motion"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 4

    def draw(self, context):
        layout = self.layout
        scene = context.scene
        behaviour = scene.limber_behaviour
        row = layout.row(align=True)
        for name, (_, text, _) in READY_SETS.items():
            row.operator("limber.add_ready_set", text=text, icon="PRESET_NEW").name = name
        layout.operator("limber.check_behaviour", text="Check", icon="CHECKMARK")
        if not behaviour.states:
            sentence(layout, "What the character does by itself, here and without Blender", "INFO")
            return
        is_on = rehearsal.is_on(scene)
        row = layout.row()
        row.scale_y = 1.4
        if is_on:
            row.operator("limber.end_rehearsal", icon="PAUSE", depress=True)
        else:
            row.operator("limber.rehearse", icon="PLAY")
        _draw_buttons(layout, "limber.enter_state", [state.name for state in behaviour.states], scene)
        _draw_buttons(layout, "limber.send_event", event_names(behaviour), scene)
        column = layout.column(align=True)
        column.active = is_on
        column.row(align=True).prop(behaviour, "person", expand=True)
        row = column.row(align=True)
        row.active = behaviour.person == "SEEN"
        row.prop(behaviour, "person_distance")
        lines = rehearsal.lines(scene)[-LINES:]
        message(layout, [(line, "DOT") for line in lines] or [("Nothing was decided yet", "DOT")], LINES)
        if problem := rehearsal.speech_problem(scene):
            message(layout, [(problem, "ERROR")], LINES)


def _draw_buttons(layout, operator: str, names: list[str], scene) -> None:
    """Draws a button for each name; the button calls the operator with that name. The button of the current
    state is drawn pressed.
    """
    if not names:
        return
    layout.label(text="States" if operator == "limber.enter_state" else "Events", translate=False)
    grid = layout.grid_flow(row_major=True, columns=COLUMNS, even_columns=True, align=True)
    present = rehearsal.state(scene) if operator == "limber.enter_state" else ""
    for name in names:
        grid.operator(operator, text=name, depress=name == present).name = name


class BehaviourPart(RigTab):
    """Base of the panels below Behaviour."""

    bl_parent_id = "LIMBER_PT_behaviour"
    bl_options = {"DEFAULT_CLOSED"}


class LIMBER_PT_behaviour_states(BehaviourPart):
    """States of the behaviour: the postures and clips of the chains, and what they look at"""

    bl_label = "States"
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        _listed(layout, "LIMBER_UL_states", context.scene.limber_behaviour, "states", rows=4)
        state = selected_state(context.scene)
        if state is None:
            return
        column = layout.column()
        column.use_property_split = True
        props(column, state, "seconds", "speaks")
        layout.label(text="Postures", translate=False)
        if _listed(layout, "LIMBER_UL_state_postures", state, "postures", rows=2) is None:
            sentence(layout, "None: the chains move as animated, or as the clip", "INFO")
        row = layout.row(align=True)
        row.prop(state, "clip")
        value = row.row()
        value.active = state.clip is not None
        value.prop(state, "loops")
        _draw_role(layout, state)
        layout.label(text="Single Chains", translate=False)
        if (role := _listed(layout, "LIMBER_UL_state_chains", state, "chains", rows=2)) is not None:
            layout.prop(role, "chain")
            _draw_role(layout, role)


def _draw_role(layout, role) -> None:
    """Draws the settings in `role`, which chains have in a state: target, influence, share, life and eyes."""
    column = layout.column()
    column.use_property_split = True
    column.prop(role, "look_at")
    if role.look_at is not None and role.look_at.type == "ARMATURE":
        column.prop(role, "look_at_bone")
    for name in ("influence", "share"):
        row = column.row(heading=name.title(), translate=False, align=True)
        row.prop(role, f"sets_{name}", text="")
        value = row.row(align=True)
        value.active = getattr(role, f"sets_{name}")
        value.prop(role, name, text="", slider=True)
    column.prop(role, "life", slider=True)
    props(column, role, "blinks", "aversion", "lids")


class LIMBER_PT_behaviour_transitions(BehaviourPart):
    """Conditions under which one state changes to another"""

    bl_label = "Transitions"
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        behaviour = context.scene.limber_behaviour
        transition = _listed(layout, "LIMBER_UL_transitions", behaviour, "transitions", rows=4)
        if transition is None:
            return
        layout.use_property_split = True
        column = layout.column()
        column.prop(transition, "begins_anywhere")
        row = column.row()
        row.active = not transition.begins_anywhere
        row.prop_search(transition, "begin", behaviour, "states")
        column.prop_search(transition, "end", behaviour, "states")
        column.prop(transition, "cause")
        if transition.cause == "event":
            column.prop(transition, "event")
        elif transition.cause in ("nearer", "farther"):
            column.prop(transition, "distance")
        elif transition.cause != "ended":
            column.prop(transition, "seconds")
        if transition.cause == "random":
            column.prop(transition, "longest")
            column.prop(behaviour, "seed")


class LIMBER_PT_behaviour_gestures(BehaviourPart):
    """Animation clips that play once on top of the current state"""

    bl_label = "Gestures"
    bl_order = 2

    def draw(self, context):
        layout = self.layout
        gesture = _listed(layout, "LIMBER_UL_gestures", context.scene.limber_behaviour, "gestures")
        if gesture is None:
            sentence(layout, "Nods, shakes, sneezes: a short action that is played once", "INFO")
            return
        layout.use_property_split = True
        props(layout, gesture, "chain", "action", "event", "mode", "fade")
        if (pair := chain_of(gesture)) is None:
            return
        layout.use_property_split = False
        layout.label(text="Joints", translate=False)
        grid = layout.grid_flow(row_major=True, columns=COLUMNS, even_columns=True, align=True)
        for joint in pair[1].joints:
            button = grid.operator(
                "limber.mask_joint", text=joint.label, depress=joint.label not in gesture.left_alone
            )
            button.joint = joint.label
