"""Makes LeRobot importable without torch, torchvision and OpenCV (5 GB), which its motor buses and arms
import and do not use.

Import it before `lerobot`, in the makers' Python.
"""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ABSENT = ("torch", "torchvision", "cv2")


class _Meta(type):
    """Class whose attributes, indices and unions are the class itself: sufficient for annotations and class
    bodies.
    """

    def __getattr__(cls, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__


class Anything(metaclass=_Meta):
    def __init__(self, *args, **kwargs) -> None:
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if args else self


class _Module(ModuleType):
    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class _Finder(MetaPathFinder, Loader):
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ABSENT else None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module) -> None:
        pass


sys.meta_path.insert(0, _Finder())
