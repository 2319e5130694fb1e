"""Tests a whole body that follows another armature in Blender's own window: the clock lets it follow while
nothing plays.
"""


def test_a_body_follows_while_its_source_is_posed_and_nothing_plays(play):
    facts = play("retarget")
    assert facts["pairs"] == 15
    assert facts["problem"] == ""
    assert facts["ended"]
