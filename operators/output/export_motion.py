from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty

from ...hardware.motion_files import FORMATS, EpisodeChoice, Settings
from ...hardware.motion_files.boards import BOARDS
from ...hardware.motion_files.firmware_header import NO_PIN, PULSE_RATE
from ...hardware.motion_files.motion import HIGHEST_RATE
from ...rig.blender.counting import counted
from ...rig.output.export import Export
from ..files import WritesFile, shown_files
from ..movers import ActsOnMover, mover_at_hand, needs_mover
from ..robot.needs import why_no_servo
from ..stepwise import Stepwise
from .bake_reports import tell_held
from .format_choice import draw_variants, format_menu, format_property
from .lerobot_values import lerobot_values

SUFFIXES = sorted({file.suffix for form in FORMATS.values() for file in form.files if file.suffix})
PLAYER = "Player of the motion"


class LIMBER_OT_export_motion(ActsOnMover, Stepwise, WritesFile):
    """Export the robot's motion to a file that plays without Blender. Live joints are exported as filtered,
    other joints as posed or animated. Esc cancels
    """

    bl_label = "Export Motion"
    bl_options = {"REGISTER"}

    filter_glob: shown_files(";".join(f"*{suffix}" for suffix in SUFFIXES))
    format: format_property(list(FORMATS), PLAYER)
    format_menu: format_menu(list(FORMATS), PLAYER)
    frame_start: IntProperty(name="Start", description="First frame to export", options={"SKIP_SAVE"})
    frame_end: IntProperty(
        name="End", description="Last frame to export; live motion then comes to rest", options={"SKIP_SAVE"}
    )
    rate: IntProperty(
        name="Sample Rate",
        description=(
            "Number of positions per second in the file. Limber's firmware plays 50 or a divisor of 50, such"
            " as 25 or 10, whatever the scene's frame rate"
        ),
        default=PULSE_RATE,
        min=1,
        max=HIGHEST_RATE,
        options={"SKIP_SAVE"},
    )
    loops: BoolProperty(name="Loop", description="Return slowly to the first frame and repeat", default=False)
    board: EnumProperty(
        name="Board",
        description="Board that plays the motion; the file must fit its memory",
        items=[
            (name, board.label, f"Room for {board.room / 1024:.0f} kB of motion")
            for name, board in BOARDS.items()
        ],
    )
    start_pin: IntProperty(
        name="Button Pin",
        description=(
            "Pin of a button to ground that starts the motion (on an Uno 13, or 15 to 19 for A1 to A5); -1:"
            " the motion starts by itself"
        ),
        default=NO_PIN,
        min=NO_PIN,
        max=255,
    )

    lerobot_values: lerobot_values()

    settings = (
        "filepath",
        "format",
        "frame_start",
        "frame_end",
        "rate",
        "loops",
        "board",
        "start_pin",
        "lerobot_values",
    )
    settings += ActsOnMover.identity
    nothing = "Nothing was exported"
    cancelled = "The export is cancelled: nothing was written"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_mover(context):
            return why
        rig = mover_at_hand(context).owner
        if why := why_no_servo(rig):
            return why
        return (
            "Leave Edit Mode first: the motion is read in Object Mode or Pose Mode"
            if rig.mode == "EDIT"
            else ""
        )

    def _ask(self, context):
        self.frame_start, self.frame_end = self._range(context)
        # with the format, so that `check` sets the rate again when another is chosen
        self.rate, self.rate_format = self._rate(), self.format
        self.filepath = str(self._usual_path(context))
        return super()._ask(context)

    def check(self, context):
        """Updates the file name's suffix and the rate when the format changes. Blender calls it in the file
        browser.
        """
        path, form = Path(self.filepath), FORMATS[self.format]
        # without a name the path is only a folder
        has_name = bool(bpy.path.basename(self.filepath).strip("."))
        if (path.suffix == form.suffix or not has_name) and self.format == self.rate_format:
            return False
        if has_name:
            self.filepath = str(path.with_suffix(form.suffix))
        if self.format != self.rate_format:
            self.rate, self.rate_format = form.usual_rate or PULSE_RATE, self.format
        return True

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "format_menu")
        draw_variants(layout, self)
        column = layout.column(align=True)
        column.prop(self, "frame_start")
        column.prop(self, "frame_end")
        layout.prop(self, "rate")
        if not FORMATS[self.format].has_frames:
            layout.prop(self, "loops")
        if FORMATS[self.format].needs_board:
            layout.prop(self, "board")
            layout.prop(self, "start_pin")
        if FORMATS[self.format].has_episodes:
            layout.prop(self, "lerobot_values")

    def _range(self, context) -> tuple[int, int]:
        """(first, last) frame of the operator's options, if they are set; else of the mover's own range."""
        usual = self.mover(context).frames
        are_set = [self.properties.is_property_set(name) for name in ("frame_start", "frame_end")]
        return tuple(
            option if is_asked else other
            for option, is_asked, other in zip(
                (self.frame_start, self.frame_end), are_set, usual, strict=True
            )
        )

    def _rate(self) -> int:
        """Sample rate [Hz] chosen in the operator; if none was chosen, the rate that the format's usual
        player needs, or for formats without such a rate the rate of servo pulses.
        """
        return (
            self.rate
            if self.properties.is_property_set("rate")
            else FORMATS[self.format].usual_rate or PULSE_RATE
        )

    def _usual_path(self, context) -> Path:
        form = FORMATS[self.format]
        name = (form.usual_name or bpy.path.clean_name(self.mover(context).owner.name)) + form.suffix
        return Path(bpy.data.filepath).parent / name if bpy.data.filepath else Path(name)

    def _begin(self, context):
        return Export(
            context.scene,
            self.mover(context).owner,
            *self._range(context),
            self._rate(),
            self.loops,
            self.format,
            Settings(self.board, self.start_pin, EpisodeChoice(values=self.lerobot_values)),
        )

    def _finish(self, context):
        path = self.path
        motion = self.work.finish(path)
        tell_held(self, self.work.frames.held, "a goal could not")
        self.warn(self.work.frames.warnings)
        sound = f", its sound in '{self.work.sound}'" if self.work.sound else ""
        servos, rows = counted(len(motion.device.channels), "servo"), counted(len(motion.values), "row")
        self.report(
            {"INFO"},
            f"{motion.seconds:.1f} s of {servos} ({self.work.says_how}) are in '{path.name}', {rows}{sound}",
        )


def _add_to_menu(menu, _context) -> None:
    """Draws the operator at the end of File > Export."""
    menu.layout.operator(LIMBER_OT_export_motion.bl_idname, text=f"Robot Motion ({', '.join(SUFFIXES)})")


MENU_ENTRIES = {"TOPBAR_MT_file_export": _add_to_menu}
