"""Tests that a recording survives a crash."""


def test_a_recording_is_kept_in_a_file_while_it_goes_on(play):
    facts = play("record_copy")
    assert facts["extension_folder"]
    assert facts["gone"]
    assert facts["takes"]
