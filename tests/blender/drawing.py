"""Draws a panel without a window: its buttons, lines, settings and lists are recorded by a stand-in for the
layout.
"""

from types import SimpleNamespace
from unittest.mock import patch

import bpy
from limber.panels import tab


class Layout:
    """Layout that records buttons, pressed ones among them, lines, settings (owner, name), greyed-out ones
    among them, and lists (owner, name).

    Rows and columns in it add to the same records.
    """

    def __init__(self, notes: "Layout | None" = None) -> None:
        self.operators: list[str] = notes.operators if notes else []
        self.pressed: list[str] = notes.pressed if notes else []  # buttons that are drawn pressed
        self.labels: list[str] = notes.labels if notes else []
        self.messages: list[SimpleNamespace] = notes.messages if notes else []
        self.settings: list[tuple] = notes.settings if notes else []
        self.greyed: list[tuple] = notes.greyed if notes else []
        self.enabled: bool = notes.enabled if notes else True
        self.lists: list[tuple] = notes.lists if notes else []
        self.order: list[str] = notes.order if notes else []  # buttons and lines from top to bottom

    def operator(self, verb: str, *, depress: bool = False, **_options):
        self.operators.append(verb)
        if depress:
            self.pressed.append(verb)
        self.order.append(verb)
        button = SimpleNamespace()
        if verb == "limber.show_message":  # the last line of a message that continues
            self.operators.pop()
            self.messages.append(button)
        return button

    @property
    def said(self) -> str:
        """All lines, and messages of which the panel shows the beginning."""
        return " ".join([*self.labels, *(message.text for message in self.messages)])

    def context_pointer_set(self, _name: str, _data) -> None:
        """Names the data on which buttons act; it is not recorded."""

    def label(self, text: str = "", **_options) -> None:
        self.labels.append(text)
        self.order.append(text)

    def prop(self, whose, name: str, **_options) -> None:
        self.settings.append((whose, name))
        if not self.enabled:
            self.greyed.append((whose, name))

    def prop_search(self, whose, name: str, _owner, _items: str, **options) -> None:
        self.prop(whose, name, **options)

    def template_list(self, _class: str, _id: str, whose, name: str, *_arguments, **_options) -> None:
        self.lists.append((whose, name))

    def _within(self, *_arguments, **_options) -> "Layout":
        return Layout(self)

    row = column = box = split = grid_flow = _within

    def _nothing(self, *_arguments, **_options) -> None:
        pass

    separator = template_icon_view = menu = progress = operator_menu_enum = _nothing


def drawn(panel) -> Layout:
    """Records of a panel that is drawn now, in a sidebar of usual width."""
    layout = Layout()
    its_own = {
        name: value for name, value in vars(panel).items() if not name.startswith("_") and not callable(value)
    }
    shown = SimpleNamespace(
        region=SimpleNamespace(width=400), preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))
    )
    with patch.object(tab, "bpy", SimpleNamespace(context=shown)):
        panel.draw(SimpleNamespace(layout=layout, **its_own), bpy.context)
    return layout
