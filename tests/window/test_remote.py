"""Tests that messages of other programs are received while Blender waits for its user."""

import pytest


def test_a_target_that_is_sent_is_followed_and_the_timer_ends_with_it(play):
    facts = play("remote")
    assert facts["followed"]
    assert facts["timer_ended"]


@pytest.mark.ends_blender
def test_a_target_that_is_sent_is_followed_where_blender_goes_on_refusing_writes(play):
    facts = play("refused_writes")
    if not facts["refused"]:
        pytest.skip(f"Blender {facts['blender']} gives the lock on writes back")
    assert facts["raised"] == []
