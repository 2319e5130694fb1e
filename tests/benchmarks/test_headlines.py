"""Tests that each main figure of the papers has its row, with the value measured here."""

import re

from benchmarks import headlines, mechanism_table
from benchmarks.mechanism_gallery import dancer


def test_errors_are_those_of_goals_that_hold_or_give_way(monkeypatch):
    monkeypatch.setattr(headlines.run, "__defaults__", (mechanism_table.RATE, 20, None))
    exact, held = (headlines.errors(dancer(), weight)[0] for weight in (0.0, 1.0))
    assert exact < 1e-5
    assert held > 1.0


def test_every_headline_has_a_row(monkeypatch):
    monkeypatch.setattr(headlines.run, "__defaults__", (mechanism_table.RATE, 2, None))
    text = "\n".join(headlines.rows(70, 1))
    for figure in ("1.1", "2.2", "6.5", "18.5", "2.46e-5", "1.22e-5"):
        assert f"| {figure} |" in text
    for rows in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        assert len({line.count("|") for line in rows.strip().splitlines()}) == 1
