"""Drawing of a motion character (filter and limits), shared by chains and mechanisms."""

from ...rig.authoring import characters


class CharacterMenu:
    """Menu of motion characters: built-in ones and the user's own. Subclasses set the three operators."""

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


def draw_character(layout, settings, menu: str) -> None:
    """Draws the settings of a `LimberCharacter` below its menu; `menu` is the menu's identifier."""
    layout.menu(menu, text=f"Character: {characters.name_of(settings) or 'own'}", icon="PRESET")
    layout.use_property_split = True
    layout.prop(settings, "filter")
    layout.prop(settings, "sigma", slider=True)
    layout.prop(settings, "rho", text="Responsive", slider=True)
    column = layout.column(align=True)
    for name in ("velocity_share", "acceleration_share", "jerk_share"):
        column.prop(settings, name, slider=True)
