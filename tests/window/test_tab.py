"""Tests that the installed extension shows its tab in a real window."""

import pytest

pytestmark = pytest.mark.every_window


def test_the_limber_tab_opens_in_the_sidebar_and_draws_without_an_error(play):
    facts = play("tab")
    assert facts["tab"] == "Limber"
