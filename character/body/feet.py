"""Foot contacts of a body: which feet stand on the floor, and at which positions. Pure functions.

The body is first solved without a floor. If this moves a standing foot, or puts one below the floor, the foot
is held in a second solve: a standing foot stays where it touched down, with its lowest point on the floor.
"""

from typing import NamedTuple

import numpy as np

from ...solvers.kinematics.se3 import Array
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.state import KinematicState

# [m/s] speed of a source foot below which it counts as standing; motion capture of a standing foot is noisy
STANDS = 0.15
# [m/s] speed from which a standing source foot counts as lifted; larger than STANDS, so that noise does not
# lift it
LIFTS = 0.3
# [m] height above the floor, or above the lower foot if the floor is not known, beyond which a foot counts as
# in the air; that far below the floor, it counts as on another floor
FLOOR = 0.08
# [m] the same limit for a source foot in a first frame, in which its speed is not known
FIRST = 0.04
# [m] displacement of a source foot since the body's foot touched down, from which the foot counts as dragged
# and is released
DRIFT = 0.1
EASING = 0.1  # [s] time constant with which a foot's offset decays after touch-down or release
# [m] distance of a foot that does not stand from its goal, up to which no contact holds it
NEGLIGIBLE = 1e-4


class Foot(NamedTuple):
    """A foot of the body, with the points of its sole."""

    link: str
    # (link, its points (m, 3) [m] that can touch the floor, in the link's frame)
    sole: tuple[tuple[str, Array], ...] = ()


class Floor(NamedTuple):
    """The floor: a plane in armature space."""

    up: Array  # (3,) unit normal; NaN if not known
    height: float  # [m] height of the floor's points along the normal

    @property
    def is_known(self) -> bool:
        """Whether height and normal are known."""
        return bool(np.isfinite(self.height) and np.isfinite(self.up).all())


class FootContact(NamedTuple):
    """Contact state of a foot in a frame."""

    is_planted: bool
    standing_position: Array  # (3,) [m] position of the foot's link while it stands
    source: Array  # (3,) [m] position of the foot's source at touch-down
    left: Array  # (3,) [m] decaying offset from where the foot would stand or move without it
    goal: Array  # (3,) [m] position to hold in this frame
    is_held: bool  # whether a contact must hold the foot, because the free body would move it
    sunk: float = 0.0  # [m] depth below the floor, by which the whole body is raised


def first(
    body: Body,
    feet: tuple[Foot, ...],
    sources: Array,
    floor: Floor,
    free: KinematicState,
    shown: KinematicState | None = None,
) -> tuple[FootContact, ...]:
    """Contact states in the first frame.

    Args:
        body: The body's model.
        feet: Feet of the body that can stand.
        sources: (f, 3) [m] positions of their source feet, scaled to the body; the third component is the
            height above that of a standing foot.
        floor: The floor.
        free: State of the body solved without a floor.
        shown: State of the body solved with contacts; None if not solved yet.
    """
    steps = []
    carried = (shown or free).base_position - free.base_position
    for foot, source in zip(feet, sources, strict=True):
        position = foot_position(body, foot, free)
        low = _depth(body, foot, floor, free, (free, shown or free))
        is_planted = bool(
            floor.is_known
            and abs(source[2]) < FIRST
            and abs(position @ floor.up - low - floor.height) < FLOOR
        )
        steps.append(
            _with_goal(
                floor,
                source,
                position + carried,
                carried,
                low,
                FootContact(is_planted, position, source, np.zeros(3), position, False),
            )
        )
    return tuple(steps)


def following(
    body: Body,
    feet: tuple[Foot, ...],
    before: tuple[FootContact, ...],
    sources: tuple[Array, Array],
    floor: Floor,
    free: tuple[KinematicState, KinematicState],
    shown: KinematicState,
    dt: float,
) -> tuple[FootContact, ...]:
    """Contact states in the next frame.

    Args:
        body, feet, floor: As for `first`.
        before: Contact states in the last frame.
        sources: Positions (f, 3) [m] of the source feet, as for `first`, in the last frame and now; NaN if
            not known.
        free: States of the body solved without a floor, in the last frame and now.
        shown: State of the body in the last frame, with contacts.
        dt: Time step [s].
    """
    speeds = np.linalg.norm(sources[1] - sources[0], axis=1) / dt
    lowest = np.min(sources[1][:, 2], where=np.isfinite(sources[1][:, 2]), initial=np.inf)
    remaining = np.exp(-dt / EASING)
    # displacement of the base, and with it of the other feet, by the held feet
    carried = shown.base_position - free[0].base_position
    steps = []
    for foot, old, source, speed in zip(feet, before, sources[1], speeds, strict=True):
        # if the floor is not known, the lowest foot defines it
        is_low = bool(abs(source[2]) < FLOOR if floor.is_known else source[2] <= lowest + FLOOR)
        # a planted foot stays until its source lifts or drifts, since even the source of a standing foot
        # trembles
        stays = bool(
            is_low and old.is_planted and speed < LIFTS and np.linalg.norm(source - old.source) < DRIFT
        )
        low = _depth(body, foot, floor, free[1], (free[0], shown))
        if stays:
            step = old
        # the foot is planted where it is shown, and not where its source is, so that nothing jumps
        elif is_low and speed < STANDS and not old.is_planted:
            step = old._replace(
                is_planted=True,
                standing_position=foot_position(body, foot, shown),
                source=source,
                left=np.zeros(3),
            )
            step = step._replace(left=step.standing_position - _stood(floor, low, step))
        # the foot's offset from its free position decays in the same way when it leaves the ground
        elif old.is_planted:
            step = old._replace(
                is_planted=False,
                left=foot_position(body, foot, shown) - foot_position(body, foot, free[0]) - carried,
            )
        else:
            step = old
        steps.append(
            _with_goal(
                floor,
                source,
                foot_position(body, foot, free[1]) + carried,
                carried,
                low,
                step._replace(left=remaining * step.left),
            )
        )
    return tuple(steps)


def in_last_frame(
    body: Body,
    feet: tuple[Foot, ...],
    last_feet: tuple[Foot, ...],
    last_contacts: tuple[FootContact, ...],
    last_sources: Array,
    free: KinematicState,
    shown: KinematicState,
) -> tuple[tuple[FootContact, ...], Array]:
    """Contact states and source positions (f, 3) [m] of the feet in the last frame. A foot that was chosen
    since counts as in the air where it was shown. Its source's position is NaN: without a known speed the
    foot does not stand yet.

    Args:
        body, feet: The model of the body, and its feet that can stand now.
        last_feet: The feet of the last frame.
        last_contacts: Their contact states.
        last_sources: Positions of their source feet, as for `first`.
        free: State of the body solved without a floor, in the last frame.
        shown: State of the body in the last frame.
    """
    known = {
        foot.link: (contact, source)
        for foot, contact, source in zip(last_feet, last_contacts, last_sources, strict=True)
    }
    contacts, sources = [], np.full((len(feet), 3), np.nan)
    for k, foot in enumerate(feet):
        if foot.link in known:
            contact, sources[k] = known[foot.link]
        else:
            position = foot_position(body, foot, shown)
            in_air = FootContact(False, position, sources[k], np.zeros(3), position, False)
            contact = slipped(body, foot, in_air, free, shown)
        contacts.append(contact)
    return tuple(contacts), sources


def rise(feet: tuple[FootContact, ...]) -> float:
    """Height [m] by which the whole body is raised so that no foot is below the floor."""
    return max((step.sunk for step in feet), default=0.0)


def slipped(
    body: Body, foot: Foot, step: FootContact, free: KinematicState, shown: KinematicState
) -> FootContact:
    """Contact state of a foot that is released where it is shown: one whose position the solver could not
    hold, or one that was not among the feet in the last frame.

    Args:
        body, foot: The body's model, and the foot.
        step: The foot's contact state so far.
        free, shown: States of the body solved without a floor, and with contacts.
    """
    carried = shown.base_position - free.base_position
    return step._replace(
        is_planted=False, left=foot_position(body, foot, shown) - foot_position(body, foot, free) - carried
    )


def foot_position(body: Body, foot: Foot, state: KinematicState) -> Array:
    """Position (3,) [m, armature space] of a foot's link."""
    position: Array = (
        body.placed(state.frames, body.link_indices([foot.link]))[0, :3, 3] + state.base_position
    )
    return position


def depth(body: Body, foot: Foot, up: Array, state: KinematicState) -> float:
    """Distance [m] from a foot's link origin down to the lowest point of its sole, measured along the unit
    vector `up` (3,) in armature space; 0 without a sole.
    """
    frames = body.placed(state.frames, body.link_indices([foot.link, *(link for link, _ in foot.sole)]))
    soles = zip(frames[1:], foot.sole, strict=True)
    heights = [float(((points @ frame[:3, :3].T + frame[:3, 3]) @ up).min()) for frame, (_, points) in soles]
    origin = frames[0, :3, 3] @ up
    return float(origin - min(heights, default=origin))


def _depth(
    body: Body, foot: Foot, floor: Floor, free: KinematicState, before: tuple[KinematicState, KinematicState]
) -> float:
    """As `depth`, for a held foot: estimated from the body without a floor now, and from its states
    `before` without and with contacts in the last frame; 0 if the floor is not known.
    """
    if not floor.is_known:
        return 0.0
    was_free, was_held = (depth(body, foot, floor.up, state) for state in before)
    return depth(body, foot, floor.up, free) + was_held - was_free


def _with_goal(
    floor: Floor, source: Array, position: Array, carried: Array, low: float, step: FootContact
) -> FootContact:
    """Contact state of a foot with its goal position.

    Args:
        floor, source: As for `first`.
        position: (3,) [m] position of the foot if it is not held.
        carried: (3,) [m] displacement of the base, and so of this foot, by the held feet.
        low: Distance [m] of its lowest point below its link's origin.
        step: Its contact state.
    """
    goal = (_stood(floor, low, step) if step.is_planted else position) + step.left
    sunk = 0.0
    if floor.is_known and source[2] > -FLOOR:  # a source that goes deeper stands on another floor
        goal = goal + floor.up * max(0.0, low + floor.height - float(goal @ floor.up))
        sunk = max(0.0, low + floor.height - float((position - carried) @ floor.up))
    return step._replace(
        goal=goal, is_held=step.is_planted or bool(np.linalg.norm(goal - position) > NEGLIGIBLE), sunk=sunk
    )


def _stood(floor: Floor, low: float, step: FootContact) -> Array:
    """Position (3,) [m] of a standing foot: horizontally at its touch-down, with its lowest point on the
    floor if that is known. `low`: distance [m] of this point below its link's origin.
    """
    if not floor.is_known:
        return step.standing_position
    stood: Array = step.standing_position + floor.up * (
        low + floor.height - float(step.standing_position @ floor.up)
    )
    return stood
