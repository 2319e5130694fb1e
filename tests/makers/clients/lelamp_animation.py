"""Plays recordings on a port with LeLamp's AnimationService: run in the makers' Python with PORT, FOLDER of
lamp.json and recordings, RUNTIME.

Each recording is played once; then it prints a line. Values are those of the recordings.
"""

import sys
import time
from pathlib import Path

import patience  # noqa: F401  # isort: skip
import lerobot.utils.errors as errors

port, folder, runtime = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
sys.modules.setdefault("lerobot.errors", errors)  # module before LeRobot 0.4
sys.path.insert(0, runtime)
from lelamp.service.motors.animation_service import AnimationService  # noqa: E402

service = AnimationService(port, "lamp", fps=30, duration=0.2, idle_recording="idle")
service.robot_config.calibration_dir = folder
service.recordings_dir = str(folder)
service.start()
until = time.monotonic() + 60.0
while service._current_state is None and time.monotonic() < until:
    time.sleep(0.05)
service.dispatch("play", "move")
while service._current_recording != "move" and time.monotonic() < until:
    time.sleep(0.01)
while service._current_recording == "move" and time.monotonic() < until:
    time.sleep(0.01)
time.sleep(1.0)
service._running.clear()
service._event_thread.join()
print(service._current_state)
service.robot.bus.disconnect(disable_torque=False)
