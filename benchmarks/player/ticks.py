"""Processor time of the player's ticks. A character plays in real time, as with `limber play`, while a person
moves its target and sends events; without a page, and with one that a browser shows.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from limber.character.file.contents import CharacterFile
from limber.character.one_thread import in_one_thread
from limber.inputs.words import Order
from limber.player.live import LiveOptions, LivePlay
from wsproto import ConnectionType, WSConnection
from wsproto.events import Request

RATE = 60.0  # ticks per second
EVENTS_EVERY = 90  # number of ticks from one event to the next
WARM = 60  # number of first ticks that are not measured


class Ticks(NamedTuple):
    """Processor time [ms] of each tick in its own thread, and of all threads from one tick to the next."""

    tick: list[float]
    process: list[float]

    def __str__(self) -> str:
        rows = {"tick": self.tick, "all threads": self.process}
        return ", ".join(
            f"{name} {np.percentile(row, 50):.2f} ms p50, {np.percentile(row, 99):.2f} ms p99"
            for name, row in rows.items()
        )


class _Measured(LivePlay):
    """A performance that measures its ticks; it calls `direct` with the number of each tick before it."""

    direct: Callable[[int], None]

    def measure(self, direct: Callable[[int], None], simulated: float) -> Ticks:
        """Plays for `simulated` seconds of simulated time, in which each tick follows the last immediately,
        or in real time if 0; returns the times of the ticks after the first `WARM`.
        """
        self.direct, self.ticks = direct, Ticks([], [])
        self._process = time.process_time()
        if simulated:
            with in_one_thread():
                for number in range(round(simulated * RATE)):
                    self._tick(number / RATE, 1.0 / RATE if number else 0.0, 1.0 / RATE)
            self._close()
        else:
            self.run()
        return Ticks(*(row[WARM:] for row in self.ticks))

    def _tick(self, seconds: float, dt: float, due: float) -> None:
        self.direct(len(self.ticks.tick))
        process, begun = time.process_time(), time.thread_time()
        super()._tick(seconds, dt, due)
        self.ticks.tick.append(1e3 * (time.thread_time() - begun))
        self.ticks.process.append(1e3 * (process - self._process))
        self._process = process


def measured(
    character: CharacterFile, path: Path, seconds: float, has_page: bool, is_simulated: bool
) -> Ticks:
    """Times of the ticks of a character that plays for `seconds`, on one core and without robots. With
    `has_page` a simulated browser shows its page. With `is_simulated` ticks follow each other immediately;
    otherwise they come in real time, and take longer, since the contents of the processor's caches are
    replaced between two ticks: `caches.walked` measures by how much on this computer.
    """
    lines: list[str] = []
    options = LiveOptions(RATE, seconds, without_robot=True, page=0 if has_page else None)
    with on_one_core():  # also the page's thread, which starts here
        play = _Measured(character, path, options, lines.append)
        address = next((line.removeprefix("Page: ") for line in lines if line.startswith("Page: ")), "")
        with _browser(address):
            simulated = seconds if is_simulated else 0.0
            return play.measure(lambda number: _direct(play, character, number), simulated)


def _direct(play: LivePlay, character: CharacterFile, number: int) -> None:
    """Gives the orders of a tick: a new position of the target, and at intervals an event."""
    chain, events = character.chains[0], character.behaviour.events
    centre = np.array(character.targets[0].anchor.frame.at(0.0))[:3, 3]
    position = centre + 0.2 * np.array([np.sin(number / 40), np.cos(number / 63), np.sin(number / 27)])
    play._director.obey(Order("target", chain.name, tuple(position.tolist())), "benchmark")
    if number % EVENTS_EVERY == 0:
        play._director.obey(Order("event", events[number // EVENTS_EVERY % len(events)]), "benchmark")


@contextmanager
def on_one_core() -> Iterator[None]:
    """Context in which this thread, and threads and processes that it starts, run on one core, if the system
    supports it. Threads that were started there stay on that core afterwards.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def _browser(address: str) -> Iterator[None]:
    """Context in which a separate process receives the page's states at an address, as a browser does; none
    if the address is "".
    """
    if not address:
        yield
        return
    context = get_context("spawn")
    is_open, is_over = context.Event(), context.Event()
    process = context.Process(target=_show, args=(address, is_open, is_over), daemon=True)
    process.start()
    is_open.wait()
    try:
        yield
    finally:
        is_over.set()
        process.join()


def _show(address: str, is_open: Event, is_over: Event) -> None:
    """Opens the page's connection, sets `is_open`, and reads all data that it receives until `is_over` is set
    or the player ends.
    """
    parts = urlsplit(address)
    connection = WSConnection(ConnectionType.CLIENT)
    with socket.create_connection((parts.hostname, parts.port)) as stream:
        host = f"{parts.hostname}:{parts.port}"
        stream.sendall(connection.send(Request(host=host, target=f"/directing?{parts.query}")))
        assert b" 101 " in stream.recv(4096)
        is_open.set()
        while not is_over.is_set() and stream.recv(1 << 16):
            pass
