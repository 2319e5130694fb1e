"""Tests overlays in a real window: drawn over live movers, and over nothing else."""


def test_overlays_are_drawn_while_a_chain_is_live_and_cost_nothing_otherwise(play):
    facts = play("overlays")
    assert facts["drawn_before_live"] == 0
    assert facts["milliseconds"] > 0
    assert facts["drawn_when_off"] == 0
    assert facts["drawn_after_live"] == 0
    assert facts["findings"] > 0
