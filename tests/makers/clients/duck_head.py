"""Moves servos on a port with the Open Duck's driver (rustypot), its first version or a newer one, and prints
the values read as JSON: run with PORT, ids.
"""

import json
import sys
import time

import rustypot

RATE = 1_000_000
REST = 60.0  # [s] longest time until the servos are at rest
ANGLES = [0.2, -0.3, 0.5, -0.1]  # [rad] goals of the servos
port, ids = sys.argv[1], [int(number) for number in sys.argv[2:]]
is_first = hasattr(rustypot, "feetech")  # version 0.1.0
driver = rustypot.feetech(port, RATE) if is_first else rustypot.Sts3215PyController(port, RATE, 5.0)


def positions() -> list[float]:
    return list(driver.read_present_position(ids) if is_first else driver.sync_read_present_position(ids))


def at_rest() -> list[float]:
    """Angles [rad] at which the servos come to rest."""
    before, until = None, time.monotonic() + REST
    while (now := positions()) != before and time.monotonic() < until:
        before = now
        time.sleep(0.1)
    return now


told = {"version": "0.1.0" if is_first else "newer", "at first": positions()}
if is_first:
    driver.set_kps(ids, [8] * len(ids))
    driver.write_goal_position(ids, told["at first"])
    driver.enable_torque(ids)
    driver.write_goal_position(ids, ANGLES)
    told["at rest"] = at_rest()
    told["speed"] = list(driver.read_present_velocity(ids))
    driver.disable_torque(ids)
else:
    driver.sync_write_p_coefficient(ids, [8] * len(ids))
    driver.sync_write_goal_position(ids, told["at first"])
    driver.sync_write_torque_enable(ids, [True] * len(ids))
    driver.sync_write_goal_position(ids, ANGLES)
    told["at rest"] = at_rest()
    told["load"] = list(driver.sync_read_present_load(ids))
    told["temperature"] = list(driver.sync_read_present_temperature(ids))
    told["offset"] = list(driver.sync_read_homing_offset(ids))
    told["highest"] = list(driver.sync_read_max_position_limit(ids))
    told["pings"] = [bool(driver.ping(number)) for number in ids]
    driver.sync_write_torque_enable(ids, [False] * len(ids))
print(json.dumps(told))
