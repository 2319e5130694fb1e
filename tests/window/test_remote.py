"""Other programs are heard while Blender waits for its user."""


def test_a_target_that_is_sent_is_followed_and_the_timer_ends_with_it(play):
    facts = play("remote")
    assert facts["followed"]
    assert facts["timer_ended"]
