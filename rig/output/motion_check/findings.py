"""Findings about a mover's motion: exceeded joint limits, discontinuities, lost goals, and links in no-go
zones. Does not use Blender.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import degrees
from typing import NamedTuple

import numpy as np

from .. import discontinuities

# a value exceeds a limit if it is larger by more than this share of the limit; a joint is at a position limit
# if it is nearer than this share of its range
ROUNDING = 1e-3
WHOLE = 100.0  # numbers from this size on are shown without decimals
GAP = 2  # largest number of frames between two findings of a kind that are merged


class FindingKind(NamedTuple):
    """Kind of finding: its name and icon in the interface, and its colour in the plot."""

    label: str
    icon: str
    colour: tuple[float, float, float]  # linear RGB, from a colour-blind-safe palette (Okabe & Ito 2008)


# the most serious first
KINDS: dict[str, FindingKind] = {
    "GOAL": FindingKind("No goal", "CANCEL", (0.0, 0.0, 0.0)),
    "ZONE": FindingKind("In zone", "CUBE", (0.55, 0.1, 0.1)),
    "JUMP": FindingKind("Jump", "FORCE_TURBULENCE", (0.83, 0.37, 0.0)),
    "LOST": FindingKind("Lost aim", "HIDE_ON", (0.80, 0.47, 0.65)),
    "AXIS": FindingKind("Off axis", "CONSTRAINT_BONE", (0.45, 0.45, 0.45)),
    "VELOCITY": FindingKind("Velocity", "FF", (0.90, 0.62, 0.0)),
    "ACCELERATION": FindingKind("Acceleration", "NEXT_KEYFRAME", (0.94, 0.89, 0.26)),
    "JERK": FindingKind("Jerk", "IPO_ELASTIC", (0.0, 0.62, 0.45)),
    "LIMIT": FindingKind("At limit", "CON_ROTLIMIT", (0.0, 0.45, 0.70)),
    "FILTER": FindingKind("Filter", "MOD_SMOOTH", (0.34, 0.71, 0.91)),
}


@dataclass(frozen=True)
class CheckedJoint:
    """A joint's name and its limits [rad; prismatic joints m; per s, s2, s3]."""

    name: str
    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float
    is_prismatic: bool = False


@dataclass
class CheckedTake:
    """The motion of a chain, a body or a mechanism over a range of frames, one row per frame.

    Attributes:
        chain: Name of the mover.
        seconds: Time [s] from one frame to the next.
        joints: The n joints.
        is_solved: Whether a solver and a motion filter move the joints; otherwise their values are as the
            scene shows them.
        frames: Numbers of the frames.
        desired: For each frame (n,) [rad; prismatic joints m] the solver's values, blended by the gaze's
            influence.
        filtered: For each frame (n,) these values after the motion filter, as they are shown, baked and sent.
        ends: For each frame the end with the largest error: "The end", or a link's name.
        errors: For each frame the error [rad] of the solution.
        filtered_errors: For each frame the error [rad] after the motion filter.
        causes: Reason why the solution misses its goals, with the remedy, for each frame in which it does, if
            known.
        influence: For each frame the influence of the gaze, 0 to 1.
        problems: Reason for each frame without a goal to follow.
        remarks: Reason for each frame in which goals are not met, for movers that have other goals than
            directions.
        off_axis: For each frame in which constraints give a bone a pose that its joints cannot represent: a
            sentence on that pose.
        links, zones: Names of the links that its joints move, and of the no-go zones.
        lines: For each frame (links, 2, 3) [m] the links' heads and tails in the world, as shown.
        inside: For each frame (links, zones) [m] the largest depth in the zones since the last frame; below 0
            outside.
        zone_depths: For each frame (links, zones) [m] the depth in the zones at the frame itself.
    """

    chain: str
    seconds: float
    joints: tuple[CheckedJoint, ...]
    is_solved: bool = True
    frames: list[int] = field(default_factory=list)
    desired: list[np.ndarray] = field(default_factory=list)
    filtered: list[np.ndarray] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    filtered_errors: list[float] = field(default_factory=list)
    causes: dict[int, str] = field(default_factory=dict)
    influence: list[float] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)
    remarks: dict[int, str] = field(default_factory=dict)
    off_axis: dict[int, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    lines: list[np.ndarray] = field(default_factory=list)
    inside: list[np.ndarray] = field(default_factory=list)
    zone_depths: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True)
class MotionFinding:
    """A problem in a range of frames, with the frame where it is worst."""

    kind: str
    chain: str
    joint: str  # name of the joint, or of the link that enters a zone; "": the whole chain
    first: int
    last: int
    worst: int
    value: float  # value at the worst frame [degrees, mm; per s, s2, s3]
    bound: float  # limit that the value exceeds, in the same unit
    unit: str
    sentence: str
    zone: str = ""  # name of the zone that a link enters

    @property
    def subject(self) -> str:
        """The subject of the finding, such as a joint's name."""
        return f"{self.joint} in {self.zone}" if self.zone else self.joint or self.chain


def findings(take: CheckedTake, lost_beyond: float, changed_beyond: float) -> list[MotionFinding]:
    """All findings about a motion, by severity, then by time.

    Args:
        take: The motion.
        lost_beyond: Aim error [rad] above which a target counts as lost.
        changed_beyond: Difference [rad] between filtered and desired joint values above which it is reported.
    """
    all_findings = [
        *_messages(take, "GOAL", take.problems),
        *_messages(take, "LOST", take.remarks),
        *_messages(take, "AXIS", take.off_axis),
    ]
    all_findings += [*_in_zones(take), *_lost(take, lost_beyond)]
    desired, filtered = np.array(take.desired), np.array(take.filtered)
    for k, joint in enumerate(take.joints):
        all_findings += _of_joint(take, joint, desired[:, k], filtered[:, k], changed_beyond)
    return by_severity(all_findings)


def by_severity(all_findings: Iterable[MotionFinding]) -> list[MotionFinding]:
    """Findings, the most serious kinds first, and those of a kind by their first frames."""
    order = list(KINDS)
    return sorted(all_findings, key=lambda finding: (order.index(finding.kind), finding.first, finding.joint))


def _messages(take: CheckedTake, kind: str, text_by_frame: Mapping[int, str]) -> Iterator[MotionFinding]:
    """Findings for runs of frames with a message; each run has its first message."""
    for first, last in _runs(np.array([frame in text_by_frame for frame in take.frames])):
        frame = take.frames[first]
        yield MotionFinding(
            kind, take.chain, "", frame, take.frames[last], frame, 0.0, 0.0, "", text_by_frame[frame]
        )


def _lost(take: CheckedTake, beyond: float) -> Iterator[MotionFinding]:
    """Findings on frames in which an end's error after the motion filter is above `beyond` [rad]."""
    after, before = np.array(take.filtered_errors), np.array(take.errors)
    for first, last in _runs(after > beyond):
        worst = first + int(after[first : last + 1].argmax())
        why = "the motion filter lags behind"
        if before[worst] > beyond:
            cause = take.causes.get(take.frames[worst], "")
            why = (
                "the solution has an error"
                f" too{f': {cause}' if cause else ', since the target is out of reach or moves too fast'}"
            )
        elif take.influence[worst] < 1.0:
            why = f"the gaze has an influence of {take.influence[worst]:.2f}"
        sentence = (
            f"{take.ends[worst]} has an error of {degrees(after[worst]):.1f}°, more than"
            f" {degrees(beyond):.1f}°: {why}"
        )
        yield _finding(
            take, "LOST", "", (first, last, worst), degrees(after[worst]), degrees(beyond), "°", sentence
        )


def _in_zones(take: CheckedTake) -> Iterator[MotionFinding]:
    """Findings on frames in which a link is in a no-go zone, or has passed through one since the last."""
    inside = np.array(take.inside)
    for j, zone in enumerate(take.zones):
        for k, link in enumerate(take.links):
            for first, last in _runs(inside[:, k, j] > 0.0):
                worst = first + int(inside[first : last + 1, k, j].argmax())
                value = 1e3 * float(inside[worst, k, j])
                sentence = f"Bone '{link}' is up to {_number(value)} mm inside no-go zone '{zone}'"
                if take.zone_depths[worst][k, j] <= 0.0:
                    sentence = (
                        f"Bone '{link}' goes up to {_number(value)} mm into no-go zone '{zone}' between the"
                        " last frame and this one"
                    )
                finding = _finding(take, "ZONE", link, (first, last, worst), value, 0.0, "mm", sentence)
                yield replace(finding, zone=zone)


def _of_joint(
    take: CheckedTake, joint: CheckedJoint, desired: np.ndarray, filtered: np.ndarray, changed_beyond: float
) -> Iterator[MotionFinding]:
    """Findings on a joint, from its values (t,) before and after the motion filter [rad; prismatic joints
    m].
    """
    scale, unit = (1e3, " mm") if joint.is_prismatic else (degrees(1.0), "°")
    name = joint.name

    def exceeding(
        kind: str, amounts: np.ndarray, bound: float, end: str, says: Callable[[str, str], str]
    ) -> Iterator[MotionFinding]:
        for first, last in _runs(amounts > bound * (1.0 + ROUNDING)):
            worst = first + int(amounts[first : last + 1].argmax())
            value, most = scale * float(amounts[worst]), scale * bound
            sentence = f"{name}: {says(_number(value) + unit + end, _number(most) + unit + end)}"
            yield _finding(take, kind, name, (first, last, worst), value, most, unit.strip() + end, sentence)

    # the first frame has no predecessor, and so no jump
    steps = np.abs(np.diff(desired, prepend=desired[:1]))
    largest = discontinuities.beyond(joint.lower, joint.upper, joint.is_prismatic)
    yield from exceeding(
        "JUMP", steps, largest, "", lambda value, bound: f"jumps by {value} in one frame, more than {bound}"
    )
    # a solution lags behind because of the motion filter, a posed joint only because of the robot itself
    behind = "the filter" if take.is_solved else "the robot"
    for kind, order, bound, end in (
        ("VELOCITY", 1, joint.velocity, "/s"),
        ("ACCELERATION", 2, joint.acceleration, "/s²"),
        ("JERK", 3, joint.jerk, "/s³"),
    ):
        amounts = np.abs(derivative(desired, order, take.seconds))
        yield from exceeding(
            kind,
            amounts,
            bound,
            end,
            lambda value, bound: f"{value} is requested, {bound} is allowed: {behind} lags behind",
        )
    # joints without limits have an infinite range, to whose ends no value is near
    near = ROUNDING * (joint.upper - joint.lower)
    at_limit = np.isfinite(near) & (np.minimum(desired - joint.lower, joint.upper - desired) <= near)
    for first, last in _runs(at_limit):
        value, is_upper = float(desired[first]), desired[first] > (joint.lower + joint.upper) / 2
        edge = joint.upper if is_upper else joint.lower
        sentence = (
            f"{name}: stands at its {'upper' if is_upper else 'lower'} limit, {scale * edge:z.1f}{unit}"
        )
        yield _finding(
            take, "LIMIT", name, (first, last, first), scale * value, scale * edge, unit.strip(), sentence
        )
    if not joint.is_prismatic:
        yield from exceeding(
            "FILTER",
            np.abs(filtered - desired),
            changed_beyond,
            "",
            lambda value, bound: f"the filter keeps it {value} from the solution",
        )


def _number(value: float) -> str:
    """A number as text, without decimals from `WHOLE` on."""
    return f"{value:.1f}" if value < WHOLE else f"{value:.0f}"


def derivative(values: np.ndarray, order: int, seconds: float) -> np.ndarray:
    """Derivative (t,) of values (t,) by `order` finite differences, with a time step of `seconds` [s]; 0 for
    the first frames, which have no predecessors.
    """
    differences = np.zeros(len(values))
    if len(values) > order:
        differences[order:] = np.diff(values, order) / seconds**order
    return differences


def _finding(
    take: CheckedTake,
    kind: str,
    joint: str,
    indices: tuple[int, int, int],
    value: float,
    bound: float,
    unit: str,
    sentence: str,
) -> MotionFinding:
    first, last, worst = (take.frames[index] for index in indices)
    return MotionFinding(kind, take.chain, joint, first, last, worst, value, bound, unit, sentence)


def _runs(mask: np.ndarray) -> Iterator[tuple[int, int]]:
    """(first, last) index of each run of True values in a mask (t,); runs with short gaps are joined."""
    indices = np.flatnonzero(mask)
    if not len(indices):
        return
    breaks = np.flatnonzero(np.diff(indices) > GAP + 1)
    starts, ends = np.r_[0, breaks + 1], np.r_[breaks, len(indices) - 1]
    for start, end in zip(starts, ends, strict=True):
        yield int(indices[start]), int(indices[end])


def csv(all_findings: list[MotionFinding]) -> str:
    """Findings as comma-separated values with full precision."""
    lines = ["kind,chain,joint,first,last,worst,value,bound,unit,zone,sentence"]
    for finding in all_findings:
        texts = (
            finding.kind.lower(),
            finding.chain,
            finding.joint,
            finding.first,
            finding.last,
            finding.worst,
            repr(finding.value),
            repr(finding.bound),
            finding.unit,
            finding.zone,
        )
        lines.append(",".join([*(_quoted(str(text)) for text in texts), _quoted(finding.sentence)]))
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\n') else text
