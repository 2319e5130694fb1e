"""Property with which users choose the unit of a LeRobot dataset's values, since the dataset does not contain
it.
"""

from bpy.props import EnumProperty


def lerobot_values():
    """Enumeration property for the unit of a LeRobot dataset's values."""
    return EnumProperty(
        name="LeRobot Values",
        description=(
            "Unit of the arm's values in a LeRobot dataset; the values of the gripper are always 0 to 100"
        ),
        items=[
            (
                "degrees",
                "Degrees",
                "Degrees from the middle of each joint's range, as LeRobot records arms now",
            ),
            (
                "range_m100_100",
                "-100 to 100",
                "Shares of the servos' ranges, as LeRobot recorded arms before (use_degrees=False)",
            ),
            (
                "plain",
                "Joint Values",
                "Radians and metres, for robots that LeRobot gives no units of its own",
            ),
        ],
    )
