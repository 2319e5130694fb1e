"""Converts layouts of LeRobot calibrations to LeRobot's own: an object with one entry per motor, by name.

Other programs store motors in a list with their names, or each field with one value per motor, as exported
tables do. Some spell the fields' names differently, or write numbers as texts, as YAML and spreadsheets do.
Further content of a file is ignored if no number depends on it.
"""

import re
from collections.abc import Mapping
from typing import Any

from ...files.plain import json_of

FIELDS = ("id", "drive_mode", "homing_offset", "range_min", "range_max")
# fields with the name of a motor, in a list of motors
NAME = ("name", "motor", "motor_name", "joint", "joint_name")
# fields with a list of the motors' names, beside fields with lists of the motors' values
NAMES = ("motor_names", "names", "motors", "joints")
ARM_NAMES = ("name", "arm", "side")  # fields with the name of an arm, in a list of arms
ABOUT = {  # fields whose texts are ignored, since no motor's number depends on them
    *(
        "name",
        "robot",
        "robot_name",
        "robot_type",
        "type",
        "model",
        "id",
        "arm",
        "side",
        "version",
        "lerobot_version",
    ),
    *(
        "date",
        "created",
        "created_at",
        "timestamp",
        "author",
        "comment",
        "comments",
        "notes",
        "port",
        "serial",
    ),
    *("serial_number", "motor_model", "description"),
}
# names of Dynamixel servos, and of LeRobot's robots with them
DYNAMIXEL_WORDS = re.compile(
    r"dynamixel|koch|omx|viperx|widowx|aloha|manipulator|\bx[clmhw]\d{3}", re.IGNORECASE
)
DEEPEST = 8  # largest nesting of objects; deeper values are returned unconverted


def plain_of(text: str) -> Any:
    """The value of a JSON text, or of a YAML text that is no JSON.

    Raises:
        ValueError: It is neither, or YAML of several documents or without content; the message is about JSON.
    """
    try:
        return json_of(text)
    except ValueError as error:
        from ...files.yaml_text import YamlError, yaml_documents

        try:
            documents = yaml_documents(text)
        except YamlError:
            raise error from None
        if len(documents) != 1 or not documents[0][1]:
            raise
        return documents[0][1]


def as_motors(plain: Any, depth: int = 0) -> Any:
    """A calibration as an object of motors, or of arms with motors, without members that can be ignored.
    Other values are returned unchanged.
    """
    if depth > DEEPEST:
        return plain
    if isinstance(plain, list):
        return _named(plain, depth) or plain
    if not isinstance(plain, Mapping):
        return plain
    fields = {_field(key): value for key, value in plain.items()}
    if motors := _from_columns(fields):
        return motors
    if fields.keys() & set(FIELDS) and not _members(fields):
        return _motor(fields)
    members = {key: as_motors(value, depth + 1) for key, value in plain.items() if not _is_about(key, value)}
    return {key: member for key, member in members.items() if member != {} or plain[key] == {}}


def _members(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields whose values are objects: motors, or arms."""
    return {key: value for key, value in fields.items() if isinstance(value, Mapping)}


def _motor(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A motor's fields by name, with integers for texts of digits, and without those that can be ignored."""
    return {
        key: _number(value) for key, value in fields.items() if not _is_about(key, value) or key in FIELDS
    }


def _named(items: list[Any], depth: int) -> dict[str, Any]:
    """Motors or arms of a list, by the names in them; empty if some have no name, or two have the same."""
    named = {}
    for item in items:
        fields = {_field(key): value for key, value in item.items()} if isinstance(item, Mapping) else {}
        name_fields = NAME if fields.keys() & set(FIELDS[1:]) else ARM_NAMES
        name = next((fields[key] for key in name_fields if isinstance(fields.get(key), str)), "")
        if not name or name in named:
            return {}
        named[name] = as_motors(
            {key: value for key, value in item.items() if fields.get(_field(key)) != name}, depth + 1
        )
    return named


def _from_columns(fields: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Motors of an object that has a column for each field: its values of all motors, by name or in the order
    of a list of names. Empty if it is no such object.
    """
    columns = {key: fields[key] for key in FIELDS if key in fields}
    if "range_min" not in columns:
        return {}
    names = next((fields[key] for key in NAMES if isinstance(fields.get(key), list)), None)
    if names is not None and all(isinstance(name, str) for name in names):
        columns = {key: _by_name(names, column) for key, column in columns.items()}
    if len(_members(columns)) < len(columns):
        return {}
    motors: dict[str, dict[str, Any]] = {}
    for key, column in columns.items():
        for name, value in column.items():
            motors.setdefault(name, {})[key] = _number(value)
    return motors


def _by_name(names: list[str], column: Any) -> dict[str, Any] | None:
    """Values by name, from a column that has one for each name; None for other columns."""
    if not isinstance(column, list) or len(column) != len(names):
        return None
    return dict(zip(names, column, strict=True))


def _field(key: Any) -> Any:
    """The name of a motor's field in any spelling: "rangeMin" and "Range Min" are "range_min"; other keys
    unchanged.
    """
    plain = str(key).lower().replace("_", "").replace(" ", "").replace("-", "")
    return next((field for field in FIELDS if field.replace("_", "") == plain), key)


def _number(value: Any) -> Any:
    """The integer that a text of digits contains; any other value unchanged."""
    return (
        int(value)
        if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 10
        else value
    )


def _is_about(key: Any, value: Any) -> bool:
    """Whether a member of an object can be ignored, since no motor's number depends on it. The name of a
    Dynamixel cannot, since a Dynamixel's numbers have another meaning.
    """
    if isinstance(value, str) and DYNAMIXEL_WORDS.search(value):
        return False
    is_plain = (
        value is None or isinstance(value, str) or (key == "version" and isinstance(value, int | float))
    )
    return is_plain and str(key).lower().lstrip("_") in ABOUT
