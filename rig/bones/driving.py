"""Properties that drive the influence of a constraint, such as a rig's switches between IK and FK."""

import re

import bpy

OFF = 1e-6  # influence below which a constraint counts as switched off
PROPERTY = re.compile(r'^(?P<owner>pose\.bones\["(?P<bone>[^"]+)"\])\["(?P<name>[^"]+)"\]$')


def driving_paths(rig: bpy.types.Object, constraint: bpy.types.Constraint) -> list[str]:
    """Data paths of the properties that drive the influence of a bone's constraint; for a variable without a
    data path, the quoted name of its object.
    """
    path = f"{constraint.path_from_id()}.influence"
    drivers = rig.animation_data.drivers if rig.animation_data else ()
    driver = next((curve.driver for curve in drivers if curve.data_path == path and not curve.mute), None)
    targets = [target for variable in driver.variables for target in variable.targets] if driver else []
    return [target.data_path or f"'{target.id.name}'" for target in targets if target.data_path or target.id]


def switch_off(rig: bpy.types.Object, constraint: bpy.types.Constraint) -> str:
    """Sets the custom property of a bone that drives a constraint's influence to 1 or 0, whichever makes the
    influence 0. Returns a text about the change; "" if there is no such property or neither value does.
    """
    for path in driving_paths(rig, constraint):
        match = PROPERTY.match(path)
        owner = rig.pose.bones.get(match["bone"]) if match else None
        if owner is None or not isinstance(owner.get(match["name"]), float | int):
            continue
        before = owner[match["name"]]
        for value in (1, 0):
            owner[match["name"]] = type(before)(value)
            rig.update_tag()
            bpy.context.view_layer.update()
            if constraint.influence < OFF:
                return f"{match['name']} of '{owner.name}' to {value}"
        owner[match["name"]] = before
        rig.update_tag()
        bpy.context.view_layer.update()
    return ""
