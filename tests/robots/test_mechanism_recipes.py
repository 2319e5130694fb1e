"""Tests descriptions of the gallery's mechanisms: each can be read, and an error names file, field and
remedy.
"""

import shutil

import pytest
from limber.robots.errors import UrdfError
from limber.robots.gallery import mechanism
from limber.robots.gallery.mechanism import read_recipe


@pytest.mark.parametrize("key", [key for key, _, _ in mechanism.menu()])
def test_each_mechanism_of_the_menu_can_be_read_and_says_what_it_is(key):
    recipe = read_recipe(key)
    title, description = next((title, says) for other, title, says in mechanism.menu() if other == key)
    assert recipe.title == title
    assert description
    assert recipe.motors
    assert {goal.body for goal in recipe.goals} <= {body.name for body in recipe.bodies}


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("between: [Ground, Crank]", "between: [Grund, Crank]", "no body 'Grund': did you mean 'Ground'"),
        ("kind: revolute", "kinds: revolute", "no field 'kinds': did you mean 'kind'"),
        ("range: [-3600, 3600]", "range: [3600, -3600]", "write the smaller number first"),
        ("[0.04, 0, 0.15]]", "[0.04, 0]]", "a list of 3 numbers is needed"),
        ("  Crank Shaft: {range", "  Crank: {range", "no joint 'Crank'"),
    ],
)
def test_an_error_in_a_mechanisms_description_names_its_field(tmp_path, monkeypatch, before, after, says):
    monkeypatch.setattr(mechanism, "FOLDER", tmp_path)
    path = tmp_path / "four_bar.yaml"
    shutil.copy(mechanism.OWN / "mechanisms" / "four_bar.yaml", path)
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(UrdfError, match=r"four_bar\.yaml") as error:
        read_recipe("four_bar")
    assert says in str(error.value)
