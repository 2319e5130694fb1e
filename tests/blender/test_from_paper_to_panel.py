"""Tests that the page that relates papers to panels agrees with the panels: each method by its label, each
option by its name.
"""

import re
from pathlib import Path

import pytest
from limber.motion import FILTERS
from limber.solvers.settings import settings_of
from limber.solvers.table import SOLVERS

from tests.blender import four_bars
from tests.blender.drawing import drawn
from tests.blender.figures import XSENS, figure
from tests.blender.rigs import looking_chain, make_active

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "from_paper_to_panel.md").read_text(encoding="utf-8")
BOLD = re.compile(r"\*\*(.+?)\*\*")


def rows(heading: str) -> dict[str, set[str]]:
    """method in a section's table -> its options"""
    (section,) = re.findall(rf"^## {heading}.*?$(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("|")
    ]
    assert lines[0][:2] == ["in the panel", "its options there"]
    assert len({len(line) for line in lines}) == 1
    return {
        label: set(BOLD.findall(options)) for shown, options, *_ in lines[2:] for label in BOLD.findall(shown)
    }


def names(panel) -> set[str]:
    """Names, as users see them, of the settings that a panel draws now."""
    return {whose.bl_rna.properties[name].name for whose, name in drawn(panel).settings}


@pytest.mark.every_blender
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solvers_options_on_the_page_are_those_of_its_panel(solver):
    from limber.panels.authoring.options import LIMBER_PT_options

    _, chain = looking_chain()
    make_active(chain.id_data)
    chain.solver = solver
    offered = rows("Solver panel")[SOLVERS[solver].label]
    wanted = {each.label for each in settings_of(SOLVERS[solver].options).values() if each.is_usual}
    assert wanted <= offered <= names(LIMBER_PT_options)


def test_the_page_has_all_solvers_and_filters_and_no_others():
    assert set(rows("Solver panel")) == {info.label for info in SOLVERS.values()}
    assert set(rows("Motion panel")) == {info.label for info in FILTERS.values()}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filters_options_on_the_page_are_on_its_panel(name):
    from limber.panels.authoring.motion import LIMBER_PT_motion

    _, chain = looking_chain()
    make_active(chain.id_data)
    chain.filter = name
    assert rows("Motion panel")[FILTERS[name].label] <= names(LIMBER_PT_motion)


@pytest.mark.every_blender
def test_the_retargets_options_on_the_page_are_on_its_panel():
    from limber.panels.authoring.retarget import LIMBER_PT_retarget

    body = figure(XSENS, "Body")
    body.limber.retarget.source = figure(XSENS, "Source")
    make_active(body)
    offered = rows("Retarget and Mechanism panels")["Retarget"]
    assert offered
    assert offered <= names(LIMBER_PT_retarget)


def test_a_mechanisms_options_on_the_page_are_on_its_panel():
    from limber.panels.mechanism.items import LIMBER_PT_mechanism_regularisation

    make_active(four_bars.boned()[0])
    offered = rows("Retarget and Mechanism panels")["Mechanism"]
    assert offered
    assert offered <= names(LIMBER_PT_mechanism_regularisation)
