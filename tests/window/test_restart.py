"""Tests that the extension stays enabled in Blender's preferences over a restart."""


def test_the_extension_is_enabled_again_when_blender_starts_with_saved_preferences(play):
    assert play("restart")["enabled_after_restart"]
