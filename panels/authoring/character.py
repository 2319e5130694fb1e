"""What panels show of a character of motion, whoever has it."""

from ...rig.authoring import characters


class CharacterMenu:
    """A menu of characters, built in and the user's own. Subclasses name the operators."""

    bl_label = "Characters"

    use = load = save = ""

    def draw(self, context):
        layout = self.layout
        for name in characters.BUILT_IN:
            layout.operator(self.use, text=name).name = name
        own = characters.own()
        if own:
            layout.separator()
        for name in own:
            layout.operator(self.use, text=name, icon="USER").name = name
        layout.separator()
        layout.operator(self.load, text="Load Character", icon="FILEBROWSER")
        layout.operator(self.save, text="Save Character", icon="FILE_TICK")


def draw_character(layout, kept, menu: str) -> None:
    """The settings of a `LimberCharacter`, below the menu by this identifier."""
    layout.menu(menu, text=f"Character: {characters.name_of(kept) or 'own'}", icon="PRESET")
    layout.use_property_split = True
    layout.prop(kept, "filter")
    layout.prop(kept, "sigma", slider=True)
    layout.prop(kept, "rho", text="Responsive", slider=True)
    column = layout.column(align=True)
    for name in ("velocity_share", "acceleration_share", "jerk_share"):
        column.prop(kept, name, slider=True)
