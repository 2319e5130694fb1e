"""Tests Export in Blender's own interface: the browser's options, progress, Esc, and the file."""


def test_the_browser_s_button_starts_an_export_that_shows_progress_and_that_escape_cancels(play):
    facts = play("export")
    assert facts["proposed"] == "limber_motion.h"
    assert facts["after_cancel"] == []
    assert facts["frame_after_cancel"] == 1
    assert facts["after_export"] == ["short.h"]
    assert facts["begins"][0].startswith("// A motion of 'Rig', made by Limber")
