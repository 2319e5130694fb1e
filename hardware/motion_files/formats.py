"""The table of motion file formats, with functions to write and read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import (
    firmware_header,
    joint_trajectory,
    lelamp,
    lerobot_dataset,
    lerobot_writing,
    plain,
    reachy_mini,
    servo_animation,
)
from .boards import BOARDS
from .lerobot_dataset import EpisodeChoice
from .motion import Motion
from .recording import Recording

FIRST = EpisodeChoice()
TABLES = (".tsv", ".txt", ".dat", ".mot", ".sto", ".motion")  # suffixes of text tables, besides .csv
Make = Callable[[Motion, "Settings"], bytes | Mapping[str, bytes]]
Read = Callable[[bytes, Path, "Settings"], Recording]


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of single formats, and of reading.

    Attributes:
        board: Key in BOARDS of the board that plays the motion.
        start_pin: Pin of the board's start button; `firmware_header.NO_PIN` for none.
        episode: Episode of a dataset, and which of its values.
        allow_large: Whether to read files with over 50 MB in memory or over an hour of motion.
        frame_rate: Rows per second of tables without times; 0 to refuse these.
        in_degrees: Whether angles without a unit are degrees.
    """

    board: str = "uno"
    start_pin: int = firmware_header.NO_PIN
    episode: EpisodeChoice = FIRST
    allow_large: bool = False
    frame_rate: float = 0.0
    in_degrees: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format of motion files.

    Attributes:
        label: Name for the user.
        description: Purpose of the format, for the tooltip.
        suffix: File name suffix; "" for a folder.
        make: Encodes a motion as the file's bytes, or those of a folder's files by their paths; raises
            ExportError or MotionFileError.
        read: Reads a file's bytes; raises MotionFileError. None if the format is only written.
        is_like: Function that tells whether a file's content (a JSON value, else its first line) is of this
            format, if others have the same suffix.
        more_suffixes: Further suffixes of files that are read.
        variants: Kinds of files of the format, by their names; the first one is the default, whose attributes
            the format has. Empty if it has one kind of file.
        usual_name: Default file name; "" for the armature's name.
        needs_board: Whether the user chooses a board.
        has_episodes: Whether the user chooses an episode and the unit of its values.
        has_frames: Whether the file has the frames, at most resampled, because its player interpolates and
            limits them; else it has samples of a curve within all limits that is at rest at both ends.
        usual_rate: Rows per second that its player expects; 0 for the scene's frames.
        poses: Links whose poses the file has.
        has_sound: Whether a sound of the same stem belongs to it.
        has_positions: Whether its player reads servo positions from it, which are checked against their
            ranges; joint values need no servo.
    """

    label: str
    description: str
    suffix: str
    make: Make
    read: Read | None = None
    is_like: Callable[[object], bool] = lambda _: True
    more_suffixes: tuple[str, ...] = ()
    variants: Mapping[str, Format] = field(default_factory=dict)
    usual_name: str = ""
    needs_board: bool = False
    has_episodes: bool = False
    has_frames: bool = False
    usual_rate: int = 0
    poses: tuple[str, ...] = ()
    has_sound: bool = False
    has_positions: bool = True

    @property
    def files(self) -> tuple[Format, ...]:
        """The kinds of file of the format: its variants, or itself without variants."""
        return tuple(self.variants.values()) or (self,)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of the format's files; of a folder, those of the file in it by which it is read."""
        return tuple(filter(None, (self.suffix, *self.more_suffixes)))

    def for_suffix(self, suffix: str) -> Format:
        """The variant for files of this suffix; the format itself if no variant has it."""
        return next((form for form in self.files if suffix in form.suffixes), self)


class _Formats(dict[str, Format]):
    """Formats by name; iteration yields only these names, but the name of a variant gives the variant."""

    def __missing__(self, name: str) -> Format:
        variants = (form.variants for form in self.values() if name in form.variants)
        try:
            return next(variants)[name]
        except StopIteration:
            raise KeyError(name) from None


def _with_variants(label: str, description: str, **variants: Format) -> Format:
    usual = next(iter(variants.values()))
    return replace(usual, label=label, description=description, variants=variants)


FORMATS: Mapping[str, Format] = _Formats(
    {
        "firmware": Format(
            "Limber's Firmware",
            "A header with the motion in flash: Limber's firmware plays it without a computer",
            ".h",
            lambda motion, settings: firmware_header.header(
                motion, BOARDS[settings.board], settings.start_pin
            ),
            usual_name="limber_motion",
            needs_board=True,
        ),
        "reachy_mini": Format(
            "Reachy Mini Move",
            "A move for Reachy Mini's own player: the head's pose, antennas and body, with the sound"
            " beside it",
            ".json",
            lambda motion, _: reachy_mini.write(motion.recording),
            lambda data, *_: reachy_mini.read(data),
            reachy_mini.is_move,
            has_frames=True,
            usual_rate=50,
            poses=(reachy_mini.HEAD,),
            has_sound=True,
            has_positions=False,
        ),
        "lelamp": Format(
            "LeLamp Animation",
            "An animation for LeLamp's own player: 30 rows a second, in shares of the servos' ranges",
            ".csv",
            lambda motion, _: lelamp.write(motion),
            lambda data, *_: lelamp.read(data),
            lelamp.is_animation,
            has_frames=True,
            usual_rate=lelamp.RATE,
        ),
        "lerobot": Format(
            "LeRobot Dataset",
            "A folder with an episode for LeRobot's own replay and training; to import one, choose"
            " meta/info.json in it",
            "",
            lambda motion, settings: lerobot_writing.write(motion, settings.episode.values),
            lambda data, path, settings: lerobot_dataset.read(
                data, path, settings.episode, settings.allow_large
            ),
            lerobot_dataset.is_info,
            (".json",),
            has_episodes=True,
            has_frames=True,
            usual_rate=30,
            has_positions=False,
        ),
        "ros2": _with_variants(
            "ROS 2, Joint Trajectory",
            "A trajectory_msgs/JointTrajectory for ros2 topic pub, controllers and rosbridge",
            ros2_yaml=Format(
                "YAML",
                "As ros2 topic echo shows and ros2 topic pub sends it",
                ".yaml",
                lambda motion, _: joint_trajectory.write_yaml(motion),
                lambda data, *_: joint_trajectory.read_yaml(data),
                joint_trajectory.is_text,
                more_suffixes=(".yml", ".txt"),
                has_frames=True,
                has_positions=False,
            ),
            ros2_json=Format(
                "JSON",
                "As rosbridge sends it",
                ".json",
                lambda motion, _: joint_trajectory.write_json(motion),
                lambda data, *_: joint_trajectory.read_json(data),
                joint_trajectory.is_trajectory,
                (".jsonl",),
                has_frames=True,
                has_positions=False,
            ),
        ),
        "csv": _with_variants(
            "CSV",
            "A table of the time and the joints. Any table of joints is read",
            csv=Format(
                "Joints and Servos",
                "Joints in degrees or millimetres, and servos' positions; at rest at both ends",
                ".csv",
                lambda motion, _: plain.table(motion),
                lambda data, _, settings: plain.read_table(data, settings.frame_rate),
                more_suffixes=TABLES,
            ),
            joints_csv=Format(
                "Joints",
                "Joints by the names that the robot's own file has, in radians and metres, a row for each frame",
                ".csv",
                lambda motion, _: plain.joint_table(motion.recording),
                lambda data, _, settings: plain.read_table(data, settings.frame_rate),
                more_suffixes=TABLES,
                has_frames=True,
                has_positions=False,
            ),
        ),
        "json": Format(
            "JSON",
            "Joints with their limits, servos, and all rows in full precision",
            ".json",
            lambda motion, _: plain.write_document(motion),
            lambda data, _, settings: plain.read_json(data, settings.frame_rate),
            plain.is_own_or_table,
            (".jsonl",),
            has_positions=False,
        ),
        "servo_animation": _with_variants(
            "blender-servo-animation",
            "Files for blender-servo-animation's own library",
            servo_animation_h=Format(
                "Arduino",
                "The header that its Arduino library plays",
                ".h",
                lambda motion, _: servo_animation.header(motion),
            ),
            servo_animation_bin=Format(
                "Binary",
                "The commands of the Arduino header as bytes, for a memory card",
                ".bin",
                lambda motion, _: servo_animation.binary(motion),
            ),
            servo_animation_json=Format(
                "JSON",
                "A list of frames, each with the servos' positions",
                ".json",
                lambda motion, _: servo_animation.document(motion),
            ),
        ),
    }
)
