"""Tests Blender's own command line, which bakes files with the installed package."""


def test_blenders_command_line_bakes_a_file(play):
    facts = play("batch")
    assert facts["code"] == 0, facts["output"]
    (outcome,) = facts["report"]
    assert (outcome["state"], outcome["frames"]) == ("baked", 5), outcome
    assert facts["baked"]
