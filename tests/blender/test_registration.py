"""The extension registers, and registers again, in a real Blender."""

import bpy
import limber


def limber_classes() -> set[str]:
    return {name for name in dir(bpy.types) if name.startswith("LIMBER_")}


def test_operators_and_panels_are_there_once_registered():
    names = limber_classes()
    assert any("_OT_" in name for name in names)
    assert any("_PT_" in name for name in names)


def test_unregistering_takes_every_class_away_and_registering_brings_all_back():
    registered = limber_classes()
    limber.unregister()
    gone = limber_classes()
    limber.register()
    assert gone == set()
    assert limber_classes() == registered


def test_a_reopened_file_keeps_the_extension(reopen):
    before = limber_classes()
    reopen()
    assert limber_classes() == before
