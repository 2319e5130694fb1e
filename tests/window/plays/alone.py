"""Shows each button of the Limber tab alone, at a known position: a separate panel draws a panel of the tab,
but only one of its buttons.

A button's kind, action and owner are those of the tab's own panel, list or menu, but not its position and
size. So a play finds all buttons of all panels, including future ones, without searching pixels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import bpy
import tabs
from views import narrow

TAB = "Alone"
ACROSS, BELOW = (
    0.75,
    22,
)  # position of the button: share of the sidebar's width, and pixels below its top at a scale of 1
VIEW = 320  # [pixels] width of the 3D view: the sidebar's, and a little more
# Whether a play uses the mouse on everything: only a Blender 4 can lose an item or a click of one button and
# not of the others. In later ones it is used once in each panel.
EVERYTHING = bpy.app.version < (5, 0)
PASSED_ON = (
    "enabled",
    "active",
    "alert",
    "use_property_split",
    "use_property_decorate",
    "operator_context",
    "emboss",
)


@dataclass
class Button:
    """A button of the tab.

    Attributes:
        panel: Class of the button's panel.
        kind: "operator", "prop", "prop_search", "operator_menu_enum" or "template_icon_view".
        what: Name of the operator or property.
        owner: Owner of the property.
        values: Values of the operator's properties.
        options: Options of its layout function.
        is_enabled: Whether its layout takes clicks.
        index: Index among the panel's buttons.
    """

    panel: type
    kind: str
    what: str
    owner: object = None
    values: SimpleNamespace = field(default_factory=SimpleNamespace)
    options: dict = field(default_factory=dict)
    is_enabled: bool = True
    index: int = 0

    @property
    def key(self) -> tuple:
        """Identity of a button: the same operator with the same properties is one button, wherever it is
        drawn.
        """
        if self.owner is None:
            return (
                self.kind,
                self.what,
                tuple(sorted((name, str(value)) for name, value in vars(self.values).items())),
            )
        return self.kind, self.path

    @property
    def path(self) -> str:
        """Path of its property: the owner's type, and its name."""
        return f"{type(self.owner).__name__}.{self.what}"

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self.values).items())
        return f"{self.panel.__name__}: {self.path if self.owner is not None else f'{self.what}({values})'}"


class Layout:
    """A layout that records its buttons and draws only the desired one; all are in one column."""

    def __init__(
        self, panel: type, buttons: list[Button], wanted: int | None, real=None, is_enabled: bool = True
    ) -> None:
        vars(self).update(_panel=panel, _buttons=buttons, _wanted=wanted, _real=real, enabled=is_enabled)

    def __setattr__(self, name: str, value) -> None:
        if name in PASSED_ON and self._real is not None:
            setattr(self._real, name, value)
        vars(self)[name] = value

    def __getattr__(self, name: str):
        return getattr(self._real, name)

    def _inner(self, *_arguments, **_options) -> "Layout":
        real = self._real.column(align=True) if self._real is not None else None
        return Layout(self._panel, self._buttons, self._wanted, real, self.enabled)

    row = column = box = split = grid_flow = _inner

    def _nothing(self, *_arguments, **_options) -> None:
        pass

    label = separator = progress = _nothing

    def context_pointer_set(self, name: str, data) -> None:
        if self._real is not None:
            self._real.context_pointer_set(name, data)

    def _note(self, kind: str, what: str, owner, arguments: tuple, options: dict):
        button = Button(
            self._panel,
            kind,
            what,
            owner,
            options=options,
            is_enabled=bool(self.enabled),
            index=len(self._buttons),
        )
        self._buttons.append(button)
        if self._real is not None and button.index == self._wanted:
            return getattr(self._real, kind)(*arguments, **options)
        return button.values

    def operator(self, what: str, **options):
        return self._note("operator", what, None, (what,), options)

    def operator_menu_enum(self, what: str, choice: str, **options):
        return self._note("operator_menu_enum", what, None, (what, choice), options)

    def prop(self, owner, what: str, **options) -> None:
        self._note("prop", what, owner, (owner, what), options)

    def prop_search(self, owner, what: str, *where, **options) -> None:
        self._note("prop_search", what, owner, (owner, what, *where), options)

    def template_icon_view(self, owner, what: str, **options) -> None:
        self._note("template_icon_view", what, owner, (owner, what), options)

    def template_list(self, name: str, _id: str, owner, items: str, *_arguments, **_options) -> None:
        """Records the buttons in the list's first row."""
        for item in list(getattr(owner, items))[:1]:
            cls = getattr(bpy.types, name)
            cls.draw_row(SimpleNamespace(layout_type="DEFAULT"), bpy.context, self._inner(), owner, item, 0)

    def menu(self, name: str, **_options) -> None:
        """Records the buttons in the menu or popover."""
        draw(getattr(bpy.types, name), self._inner())

    popover = menu


class Drawn:
    """Stand-in for `self` in the `draw` of a panel or menu."""

    def __init__(self, cls: type, layout: Layout) -> None:
        self._cls, self.layout = cls, layout

    def __getattr__(self, name: str):
        value = getattr(self._cls, name)
        return (
            value.__get__(self)
            if callable(value) and hasattr(value, "__get__") and not hasattr(value, "__self__")
            else value
        )


def draw(cls: type, layout: Layout) -> None:
    cls.draw(Drawn(cls, layout), bpy.context)


class Alone:
    """The panel with one button."""

    def __init__(self, stage) -> None:
        self.stage, self._shown = stage, None
        stage.area().spaces.active.show_region_ui = True
        # a wide view takes twice as long as the sidebar and the window together
        narrow(stage, VIEW)
        owner = self

        def draw_one(panel, _context) -> None:
            if owner._shown is not None and owner._is_there(owner._shown[0]):
                cls, index = owner._shown
                draw(cls, Layout(cls, [], index, panel.layout.column(align=True)))

        where = {
            "bl_space_type": "VIEW_3D",
            "bl_region_type": "UI",
            "bl_category": TAB,
            "bl_label": TAB,
            "bl_options": {"HIDE_HEADER"},
        }
        cls = type("LIMBER_PT_one_alone", (bpy.types.Panel,), {**where, "draw": draw_one})
        bpy.utils.register_class(cls)
        stage.at_end.callback(bpy.utils.unregister_class, cls)

    def _is_there(self, cls: type) -> bool:
        parent = getattr(cls, "bl_parent_id", "")
        has_poll = getattr(cls, "poll", None)
        return (has_poll is None or cls.poll(bpy.context)) and (
            not parent or self._is_there(getattr(bpy.types, parent))
        )

    def buttons(self) -> list[Button]:
        """All buttons of the tab in its current state."""
        found: list[Button] = []
        with self.stage.context(region="UI"):
            for cls in tabs.panels(self.stage):
                if getattr(cls, "bl_region_type", "") == "UI" and self._is_there(cls):
                    own: list[Button] = []
                    draw(cls, Layout(cls, own, None))
                    found += own
        return found

    def show(self, button: Button) -> Iterator[float]:
        """Draws only that button."""
        self._shown = button.panel, button.index
        region = self.stage.region("UI")
        if region.active_panel_category == TAB:
            region.tag_redraw()
        else:
            self.stage.open_tab(TAB)
        yield None

    @property
    def place(self) -> tuple[int, int]:
        region, scale = self.stage.region("UI"), bpy.context.preferences.system.ui_scale
        return int(region.x + ACROSS * region.width), int(region.y + region.height - BELOW * scale)
