"""Lets LeRobot's Feetech bus wait for answers from a busy machine: its own 50 ms are for servos."""

import light  # noqa: F401  # isort: skip
from lerobot.motors.feetech import feetech

PATIENCE = 5000.0  # [ms]


def _wait_longer(self, _packet_length) -> None:
    self.setPacketTimeoutMillis(PATIENCE)


feetech.patch_setPacketTimeout = _wait_longer
