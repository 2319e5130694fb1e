from pathlib import Path

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ...hardware.motion_files import FORMATS, EpisodeChoice, Settings
from ...hardware.motion_files.lerobot_dataset import INFO
from ...hardware.motion_files.reading import AUTOMATIC
from ...rig.authoring.motion_import import MotionImport
from ..files import ReadsLargeFile, shown_files
from ..operator import UndoOperator
from ..stepwise import Stepwise
from ..subject import needs_rig, rig_of
from .format_choice import format_menu, format_property
from .lerobot_values import lerobot_values

READ = {name: form for name, form in FORMATS.items() if form.read is not None}
SUFFIXES = sorted({suffix for form in READ.values() for file in form.files for suffix in file.suffixes})
BY_ITSELF = (AUTOMATIC, "Automatic", "By the file's suffix and content")
KEYS = [
    ("FRAMES", "Frames", "A key in each frame of the scene, interpolated between the file's rows"),
    ("ROWS", "File's Times", "A key at the time of each row of the file, also between the scene's frames"),
]
PARTS = [
    ("action", "Commanded", "What the robot was sent (action)"),
    ("observation.state", "Measured", "What the robot measured (observation.state)"),
]
ANGLES = [
    (
        "RADIANS",
        "Radians",
        "Read angles for which the file gives no unit as radians, as most robot programs write them",
    ),
    ("DEGREES", "Degrees", "Read angles for which the file gives no unit as degrees"),
]
OF_EPISODES = ("episode", "part", "lerobot_values")


class LIMBER_OT_import_motion(ReadsLargeFile, Stepwise, UndoOperator):
    """Import a motion file for this robot's joints as keyframes on a new action: a move, a recording, a
    trajectory. Esc cancels
    """

    bl_label = "Import Motion"

    filter_glob: shown_files(";".join(f"*{suffix}" for suffix in SUFFIXES))
    format: format_property(list(READ), "Format of the file", BY_ITSELF)
    format_menu: format_menu(list(READ), "Format of the file", BY_ITSELF)
    frame_start: IntProperty(
        name="Start", description="Frame of the file's first row", default=1, options={"SKIP_SAVE"}
    )
    keys: EnumProperty(
        name="Keys", description="Times at which keyframes are inserted", items=KEYS, default="FRAMES"
    )
    with_sound: BoolProperty(
        name="Sound",
        description="Add the sound file with the motion's name and folder to the sequencer",
        default=True,
    )

    rate: FloatProperty(
        name="Rows per Second",
        description="Rows per second of a table without a column of times; 0: the scene's frame rate",
        default=0.0,
        min=0.0,
        soft_max=120.0,
    )
    angles: EnumProperty(
        name="Angles", description="Unit of angles for which the file gives no unit", items=ANGLES
    )
    episode: IntProperty(
        name="Episode", description="Episode of a LeRobot dataset, counted from 0", default=0, min=0
    )
    part: EnumProperty(
        name="Values Of",
        description=("Values of the episode to import: commanded or measured"),
        items=PARTS,
    )
    lerobot_values: lerobot_values()

    settings = (
        "filepath",
        "format",
        "frame_start",
        "keys",
        "with_sound",
        "rate",
        "angles",
        "allow_large",
        *OF_EPISODES,
    )
    nothing = "Nothing was imported"
    cancelled = "The import is cancelled: nothing has changed"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_rig(context) or (
            "Leave Edit Mode first: keyframes are for the pose" if rig_of(context).mode == "EDIT" else ""
        )

    def invoke(self, context, event):
        if not self.properties.is_property_set("frame_start"):
            self.frame_start = context.scene.frame_current
        return super().invoke(context, event)

    def draw_settings(self, layout):
        has_episodes = (self.format in FORMATS and FORMATS[self.format].has_episodes) or Path(
            self.filepath
        ).name == Path(INFO).name
        for name in ("format_menu", *self.settings[2:]):
            if has_episodes or name not in OF_EPISODES:
                layout.prop(self, name)

    def _begin(self, context):
        first = (
            self.frame_start
            if self.properties.is_property_set("frame_start")
            else context.scene.frame_current
        )
        settings = Settings(
            episode=EpisodeChoice(self.episode, self.part, self.lerobot_values),
            allow_large=self.allow_large,
            frame_rate=self.rate or context.scene.render.fps / context.scene.render.fps_base,
            in_degrees=self.angles == "DEGREES",
        )
        at_frames = self.keys == "FRAMES"
        arguments = self.path, self.format, first, at_frames, self.with_sound, settings, self.is_watched
        return MotionImport(context.scene, rig_of(context), *arguments)

    def _says(self):
        return f"Reading '{self.work.at_work}', {self.work.done}%"

    def _finish(self, context):
        imported = self.work.finish()
        self.warn(imported.warnings)
        self.report({"INFO"}, imported.sentence)


def _add_to_menu(menu, _context) -> None:
    """Draws the operator at the end of File > Import."""
    menu.layout.operator(LIMBER_OT_import_motion.bl_idname, text=f"Robot Motion ({', '.join(SUFFIXES)})")


MENU_ENTRIES = {"TOPBAR_MT_file_import": _add_to_menu}
