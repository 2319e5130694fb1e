"""Properties of the solvers' settings: a group for each solver, made from the descriptions in its options
dataclass.
"""

from math import ceil, degrees, isinf, log10

import bpy
from bpy.types import PropertyGroup

from ...solvers.settings import Setting, settings_of
from ...solvers.table import SOLVERS
from ..chains import measure, turntable
from .enum_items import item, keyed_enum
from .overridable import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty

MOST_DIGITS = 6  # largest number of decimals that Blender shows
LARGEST = 2**31 - 1  # largest integer that Blender stores
SUBTYPES = {"": "NONE", "angle": "ANGLE", "share": "FACTOR"}


def property_of(name: str, setting: Setting) -> bpy.props._PropertyDeferred:
    """Blender property named `name` for a setting of a solver."""
    texts = {"name": setting.label, "description": setting.description}
    if setting.several:
        # Blender combines the numbers of an ENUM_FLAG's items as bits
        items = [
            (choice.key, choice.label, choice.description, "NONE", 1 << k)
            for k, choice in enumerate(setting.choices)
        ]
        chosen = {choice.key for choice in setting.choices if choice.value in setting.default}
        return EnumProperty(**texts, items=items, default=chosen, options={"ENUM_FLAG", "ANIMATABLE"})
    if setting.choices:
        items = [item(choice.key, choice.label, choice.description) for choice in setting.choices]
        return keyed_enum(name, items=items, default=setting.key_of[setting.default], **texts)
    # before the test for int, which is true for a bool too
    if isinstance(setting.default, bool):
        return BoolProperty(**texts, default=setting.default)
    bounds = {"min": setting.low, "max": setting.high, "soft_max": min(setting.slider, setting.high)}
    if isinstance(setting.default, int):
        return IntProperty(
            **texts,
            default=setting.default,
            **{key: int(min(bound, LARGEST)) for key, bound in bounds.items()},
        )
    finite = {key: bound for key, bound in bounds.items() if not isinf(bound)}
    return FloatProperty(
        **texts, default=setting.default, precision=_digits(setting), subtype=SUBTYPES[setting.unit], **finite
    )


def _digits(setting: Setting) -> int:
    """Decimal places that show two significant digits of the default, 2 to `MOST_DIGITS`."""
    shown = degrees(setting.default) if setting.unit == "angle" else setting.default
    return min(MOST_DIGITS, max(2, 1 + ceil(-log10(shown)))) if shown else 2


def _group(solver: str) -> type:
    """Property group with the settings of a solver."""
    info = SOLVERS[solver]
    properties = {name: property_of(name, setting) for name, setting in settings_of(info.options).items()}
    named = {
        "__doc__": f"Settings of the solver {info.label}.",
        "__module__": __name__,
        "__annotations__": properties,
    }
    return type(f"LimberOptions_{solver}", (PropertyGroup,), named)


GROUPS = {solver: _group(solver) for solver in SOLVERS}
# the registration finds classes as module attributes
globals().update((group.__name__, group) for group in GROUPS.values())


class LimberSolverOptions(PropertyGroup):
    """Settings of all solvers: a group for each solver, under its name, and settings shared by several
    solvers.
    """

    __annotations__ = {
        "body": EnumProperty(
            name="Body",
            description="Whether the body can rotate as a whole about the axis of the chain's first joint",
            items=turntable.BODIES,
            default="AUTOMATIC",
        ),
        "measure": EnumProperty(
            name="Shape",
            description="Measure of a posture's shape that the Expressive solver preserves",
            items=measure.MEASURES,
            default="LINKS",  # for files without this setting; new chains get `chain_settings.MEASURE`
        ),
        **{
            solver: PointerProperty(
                name=SOLVERS[solver].label,
                description=f"Settings of the solver {SOLVERS[solver].label}",
                type=group,
            )
            for solver, group in GROUPS.items()
        },
    }
