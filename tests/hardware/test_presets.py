"""Tests presets of servos: each creates a channel that its protocols can drive."""

import pytest
from limber.hardware.mixing import Mixing
from limber.hardware.presets import PRESETS
from limber.hardware.protocols.table import PROTOCOLS, codec_for
from limber.hardware.servo_shortfalls import speed_problems

from tests.hardware.devices import direct, one_to_one


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_makes_a_joint_whose_whole_range_its_protocols_can_say(name):
    preset = PRESETS[name]
    fields = {name: getattr(preset, name) for name in ("per_radian", "zero", "lowest", "highest", "speed")}
    pair = direct("joint", 1, preset.limits(-0.5, 0.5, gear=2.0), gear=2.0, **fields)
    device = one_to_one("a port", [pair])
    assert Mixing(device).ranges == ((-0.5, 0.5),)
    assert speed_problems(device) == ()
    for protocol in preset.protocols:
        if protocol in PROTOCOLS:
            codec = codec_for(protocol)
            unit = codec.capabilities.units.microsecond or 1.0
            for end in (preset.lowest, preset.highest):
                assert codec.write({1: round(end * unit)})


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_turns_as_far_as_servos_do_and_says_where_its_numbers_are_from(name):
    preset = PRESETS[name]
    turn = (preset.highest - preset.lowest) / preset.per_radian
    assert 3.1 < turn < 6.3
    assert preset.lowest < preset.zero < preset.highest
    assert 0.5 < preset.velocity < preset.speed < 50.0
    assert preset.source
