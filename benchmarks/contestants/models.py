"""A chain of unit links along +Y in the formats that libraries read: URDF, and MuJoCo's."""

from ..paper import AXES, Body

TOOL = "tool"
FASTEST = 1e3  # [rad/s] stands for no velocity limit, which is not part of the task


def vector(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def urdf(body: Body) -> str:
    """URDF of a chain: links link0 (the base) to link n, joints joint0 to joint n-1, and a tool at the
    end.
    """
    links = "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
        ' iyz="0"/></inertial></link>'
        for name in [*(f"link{k}" for k in range(len(body.axes) + 1)), TOOL]
    )
    joints = "".join(
        f'<joint name="joint{k}" type="revolute"><parent link="link{k}"/><child link="link{k + 1}"/><origin'
        f' xyz="0 {1 if k else 0} 0"/><axis xyz="{vector(AXES[axis])}"/><limit lower="{-body.reach:.17g}"'
        f' upper="{body.reach:.17g}" velocity="{FASTEST}" effort="1"/></joint>'
        for k, axis in enumerate(body.axes)
    )
    tool = (
        f'<joint name="{TOOL}_mount" type="fixed"><parent link="link{len(body.axes)}"/><child'
        f' link="{TOOL}"/></joint>'
    )
    return f'<robot name="chain">{links}{joints}{tool}</robot>'


def mujoco(body: Body) -> str:
    """The chain of `urdf` as MJCF, with a site as tool."""
    inside = f'<site name="{TOOL}"/>'
    for k, axis in reversed(list(enumerate(body.axes))):
        joint = (
            f'<joint name="joint{k}" type="hinge" axis="{vector(AXES[axis])}" range="{-body.reach:.17g}'
            f' {body.reach:.17g}"/>'
        )
        inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        inside = f'<body name="link{k + 1}" pos="0 {1 if k else 0} 0">{joint}{inertia}{inside}</body>'
    return f'<mujoco><compiler angle="radian"/><worldbody>{inside}</worldbody></mujoco>'
