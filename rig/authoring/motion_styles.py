"""Motion styles by name: a filter with its settings. They are built in, those of the chains, bodies and
mechanisms of this .blend, or in files of earlier versions.
"""

from pathlib import Path
from typing import NamedTuple

import bpy

from ...files.content import SMALL, text
from ...files.plain import json_of, number_of, shown
from ...motion import FILTERS, NO_FILTER, MotionStyle, MotionStyleError
from ..blender.errors import RigError
from ..blender.user_folder import user_folder
from ..chains.chain import filter_in_use
from ..live.movers import movers_of

FORMAT = "limber-character"  # name of the format, in the header of style files of earlier versions
SUFFIX = ".limber-character.json"
FOLDER = "characters"  # the user's subfolder with style files of earlier versions


class StyleSettings(NamedTuple):
    """A filter and its motion style, with the property names of `LimberMotionStyle`."""

    filter: str = "default"
    sigma: float = 0.0
    rho: float = 0.0
    velocity_share: float = 1.0
    acceleration_share: float = 1.0
    jerk_share: float = 1.0
    beta: float = 1.0


# name -> (description, settings)
BUILT_IN: dict[str, tuple[str, StyleSettings]] = {
    "Light": ("Quick to start, softly stopped", StyleSettings("default", 0.2, 0.5, 1.0, 0.8, 0.6)),
    "Heavy": (
        "As if heavy: slow to start and slow to stop",
        StyleSettings("default", 0.6, 0.0, 0.6, 0.3, 0.2),
    ),
    "Nervous": ("All that the limits allow, at once", StyleSettings()),
    "Sleepy": (
        "Drowsy: a quarter of the speed, without any haste",
        StyleSettings("default", 0.9, 0.0, 0.25, 0.15, 0.1),
    ),
}


def of(settings: bpy.types.PropertyGroup) -> StyleSettings:
    """Current motion style of a chain, body or mechanism, with the filter in use (`NO_FILTER` if there is
    none).
    """
    stored = StyleSettings(*(getattr(settings, name) for name in StyleSettings._fields))
    return stored._replace(filter=filter_in_use(settings.id_data, settings))


def use(settings: bpy.types.PropertyGroup, style: StyleSettings) -> None:
    """Sets the motion style of a chain, body or mechanism."""
    for name, value in style._asdict().items():
        setattr(settings, name, value)


def name_of(settings: bpy.types.PropertyGroup) -> str:
    """Name of the built-in motion style with these settings; "" if no built-in style has them."""
    return _built_in_name(of(settings))


def _built_in_name(style: StyleSettings) -> str:
    """Name of the built-in motion style with these values; "" if there is none."""
    return next((name for name, (_, known) in BUILT_IN.items() if _is_same(style, known)), "")


def _is_same(style: StyleSettings, other: StyleSettings) -> bool:
    return style.filter == other.filter and all(
        abs(a - b) < 1e-6 for a, b in zip(style[1:], other[1:], strict=True)
    )


def in_file() -> dict[str, StyleSettings]:
    """Label -> motion style of a chain, body or mechanism of this .blend. Those without a filter, and those
    with a built-in style, are left out.
    """
    styles = {mover.long_label: of(mover.settings) for obj in bpy.data.objects for mover in movers_of(obj)}
    return {
        label: style
        for label, style in styles.items()
        if style.filter != NO_FILTER and not _built_in_name(style)
    }


def folder() -> Path | None:
    """The user's folder with the style files of earlier versions; None: there is none."""
    return user_folder(FOLDER, create=False)


def load(path: Path) -> StyleSettings:
    """Reads a motion style from a file that an earlier version has saved. Nothing in the file is executed.

    Raises:
        RigError: the file cannot be read or is no motion style, or a setting is invalid; the message names
            it.
    """
    try:
        content = json_of(text(path, SMALL))
    except OSError as error:
        raise RigError(f"{path} cannot be read: choose another file ({error.strerror})") from error
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RigError(f"{path.name} is no motion style of Limber: choose a file that ends in {SUFFIX}")
    name, values = content.get("filter"), {}
    if not isinstance(name, str) or name not in FILTERS:
        raise RigError(f"{path.name}: filter {shown(name)} is not known: {' or '.join(FILTERS)} was expected")
    for key, usual in StyleSettings()._asdict().items():
        if key == "filter":
            continue
        # a file of an earlier version may lack newer settings
        number = number_of(content.get(key, usual))
        if number is None:
            raise RigError(f"{path.name}: {key} is {shown(content.get(key))}: a number was expected")
        values[key] = number
    style = StyleSettings(name, **values)
    # a style is made only to check the ranges of its settings
    try:
        MotionStyle(
            style.sigma,
            style.rho,
            style.beta,
            style.velocity_share,
            style.acceleration_share,
            style.jerk_share,
        )
    except MotionStyleError as error:
        raise RigError(f"{path.name}: {error}") from error
    return style
