"""Makes LeRobot's Feetech bus wait longer for answers on a busy machine than its own 50 ms."""

import light  # noqa: F401  # isort: skip
from lerobot.motors.feetech import feetech

PATIENCE = 5000.0  # [ms] longest waiting time


def _wait_longer(self, _packet_length) -> None:
    self.setPacketTimeoutMillis(PATIENCE)


feetech.patch_setPacketTimeout = _wait_longer
