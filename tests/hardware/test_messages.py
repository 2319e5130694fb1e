"""Tests messages of codecs and descriptions that only a caller's error causes: each names the given and the
permitted values.
"""

import pytest
from limber.hardware.device import DeviceError, DeviceJoint
from limber.hardware.protocols.bus.instructions import Ping
from limber.hardware.protocols.bus.registers import Register
from limber.hardware.protocols.custom import Custom
from limber.hardware.protocols.feetech.packets import FeetechPackets
from limber.hardware.protocols.interface import ProtocolError, Quantity
from limber.hardware.protocols.program import read_program
from limber.hardware.protocols.settings import ProtocolSettings
from limber.hardware.protocols.table import PROTOCOLS, codec_for
from limber.motion import Limits

LIMITS = Limits(-1.0, 1.0, 1.0, 1.0, 1.0)


@pytest.fixture
def custom(tmp_path) -> Custom:
    """A user's protocol with only the required function."""
    path = tmp_path / "mine.py"
    path.write_text("def frame(positions):\n    return bytes(positions.values())\n")
    return Custom(path, read_program(path).digest)


def test_a_users_protocol_says_what_its_file_has_no_word_for(custom):
    with pytest.raises(
        ProtocolError, match="knows no speed limit on the device; Limber's own limiter is the only one"
    ):
        custom.limit(1, 2.0)
    with pytest.raises(ProtocolError, match="has no watchdog that Limber could set"):
        custom.watchdog([1], 1.0)
    with pytest.raises(ProtocolError, match="cannot tell a servo's temperature"):
        custom.read([Quantity.TEMPERATURE], [1])


def test_a_joint_without_a_name_is_refused():
    with pytest.raises(DeviceError, match="has no name; give it one"):
        DeviceJoint("", LIMITS)


CHANGED = {
    "multi_turn": ProtocolSettings(multi_turn=True),
    "channel_count": ProtocolSettings(channel_count=12),
    "crc": ProtocolSettings(crc=True),
}


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        (name, setting)
        for name, entry in PROTOCOLS.items()
        for setting in CHANGED
        if setting not in entry.settings
    ],
)
def test_a_setting_that_a_protocol_does_not_have_is_refused_by_name(name, setting):
    with pytest.raises(ProtocolError, match=f"it has no setting {setting}"):
        codec_for(name, CHANGED[setting])


def test_a_number_that_does_not_fit_a_register_is_named_with_what_fits():
    with pytest.raises(ProtocolError, match="goal is 70000; the servo takes 0 to 65535"):
        Register(42, 2).pack("goal", 70000)


def test_a_servo_that_no_bus_can_have_is_named_with_the_ids_there_are():
    with pytest.raises(ProtocolError, match="Servo 300 does not exist; ids go from 0 to"):
        FeetechPackets().encode(Ping(300))
