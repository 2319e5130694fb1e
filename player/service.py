"""Reports of the player to systemd, if it was started as a service (`Type=notify`).

Source: sd_notify(3): lines of `VARIABLE=value` in a datagram to the socket that `NOTIFY_SOCKET` names;
sd_watchdog_enabled(3): a heartbeat within half of `WATCHDOG_USEC`, by the process `WATCHDOG_PID`.
"""

import os
import socket
import time
from collections.abc import Callable

from ..files.plain import printable


class ServiceManager:
    """The service manager (systemd) that started this process, to which it reports by sd_notify; no effect
    without one.
    """

    def __init__(self) -> None:
        address = os.environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        microseconds = os.environ.get("WATCHDOG_USEC", "")
        is_watched = microseconds.isdigit() and os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(
            os.getpid()
        )
        # [s] interval of heartbeats: half of systemd's timeout
        self._period = int(microseconds) / 2e6 if is_watched else 0.0
        self._due = 0.0  # [s] time of the next heartbeat

    def ready(self) -> None:
        """Reports that the character is playing."""
        self._say("READY=1")

    def alive(self, status: Callable[[], str]) -> None:
        """Sends a heartbeat, with a line for `systemctl status`, if one is due: at half of systemd's timeout,
        or every second without one.
        """
        if self._address and (time_now := time.monotonic()) >= self._due:
            self._due = time_now + (self._period or 1.0)
            self._say(f"WATCHDOG=1\nSTATUS={printable(status())}")  # one line, for any name of a state

    def stopping(self) -> None:
        """Reports that the player is stopping, which takes until its robot is at rest."""
        self._say("STOPPING=1")

    def _say(self, text: str) -> None:
        if not self._address or not hasattr(socket, "AF_UNIX"):
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            try:
                sender.sendto(text.encode(), self._address)
            except OSError:  # the manager is absent or busy: the character continues to play
                return
