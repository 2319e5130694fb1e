"""Takes pictures of the robot's panel for each family of servos, for the documents: its settings, and the
functions of the protocol.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import robot_states

PORTS = {
    "limber": "/dev/ttyACM0",
    "feetech_sts": "/dev/ttyUSB0",
    "dynamixel": "/dev/ttyUSB0",
    "maestro": "/dev/ttyACM0",
}


def play(stage):
    rig, chain = lamp.build(stage)
    device = rig.limber.device
    robot_states.clear_tab(stage)
    stage.maximise()
    yield 0.5
    for protocol in (*PORTS, "servo_animation", "file"):
        device.protocol, device.port = protocol, PORTS.get(protocol, "/dev/ttyUSB0")
        chain.active_joint = 0
        robot_states.show(stage, "LIMBER_PT_protocol", "LIMBER_PT_channels")
        stage.open_tab()
        for _ in range(8):  # new or larger panels slide into their positions from one drawing to the next
            stage.redraw()
            yield 0.5
        stage.photograph(f"family_{protocol}")
    stage.facts["families"] = len(PORTS) + 2
