"""Tests no-go zones and pictures of postures in a real window."""


def test_the_view_names_the_bone_in_a_zone_and_postures_have_pictures(play):
    facts = play("zones")
    assert facts["pictures"] == facts["postures"] > 1
    assert facts["zones"]
    assert all(zone == "Shelf" for _, zone, _, _ in facts["zones"])
    assert any(words.startswith(f"{facts['zones'][0][0]} in Shelf: ") for words in facts["words"])
