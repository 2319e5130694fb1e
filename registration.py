"""What Blender knows of Limber: one ordered list of modules, and its mirror on the way out."""

from importlib import import_module

MODULES: tuple[str, ...] = (
    ".rig.properties.chains",
    ".rig.properties.robot_view",
    ".rig.output.motion_check.view",
    ".rig.showing.thumbnails.gallery",
    ".operators.registry",
    ".panels.robot.overlay",
    ".panels.authoring.chain_overlay",
    ".panels.authoring.forward_overlay",
    ".panels.output.zone_overlay",
    ".panels.live.deviation",
    ".panels.registry",
    ".rig.authoring.keymap",
    ".batch.command",
    ".rig.live.handlers",
)  # relative names; each has register() and unregister()


def register_all() -> None:
    for name in MODULES:
        import_module(name, __package__).register()


def unregister_all() -> None:
    for name in reversed(MODULES):
        import_module(name, __package__).unregister()
