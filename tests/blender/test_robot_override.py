"""Tests a robot's settings on an armature from another file: an override keeps its own, and inherits those of
its library.
"""

import bpy
import pytest

from tests.blender.rigs import make_active
from tests.blender.test_chains_override import library, overridden  # noqa: F401

pytestmark = pytest.mark.every_blender


@pytest.fixture
def rig(library):  # noqa: F811
    library.save(with_chain=True)
    found = library.override()
    make_active(found)
    return found


def saved_and_opened(tmp_path):
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    return overridden()


def test_an_override_keeps_its_device_servos_and_values(rig, tmp_path):
    device, joint = rig.limber.device, rig.limber.chains[0].joints[0]
    device.protocol, device.baudrate, device.latency = "feetech_sts", 500_000, 0.5
    joint.servo, joint.zero_us, joint.gear = 12, 1999.0, -2.0
    bpy.ops.limber.add_channel()
    bpy.ops.limber.add_share()
    device.channels[0].shares[1].gear = -1.0
    shares = [(share.joint, share.gear) for share in device.channels[0].shares]
    rig["jaw"] = 0.5
    bpy.ops.limber.add_auxiliary(path=f'{rig!r}["jaw"]')
    device.auxiliaries[0].at_low = 1000.0
    rig = saved_and_opened(tmp_path)
    device, joint = rig.limber.device, rig.limber.chains[0].joints[0]
    assert (device.protocol, device.baudrate, device.latency) == ("feetech_sts", 500_000, 0.5)
    assert (joint.servo, joint.zero_us, joint.gear) == (12, 1999.0, -2.0)
    assert [(share.joint, share.gear) for share in device.channels[0].shares] == shares
    assert (device.auxiliaries[0].name, device.auxiliaries[0].at_low, device.auxiliaries[0].owner) == (
        "jaw",
        1000.0,
        rig,
    )
