"""Settings of solvers, each described once, by a field of an options dataclass.

Blender properties, tooltips, panels, checks of values and the table in the documentation are generated from
these descriptions.
"""

import math
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Any, Literal

from .goals import GazeError

KEY = "setting"  # key in a dataclass field's metadata under which its `Setting` is stored


@dataclass(frozen=True)
class Choice:
    """A value that a setting can have: a name, or a tuple of names."""

    value: str | tuple[str, ...]
    label: str
    description: str

    @property
    def key(self) -> str:
        """Identifier under which files store the value."""
        return (self.value if isinstance(self.value, str) else "_".join(self.value)).upper()


@dataclass(frozen=True)
class Setting:
    """Description of a setting: texts for users, and the values that the solver accepts."""

    label: str
    description: str  # tooltip, with the unit if values do not show it, and the source if there is one
    default: Any
    low: float = 0.0  # bounds of a number, in its unit
    high: float = math.inf
    slider: float = math.inf  # largest value of the slider; higher numbers can be typed
    unit: Literal["", "angle", "share"] = ""  # "angle": [rad], shown in degrees; "share": 0 to 1
    choices: tuple[Choice, ...] = ()
    several: bool = False  # whether the value is a tuple of choices, in order
    # other fields and their required values, without which the setting has no effect
    needs: tuple[tuple[str, object], ...] = ()
    is_usual: bool = False  # whether it is on the panel itself, not in its Advanced part

    @cached_property
    def key_of(self) -> dict[str | tuple[str, ...], str]:
        """Value of a choice -> identifier under which files store it."""
        return {choice.value: choice.key for choice in self.choices}

    def check(self, value: Any) -> None:
        """Raises GazeError if `value` is not allowed for the setting."""
        if self.choices:
            known = [choice.value for choice in self.choices]
            if not all(each in known for each in (value if self.several else [value])):
                raise GazeError(
                    f"{self.label} is {value!r}: choose {'some' if self.several else 'one'} of"
                    f" {', '.join(map(str, known))}"
                )
        elif not isinstance(value, bool) and not (self.low <= value <= self.high and math.isfinite(value)):
            bounds = (
                f"from {self.low:g} up" if math.isinf(self.high) else f"from {self.low:g} to {self.high:g}"
            )
            raise GazeError(
                f"{self.label} is {value:g}: choose a number {bounds}{' rad' if self.unit == 'angle' else ''}"
            )


def setting(default: Any, label: str, description: str, **more: Any) -> Any:
    """A field of an options dataclass that users can set; `more`: other fields of its `Setting`."""
    more = {"high": 1.0, **more} if more.get("unit") == "share" else more
    return field(default=default, metadata={KEY: Setting(label, description, default, **more)})


def with_default(options: type, name: str, default: Any, **more: Any) -> Any:
    """A field for a subclass of `options`: the same setting as its field `name`, with another default;
    `more`: other fields of its `Setting` that differ.
    """
    return field(
        default=default, metadata={KEY: replace(settings_of(options)[name], default=default, **more)}
    )


@cache
def settings_of(options: Any) -> dict[str, Setting]:
    """The settings of an options dataclass by field name, in the panel's order; empty for None."""
    return (
        {each.name: each.metadata[KEY] for each in fields(options) if KEY in each.metadata} if options else {}
    )


class SolverOptions:
    """Base of options dataclasses. Making one raises GazeError, naming the setting, if a value is not
    allowed.
    """

    def __post_init__(self) -> None:
        options: Any = type(self)
        for name, each in settings_of(options).items():
            each.check(getattr(self, name))
