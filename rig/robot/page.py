"""The web page with which a person directs an armature or mechanism from a browser: its state, and the
commands given on it.

It is the player's page, and controls a rehearsal. A timer executes commands; a stop is executed at once.
"""

import json
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import bpy

from ...character.behaviour.performer import Requested
from ...hardware.errors import HardwareError
from ...hardware.robot_session import EXPIRING, TO_ROBOTS, possible_orders
from ...hardware.safety import State
from ...hardware.sentences import pose_texts
from ...inputs.errors import InputError
from ...inputs.inbox import refuse_others
from ...inputs.page.orders import order_from
from ...inputs.page.server import PageServer
from ...inputs.waiting_orders import FRESH, WaitingOrder, WaitingOrders
from ..behaviour.choices import event_names
from ..blender.errors import RigError
from ..blender.presence import find
from ..blender.write_access import granted
from ..live import rehearsal
from ..live.live import is_playing
from ..scene.goal import followed_target, watched
from . import links
from .remote_orders import ORDERS, cameras, stored_postures
from .sending import robots
from .values import value_of

EVERY = 0.1  # [s] time between two updates of the page's state
NOT_CONNECTED = "the robot is not connected: press Connect in Blender"


@dataclass
class _Page:
    """The page of an armature or mechanism, and the commands that came from browsers and wait."""

    rig_name: str
    server: PageServer | None = None
    failure: str = ""  # reason why the last command failed
    shown_at: float = 0.0  # [s, monotonic clock] time of the next update of the page's state
    orders: WaitingOrders = field(default_factory=WaitingOrders)

    def take(self, message: dict[str, Any]) -> None:
        """Takes a command, in the server's thread."""
        order = order_from(message)
        if order is not None:
            self.orders.put(order)

    def stop(self) -> None:
        """Stops all robots at once, in the server's thread."""
        self.orders.stop()
        links.press_stops()


_pages: dict[int, _Page] = {}  # pages that are served, by the object's session_uid
_stops_done: dict[int, int] = {}  # by the same keys: number of stops for which permits have been withdrawn


def serve(rig: bpy.types.Object) -> str:
    """Serves the page of an object, in place of its earlier one; returns its address.

    Raises:
        InputError: the address cannot be used, or other computers could reach it and Blender is not allowed
            online access.
    """
    remote = rig.limber.remote
    refuse_others(remote.host, bpy.app.online_access)
    end(rig)
    page = _Page(rig.name)
    try:
        page.server = PageServer(remote.host, remote.page_port, page.take, page.stop)
    except OSError as error:
        raise InputError(
            f"The page cannot be served on port {remote.page_port} of {remote.host}"
            f" ({error.strerror or error}): choose another port"
        ) from error
    _pages[rig.session_uid] = page
    return page.server.address


def end(rig: bpy.types.Object) -> None:
    """Stops serving the page of an object."""
    page = _pages.pop(rig.session_uid, None)
    _stops_done.pop(rig.session_uid, None)
    if page is not None and page.server is not None:
        page.server.close()


def end_all() -> None:
    """Stops serving all pages."""
    for page in _pages.values():
        if page.server is not None:
            page.server.close()
    _pages.clear()
    _stops_done.clear()


def address(rig: bpy.types.Object) -> str:
    """Address of the page of an object; "" if it is not served."""
    page = _pages.get(rig.session_uid)
    return page.server.address if page is not None and page.server is not None else ""


def is_served() -> bool:
    """Whether any page is served."""
    return bool(_pages)


def look() -> bool:
    """Executes the commands given on the pages, and sends their state to those that are open; returns whether
    there was a command or a stop. A stop on one page stops all robots. The page of a deleted object is ended.
    """
    done = False
    for uid, page in list(_pages.items()):
        rig = find(page.rig_name, uid)
        if rig is None:
            _pages.pop(uid).server.close()
            _stops_done.pop(uid, None)
            continue
        page.rig_name = rig.name
        if page.orders.stops != _stops_done.get(uid, 0):
            _stops_done[uid] = page.orders.stops
            links.stop_all()
            done = True
        for waiting in page.orders.take():
            done = True
            try:
                page.failure = ""
                _execute(rig, waiting)
            except (RigError, HardwareError) as error:
                page.failure = str(error)
        if page.server.is_watched and (time_now := monotonic()) >= page.shown_at:
            page.shown_at = time_now + EVERY
            page.server.publish(json.dumps(_state(rig, page.failure)))
    return done


@granted
def _execute(rig: bpy.types.Object, waiting: WaitingOrder) -> None:
    """Executes a command from the page; releasing a button does nothing.

    Raises:
        RigError, HardwareError: it cannot be executed now.
    """
    order = waiting.order
    if order.is_released:
        return
    if order.word in TO_ROBOTS:
        if order.word in EXPIRING and waiting.is_late:
            raise RigError(f"'{order.word}' came over {FRESH:g} s ago, and is not done: press again")
        _order_robot(rig, order.word)
    elif order.word in ORDERS:
        ORDERS[order.word](rig, order)
        rig.update_tag()
    else:
        raise RigError(f"'{order.word}' is an order to a character that plays without Blender")


def _order_robot(rig: bpy.types.Object, word: str) -> None:
    """Executes a person's button press for the robot; raises RigError if it is not connected or its state
    forbids it.
    """
    robot = robots.get(rig.session_uid)
    if robot is None:
        raise RigError(f"'{word}': {NOT_CONNECTED}")
    if word not in possible_orders(robot.link.status()):
        raise RigError(f"'{word}' cannot be done now. {robot.link.status().sentence}")
    robot.session.order(word)


def _state(rig: bpy.types.Object, remark: str) -> dict[str, Any]:
    """State of the page, as values that JSON can express; `remark`: why the last command failed, or ""."""
    scene = bpy.context.scene
    is_rehearsed = rehearsal.is_on(scene)
    seconds_a_frame = scene.render.fps_base / scene.render.fps
    values = [
        {"name": value.name, "value": number, "lower": value.low, "upper": value.high}
        for value in rig.limber.device.auxiliaries
        if (number := value_of(value)) is not None
    ]
    return {
        "character": rig.name,
        "robots": [_robot(rig)] if rig.session_uid in robots else [],
        "state": rehearsal.state(scene),
        "states": [state.name for state in scene.limber_behaviour.states] if is_rehearsed else [],
        "events": event_names(scene.limber_behaviour) if is_rehearsed else [],
        "cameras": list(dict.fromkeys(name for chain in rig.limber.chains for name in cameras(chain))),
        "chains": [_chain(rig, chain) for chain in rig.limber.chains],
        "values": values,
        "clip": {
            "seconds": (scene.frame_current - scene.frame_start) * seconds_a_frame,
            "length": (scene.frame_end - scene.frame_start) * seconds_a_frame,
            "plays": is_playing(),
        },
        "decisions": rehearsal.lines(scene)[-8:],
        "said": [remark] if remark else [],
    }


def _robot(rig: bpy.types.Object) -> dict[str, Any]:
    """State of the connected robot for the page."""
    robot = robots[rig.session_uid]
    status = robot.link.read_status()
    is_asking = status.state is State.CONFIRM_POSE
    return {
        "name": rig.name,
        "sentence": status.sentence,
        "is_lost": links.is_lost(rig),
        "is_moving": status.moving,
        "warnings": list(status.warnings),
        "orders": possible_orders(status),
        "pose": pose_texts(robot.link.device.joints, robot.angles) if is_asking else [],
    }


def _chain(rig: bpy.types.Object, chain: bpy.types.PropertyGroup) -> dict[str, Any]:
    """State of a chain for the page."""
    targets = [watched(chain, number) for number in range(1 + len(chain.targets))]
    weights = {name: posture.weight for name, posture in stored_postures(chain).items()}
    request, set_by = Requested(weights, chain.influence, chain.share), {}
    if (directing := rehearsal.directing(rig, chain)) is not None:
        performer, name = directing
        request, set_by = performer.requested(name) or request, performer.set_by(name)
    # reversed, so that of several targets with the same name the first is used
    by_name = {target.name: target for target in reversed(targets) if target is not None}
    target = by_name.get(request.target) or followed_target(chain)
    position = target.obj.matrix_world.translation if target is not None else (0.0, 0.0, 0.0)
    return {
        "name": chain.name,
        "target": target.name if target is not None else "",
        "targets": list(dict.fromkeys(each.name for each in targets if each is not None)),
        "position": list(position),
        "postures": [
            {"name": name, "weight": request.weights.get(name, weight)} for name, weight in weights.items()
        ],
        "influence": request.influence,
        "share": request.share,
        "set_by": set_by,
    }
