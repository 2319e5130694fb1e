"""Limits of joints in MoveIt's joint_limits.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files.content import SMALL
from ..files.content import text as read_text
from ..files.plain import number_of, shown
from ..files.reasons import reason
from .errors import MalformedError

KEY = "joint_limits"  # key of the map with the joints, at the top or within ROS's parameters
LARGEST = 1e8  # largest limit; larger ones count as placeholders for none, as in URDF


@dataclass(frozen=True)
class JointRates:
    """Largest velocity [rad/s or m/s], acceleration [per s2] and jerk [per s3] of a joint; None if the file
    gives none.

    Attributes:
        has_range: Whether the file also limits the joint's position.
    """

    velocity: float | None = None
    acceleration: float | None = None
    jerk: float | None = None
    has_range: bool = False


def read_joint_limits(path: Path) -> tuple[dict[str, JointRates], list[str]]:
    """Limits of joints by name, and sentences about values that are left out.

    Raises:
        MalformedError: the file cannot be read, or is no joint_limits.yaml.
    """
    # imported here with ruamel.yaml, which must not delay enabling the extension
    from .xacro.expressions import Evaluator
    from .xacro.values import yaml_scalar
    from .yaml_text import parse_yaml

    evaluator, no_names = Evaluator(), dict[str, Any]()

    def scalar(text: str, is_plain: bool, tag: str | None) -> Any:
        return yaml_scalar(
            text, is_plain, tag, lambda expression: evaluator.evaluate(expression, no_names.__getitem__)
        )

    try:
        content = parse_yaml(read_text(path, SMALL), str(path), scalar)
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedError(
            str(path), 0, "", f"the file cannot be read ({reason(error)}): choose a joint_limits.yaml"
        ) from error
    joints = _joints(content)
    if not joints:
        raise MalformedError(
            str(path), 0, "", f"it has no joint under '{KEY}': choose MoveIt's joint_limits.yaml"
        )
    warnings: list[str] = []
    return {
        str(name): _rates(str(name), limits, warnings)
        for name, limits in joints.items()
        if isinstance(limits, Mapping)
    }, warnings


def _joints(content: Any) -> Mapping[Any, Any]:
    """The map of joints, which ROS's parameter files nest in other maps; empty if there is none."""
    waiting = [content]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            if isinstance(node.get(KEY), Mapping):
                joints: Mapping[Any, Any] = node[KEY]
                return joints
            waiting += node.values()
    return {}


def _rates(name: str, limits: Mapping[Any, Any], warnings: list[str]) -> JointRates:
    """Limits of velocity, acceleration (the smaller one of acceleration and deceleration) and jerk of a
    joint, and whether it has limits of position. Invalid ones are left out with a warning, those beyond
    `LARGEST` without.
    """

    def rate(word: str) -> float | None:
        value = limits.get(f"max_{word}")
        if value is None or limits.get(f"has_{word}_limits", True) is False:
            return None
        number = number_of(value)
        if number is None or number <= 0.0:
            warnings.append(
                f"joint '{name}', max_{word}: expected a number above zero, found {shown(value)}: it is"
                " left out"
            )
            return None
        return number if number <= LARGEST else None

    accelerations = [number for number in (rate("acceleration"), rate("deceleration")) if number is not None]
    has_range = limits.get("has_position_limits", "max_position" in limits) is True
    return JointRates(rate("velocity"), min(accelerations, default=None), rate("jerk"), has_range)
