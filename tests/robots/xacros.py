"""A xacro file for the tests with features that public ones use, and its URDF written by hand."""

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="fingers" default="2"/>
  <xacro:property name="length" value="0.3"/>
  <xacro:property name="half" value="${length / 2}"/>
  <xacro:property name="limits" value="${xacro.load_yaml('limits.yaml')}"/>
  <xacro:property name="mass"><inertial><mass value="0.5"/></inertial></xacro:property>
  <xacro:include filename="limb.xacro"/>
  <link name="base"/>
  <xacro:limb name="upper" parent="base" axis="0 0 1"><origin xyz="0 0 ${half}"/></xacro:limb>
  <xacro:limb name="lower" parent="upper" bent="true"><origin xyz="0 0 ${length}" rpy="0 ${pi/2} 0"/></xacro:limb>
  <xacro:fingers count="$(arg fingers)" parent="lower"/>
</robot>
"""
LIMB = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="limb" params="name parent bent:=false axis:='1 0 0' *origin">
    <link name="${name}"><xacro:insert_block name="mass"/></link>
    <joint name="${name}_joint" type="revolute">
      <parent link="${parent}"/><child link="${name}"/>
      <xacro:insert_block name="origin"/>
      <xacro:if value="${bent}"><axis xyz="0 1 0"/></xacro:if>
      <xacro:unless value="${bent}"><axis xyz="${axis}"/></xacro:unless>
      <limit lower="${-limits['turn']['most']}" upper="${limits.turn.most}" velocity="$(optenv LIMBER_NONE 3)" effort="4"/>
    </joint>
  </xacro:macro>
  <xacro:macro name="fingers" params="count parent">
    <xacro:if value="${count &gt; 0}">
      <link name="finger_${count}"/>
      <joint name="finger_${count}_joint" type="fixed"><parent link="${parent}"/><child link="finger_${count}"/></joint>
      <xacro:fingers count="${count - 1}" parent="${parent}"/>
    </xacro:if>
  </xacro:macro>
</robot>
"""
LIMITS = "turn:\n  most: !degrees 90\n"


def expanded(fingers: int = 2) -> str:
    """The URDF into which ARM expands."""

    def limb(name: str, parent: str, origin: str, axis: str) -> str:
        return (
            f'<link name="{name}"><inertial><mass value="0.5"/></inertial></link><joint name="{name}_joint"'
            f' type="revolute"><parent link="{parent}"/><child link="{name}"/><origin {origin}/><axis'
            f' xyz="{axis}"/><limit lower="-1.5707963267948966" upper="1.5707963267948966" velocity="3"'
            ' effort="4"/></joint>'
        )

    lines = [limb("upper", "base", 'xyz="0 0 0.15"', "0 0 1")]
    lines.append(limb("lower", "upper", 'xyz="0 0 0.3" rpy="0 1.5707963267948966 0"', "0 1 0"))
    for k in range(fingers, 0, -1):
        fixed = (
            f'<joint name="finger_{k}_joint" type="fixed"><parent link="lower"/><child'
            f' link="finger_{k}"/></joint>'
        )
        lines.append(f'<link name="finger_{k}"/>{fixed}')
    return '<robot name="arm"><link name="base"/>' + "".join(lines) + "</robot>"
