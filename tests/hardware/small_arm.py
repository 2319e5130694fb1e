"""A small arm with mass on three bus servos, for MuJoCo: a rotating base, a shoulder and an elbow, and a post
into which the arm can run.
"""

from tests.hardware.bus_simulation import BusSimulation, bus_device

ARM = """
<mujoco model="small arm">
  <compiler angle="radian"/>
  <option timestep="0.002" integrator="implicitfast"/>
  <default>
    <joint damping="0.6" armature="0.028" frictionloss="0.05"/>
    <position kp="200" kv="2" forcerange="-2.94 2.94"/>
    <geom contype="0" conaffinity="0"/>
  </default>
  <worldbody>
    <geom name="post" type="cylinder" size="0.02 0.3" pos="0.12 0.22 0.2" contype="1" conaffinity="1"/>
    <body name="base" pos="0 0 0.1">
      <joint name="pan" axis="0 0 1" range="-2 2"/>
      <geom type="cylinder" size="0.03 0.03" mass="0.15"/>
      <body name="upper" pos="0 0 0.04">
        <joint name="shoulder" axis="0 1 0" range="-2 2"/>
        <geom type="capsule" size="0.015" fromto="0 0 0 0.15 0 0" mass="0.15"/>
        <body name="lower" pos="0.15 0 0">
          <joint name="elbow" axis="0 1 0" range="-2 2"/>
          <geom name="forearm" type="capsule" size="0.015" fromto="0 0 0 0.15 0 0" mass="0.1" contype="1" conaffinity="1"/>
          <geom type="sphere" size="0.02" pos="0.15 0 0" mass="0.2"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="pan" joint="pan"/><position name="shoulder" joint="shoulder"/><position name="elbow" joint="elbow"/>
  </actuator>
</mujoco>
"""
LYING = ARM.replace('axis="0 1 0"', 'axis="0 0 1"').replace(
    'pos="0.12 0.22 0.2"', 'pos="2 0 0"'
)  # an arm on which gravity has no effect, without a post
HORNS = ("1:pan", "2:shoulder", "3:elbow")
START = {1: 0.0, 2: -0.2, 3: 0.1}  # [rad] joint angles at the start
POST = 1.07  # [rad] pan angle at which the arm meets the post's axis


def small_arm(protocol: str, on_silence: str = "hold") -> BusSimulation:
    """The arm behind the worker's own loop, in simulated time."""
    from tests.hardware.servo_bus.body import DynamixelOnBody, StsOnBody, horns_of, model_of

    kind = {"feetech_sts": StsOnBody, "dynamixel": DynamixelOnBody}[protocol]
    return BusSimulation(bus_device(protocol, on_silence), kind(model_of(ARM), horns_of(HORNS), START))
