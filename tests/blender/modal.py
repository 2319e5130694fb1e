"""Runs a modal operator's own code, with events as a window sends them, since a Blender without a window
sends none.
"""

import inspect
from types import SimpleNamespace

import bpy


class _Properties:
    """Stand-in for an operator's `properties`, which knows which of them were given."""

    def __init__(self, given) -> None:
        self._given = given

    def is_property_set(self, name: str) -> bool:
        return name in self._given


class Window:
    """Runs an operator's methods, and keeps its reports.

    Args:
        operator: The operator's class, a `Stepwise`.
        properties: The operator's properties, by name.
    """

    def __init__(self, operator, **properties) -> None:
        self.reports: list[tuple[str, str]] = []
        self.report = lambda kind, sentence: self.reports.append((next(iter(kind)), sentence))
        self.properties = _Properties(properties)
        self.options = SimpleNamespace(is_repeat_last=False)
        self.owner_uid, self.mover_path = 0, ""
        for name, value in properties.items():
            setattr(self, name, value)
        self._operator = operator

    def __getattr__(self, name: str):
        found = inspect.getattr_static(self._operator, name)
        return found.__get__(self, self._operator) if hasattr(found, "__get__") else found

    def start(self) -> None:
        """Starts it as `invoke` does, but without the handler, which Blender lets only a running operator
        add.
        """
        self.is_watched = True
        self.work = self._begin(bpy.context)
        self.timer = bpy.context.window_manager.event_timer_add(0.001, window=bpy.context.window)
        bpy.context.window_manager.progress_begin(0, self.work.total)

    def send(self, kind: str, shift: bool = False):
        return self.modal(bpy.context, type("Event", (), {"type": kind, "shift": shift})())


def step_by_step(monkeypatch, operator, **properties) -> Window:
    """An operator as a window runs it, a single step at each tick of its timer."""
    from limber.operators import stepwise

    monkeypatch.setattr(stepwise, "BUDGET", 0.0)
    return Window(operator, **properties)
