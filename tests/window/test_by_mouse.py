"""Tests the tab with the mouse: each item of each drop-down can be selected, and each button does its work or
gives the reason why not. In a Blender from 5 on the mouse is used once in each panel.
"""

import pytest

pytestmark = pytest.mark.every_window

NOT_CLICKED = {  # enumerations that no click in the tab's panels sets -> reason
    "LimberJoint.axis": "no panel draws it",
    "LimberMotor.axis": "no panel draws it",
    "LimberChain.pictured_posture": (
        "pictures instead of items; its numbers are the postures' places in the list"
    ),
    "LimberView.plot_joint": "drawn while a robot measures; its numbers are the joints' places",
}


def test_every_item_of_every_drop_down_is_taken_by_mouse_and_no_field_becomes_blank(play):
    facts = play("drop_downs")
    assert facts["raised"] == []
    assert facts["blank"] == []
    assert {path: sorted(keys) for path, keys in facts["picked"].items()} == {
        path: sorted(keys) for path, keys in facts["offered"].items()
    }
    assert set(facts["not drawn"]) == NOT_CLICKED.keys()
    assert len(facts["panels"]) > 15
    assert {
        "LimberChain.solver",
        "LimberChain.filter",
        "LimberDevice.protocol",
        "LimberOptions_dls.damping",
    } <= facts["offered"].keys()


def test_every_button_does_its_work_or_says_why_not_and_leaves_no_field_blank(play):
    facts = play("buttons")
    assert facts["raised"] == []
    assert facts["void"] == []
    assert facts["unreached"] == []
    assert facts["blank"] == []
    assert len(facts["clicked"]) > 30
    assert len({name.partition(":")[0] for name in facts["clicked"]}) > 30
