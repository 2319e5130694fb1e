"""Lists of joints and motors with servo settings: the joints of the selected chain, and the motors of the
mechanism.
"""

from dataclasses import dataclass

import bpy

from ..blender.selection import selected, selected_index


@dataclass(frozen=True)
class ServoList:
    """A list of joints or motors in the interface, with its selection.

    Attributes:
        owner: The chain, or the mechanism.
        items, active: The owner's property names of the list and of its index.
    """

    owner: object
    items: str
    active: str

    @property
    def is_motors(self) -> bool:
        return self.items == "motors"

    @property
    def all(self) -> bpy.types.bpy_prop_collection:
        """All items of the list."""
        return getattr(self.owner, self.items)

    @property
    def selected(self) -> bpy.types.PropertyGroup | None:
        """The selected joint or motor of the list; None if the list is empty."""
        return selected(self.all, getattr(self.owner, self.active))

    @property
    def selected_index(self) -> int:
        return selected_index(self.all, getattr(self.owner, self.active))


def lists(rig: bpy.types.Object) -> list[ServoList]:
    """Lists of servos of a rig: the joints of the selected chain (even if there are none), and the motors
    of the mechanism if there are any; empty if there is neither.
    """
    chain, mechanism = selected(rig.limber.chains, rig.limber.active_chain), rig.limber.mechanism
    joint_lists = [ServoList(chain, "joints", "active_joint")] if chain is not None else []
    return [*joint_lists, ServoList(mechanism, "motors", "active_motor")] if mechanism.motors else joint_lists


def chosen(rig: bpy.types.Object, motors: bool) -> ServoList | None:
    """The list of motors if `motors`, else the list of joints. If there is only one list, it is returned in
    both cases; None if there is none.
    """
    all_lists = lists(rig)
    return next(
        (servo_list for servo_list in all_lists if servo_list.is_motors == motors),
        all_lists[0] if all_lists else None,
    )
