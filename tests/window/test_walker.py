"""Tests a step of the Walker in a real window, with keyframes made by the panel's buttons."""

SMALL = 0.5  # scale of the interface, which makes room for the panels above the curves


def test_an_animator_keys_a_step_by_the_panels_buttons_and_the_standing_foot_stays(play):
    facts = play("walker", scale=SMALL)
    assert facts["clicks"] == 4
    assert facts["remarks"] == []
    assert facts["slid"] < 1e-3  # [m] while both feet stand
    assert facts["error"] < 1e-4  # [m] while the left one stands alone
