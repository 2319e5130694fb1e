"""Properties of a motion style: the filter, and the shares of the limits that it uses."""

from collections.abc import Sequence

import bpy

from ...motion import FILTERS, NO_FILTER, MotionStyle
from ..chains.chain import AUTOMATIC
from .enum_items import choice, item, keyed_enum
from .overridable import BoolProperty, FactorProperty, FloatProperty

CHAIN_FILTERS = (
    item(
        AUTOMATIC,
        "Automatic",
        "Swift for a robot: imported, connected, or with bones that have one axis. None for other characters",
    ),
    item(
        NO_FILTER,
        "None",
        ("The joints follow at once, as in an animation. A robot still keeps to its limits"),
    ),
)


BODY_FILTERS = (
    item(
        NO_FILTER,
        "None",
        "The joints follow at once. The limits of velocity and acceleration in Retarget still hold",
    ),
)


def filter_property(
    extra_items: Sequence[tuple] = (), default: str = "default"
) -> bpy.props._PropertyDeferred:
    """The property of a mover's motion filter. `extra_items`: items in addition to the filters; `default`:
    value for files without this setting.
    """
    return keyed_enum(
        "filter",
        name="Filter",
        description=(
            "Motion filter, which smooths the motion and keeps it within the limits of joints or motors"
        ),
        items=[*extra_items, *(choice(key, info) for key, info in FILTERS.items())],
        default=default,
    )


class LimberSmoothness:
    """Mixin with the filter's smoothness and responsiveness."""

    sigma: FloatProperty(
        name="Smoothness",
        description="How smooth motion is: 0 is as fast as the limits allow, 1 the smoothest and slowest",
        default=0.0,
        min=0.0,
        max=1.0,
    )
    rho: FloatProperty(
        name="Responsive",
        description="How quickly a smooth motion arrives: 0 slowest, 0.99 quickest (rho of the filter)",
        default=0.0,
        min=0.0,
        max=0.99,
    )


class LimberStyle(LimberSmoothness):
    """Mixin with the settings of a motion filter that may differ from joint to joint."""

    beta: FloatProperty(
        name="Soft Limits",
        description=(
            "Beta of the Nutty filter: how near to its limit a joint begins to slow down. 1: in the middle of"
            " its range; larger values: nearer to the limit. A joint without limits is not slowed (Ribeiro"
            " & Paiva 2019, eq. 23)"
        ),
        default=1.0,
        min=0.1,
        max=100.0,
        soft_max=10.0,
    )


class LimberJointStyle(LimberStyle):
    """Mixin of joints and motors: a style of their own, instead of the style of their chain or mechanism."""

    own_style: BoolProperty(
        name="Own Style",
        description=(
            "Use this joint's own smoothness, responsiveness and soft limits instead of those under"
            " Motion, as for a nervous head on a heavy base"
        ),
    )


class LimberMotionStyle(LimberStyle):
    """Mixin of chains, bodies and mechanisms: their motion style. They also have a `filter`; see
    `filter_property`.
    """

    velocity_share: FactorProperty(
        name="Velocity",
        description=(
            "Share of the joints' or motors' velocity limits that the motion uses; lower: the motion looks"
            " heavier"
        ),
        default=1.0,
        min=0.01,
    )
    acceleration_share: FactorProperty(
        name="Acceleration",
        description=(
            "Share of the joints' or motors' acceleration limits that the motion uses; lower: softer starts"
            " and stops"
        ),
        default=1.0,
        min=0.01,
    )
    jerk_share: FactorProperty(
        name="Jerk",
        description=(
            "Share of the joints' or motors' jerk limits that the motion uses; lower: acceleration changes"
            " more gradually"
        ),
        default=1.0,
        min=0.01,
    )


def motion_style(settings: bpy.types.PropertyGroup, joint: LimberJointStyle | None = None) -> MotionStyle:
    """Style parameters for the motion filter of a joint or motor. `settings`: its chain, body or mechanism;
    `joint`: the joint, if its Own Style may replace smoothness, responsiveness and soft limits.
    """
    style = joint if joint is not None and joint.own_style else settings
    return MotionStyle(
        style.sigma,
        style.rho,
        style.beta,
        settings.velocity_share,
        settings.acceleration_share,
        settings.jerk_share,
    )
