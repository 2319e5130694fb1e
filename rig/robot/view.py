"""Display settings of this session: viewport overlays of live chains, no-go zones and robots, and pages of
lists. They are not saved.
"""

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty

from . import history, links

_items: list[tuple[str, str, str]] = []  # Blender keeps no reference to the items of a dynamic enumeration


def _joints(_view: bpy.types.PropertyGroup, _context: bpy.types.Context) -> list[tuple[str, str, str]]:
    names = dict.fromkeys(
        joint.name for rig in links.connected_rigs() for joint in links.link(rig).device.joints
    )
    _items[:] = [(name, name, "") for name in names] or [("", "None", "")]
    return _items


class LimberView(bpy.types.PropertyGroup):
    """Settings of the overlays in the 3D viewports, of the plot, and of lists with pages."""

    rays: BoolProperty(
        name="Gaze",
        description=(
            "Draw the gaze direction of live ends with their aim error, and the forward axis of the selected"
            " chain while it is not live"
        ),
        default=True,
    )
    arcs: BoolProperty(
        name="Limits",
        description="Draw the range and the current angle of each revolute joint with limits in live chains",
        default=False,
    )
    late: BoolProperty(
        name="Filter",
        description="Draw the solver's pose of bones that lag behind it because of the motion filter",
        default=True,
    )
    deviation: BoolProperty(
        name="Colour Bones",
        description=(
            "Draw a line along each bone of live chains, by how far the bone deviates from its posture: thin"
            " and blue at 0, then yellow, wide and red at 30 degrees"
        ),
    )
    entered: BoolProperty(
        name="No-Go Zones",
        description=(
            "Draw the links that are in a no-go zone at this frame, as the last Motion Check has found, with"
            " the bone's and the zone's names"
        ),
        default=True,
    )
    ghost: BoolProperty(
        name="Ghost", description="Draw the measured pose of the robot as lines in the 3D view"
    )
    plot: BoolProperty(
        name="Plot", description="Plot the commanded and measured position of a joint over the last seconds"
    )
    found_page: IntProperty(
        name="Page", description="Page of the scan's results that is shown", default=1, min=1, soft_max=10
    )
    plot_joint: EnumProperty(
        name="Joint", description="Joint whose commanded and measured position is plotted", items=_joints
    )


def show_virtual(device: bpy.types.PropertyGroup) -> None:
    """Switches the ghost overlay on if the robot is virtual, since otherwise its motion would be
    invisible.
    """
    if device.is_virtual:
        bpy.context.window_manager.limber_view.ghost = True


def plot_moves(time: float) -> bool:
    """Whether a visible plot shows any motion; `time`: [s, monotonic clock]."""
    return links.figures_age(time) < history.SECONDS and bpy.context.window_manager.limber_view.plot


def redraw_sidebars() -> None:
    """Redraws the sidebars, which show the states of robots. Viewports are not redrawn: that may take so long
    that an armed robot holds still meanwhile, which would be a new state.
    """
    _redraw({"UI"})


def redraw_figures() -> None:
    """Redraws the sidebars, and viewports only if they show data of a robot, since that takes far longer."""
    view = bpy.context.window_manager.limber_view
    _redraw({"UI", "WINDOW"} if view.ghost or view.plot else {"UI"})


def _redraw(regions: set[str]) -> None:
    """Redraws these kinds of regions of all 3D viewports."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type in regions:
                        region.tag_redraw()


PROPERTIES = {
    (bpy.types.WindowManager, "limber_view"): PointerProperty(
        name="Overlays", description="Viewport overlays of this session", type=LimberView
    )
}
