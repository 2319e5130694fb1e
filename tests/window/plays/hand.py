"""A user's hand on the mouse: it finds buttons by their actions, wherever they are drawn, and counts its
clicks.
"""

import time
from collections.abc import Generator, Iterable

import bpy

STEP = 8  # [pixels] distance of two tries: a third of a row
ACROSS = 0.45  # share of the sidebar's width: on the panels' wide buttons
PATIENCE = 90.0  # [s] longest waiting time for a button; on an idle machine it appears at once

Place = tuple[int, int]
Steps = Generator[float | None, None, Place]


class Hand:
    """The hand of a stage's user.

    Attributes:
        clicks: Number of clicks and pressed keys so far.
    """

    def __init__(self, stage) -> None:
        self.stage, self.clicks = stage, 0
        self._last: Place | None = None  # position of its last click

    def sidebar(self, across: float = ACROSS) -> list[Place]:
        """Positions down the sidebar of the 3D view, from the last click and then from the top; an open menu
        closes above it.
        """
        region = self.stage.region("UI")
        x, top = int(region.x + across * region.width), region.y + region.height - 1
        last = self._last[1] if self._last else top
        return [(x, y) for y in (*range(last, region.y, -STEP), *range(top, last, -STEP))]

    def find(self, what: str, places: Iterable[Place] | None = None) -> Steps:
        """The first of the positions (of the sidebar) with a button whose operator, in its Python call, or
        whose property contains `what`.

        Repeats the search until there is one.
        """
        give_up = time.monotonic() + PATIENCE
        while True:
            for place in self.sidebar() if places is None else places:
                if what in (yield from self.under(place)):
                    return place
            if time.monotonic() > give_up:
                raise TimeoutError(f"there is no button for {what!r}")

    def click_on(self, what: str, places: Iterable[Place] | None = None) -> Steps:
        """Finds a button and clicks on it."""
        self._last = yield from self.find(what, places)
        yield from self.click(self._last)
        return self._last

    def click(self, place: Place) -> Generator[float | None, None, None]:
        self.stage.click(place)
        self.clicks += 1
        yield 0.0
        self.stage.redraw()
        yield 0.0

    def key(self, key: str, **modifiers: bool) -> Generator[float, None, None]:
        """Presses a key over the 3D view."""
        self.stage.press(key, self.stage.point(0.4, 0.5), **modifiers)
        self.clicks += 1
        yield 0.0

    def under(self, place: Place) -> Generator[float | None, None, str]:
        """Text that Ctrl C copies there: an operator's call or a property's value; for a property in the
        sidebar its path. Empty: no button.
        """
        manager = bpy.context.window_manager
        manager.clipboard = ""
        self.stage.press("C", place, ctrl=True)
        yield None
        with self.stage.context(region="UI"):
            if bpy.ops.ui.copy_data_path_button.poll():
                bpy.ops.ui.copy_data_path_button(full_path=True)
        return manager.clipboard
