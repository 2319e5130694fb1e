"""Presses Connect for a .blend that names a program as the robot's protocol: Esc and Enter close the dialog,
a click allows the program.
"""

import importlib.util
import tempfile
from pathlib import Path

import bpy

RIGS = Path(__file__).resolve().parents[2] / "blender" / "rigs.py"
# position in a dialog, which opens in the window's corner, where the mouse has not been yet
IN_DIALOG = (150, 100)
ALLOW = (518, 28)  # position of its button Allow and Run


def play(stage):
    spec = importlib.util.spec_from_file_location("rigs", RIGS)
    rigs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rigs)
    folder = Path(tempfile.mkdtemp())
    mark, program = folder / "it_ran", folder / "my_robot.py"
    program.write_text(
        f"open({str(mark)!r}, 'w').close()\n\ndef frame(positions):\n    return b''\n", encoding="utf-8"
    )
    stage.move(IN_DIALOG)
    with stage.context():
        rig = rigs.build({"neck": None, "head": "neck"})
        rigs.select(rig, "head")
        bpy.ops.limber.new_chain()
        device = rig.limber.device
        rig.limber.chains[0].joints[0].servo = 0
        device.protocol, device.protocol_file, device.port = "file", str(program), "/dev/limber-no-such-port"
    for way, fact in (("ESC", "left"), ("RET", "entered"), (ALLOW, "allowed")):
        yield 0.2
        with stage.context():
            bpy.ops.limber.connect("INVOKE_DEFAULT")
        yield 0.2
        stage.photograph(f"program_{fact}")
        stage.press(way, IN_DIALOG) if isinstance(way, str) else stage.click(way)
        yield 3.0 if isinstance(way, str) else 0.1  # by then a program would have run
        if not isinstance(way, str):
            yield from stage.until(mark.exists)
        stage.facts[fact] = mark.exists()
