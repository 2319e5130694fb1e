"""What Blender knows of Limber: one ordered list of modules, and its mirror on the way out."""

from importlib import import_module

MODULES: tuple[str, ...] = (
    ".rig.properties",
    ".rig.robot_view",
    ".rig.motion_check.view",
    ".rig.thumbnails.gallery",
    ".operators.registry",
    ".panels.robot_overlay",
    ".panels.chain_overlay",
    ".panels.forward_overlay",
    ".panels.zone_overlay",
    ".panels.deviation",
    ".panels.registry",
    ".rig.keymap",
    ".batch.command",
    ".rig.handlers",
)  # relative names; each has register() and unregister()


def register_all() -> None:
    for name in MODULES:
        import_module(name, __package__).register()


def unregister_all() -> None:
    for name in reversed(MODULES):
        import_module(name, __package__).unregister()
