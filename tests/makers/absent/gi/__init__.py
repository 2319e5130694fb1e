"""Replaces PyGObject, which Reachy Mini's daemon imports for the sound and pictures that `--no-media`
switches off.

Each module of `gi.repository` has every name, as a class whose attributes, members and results are such
classes as well.
"""

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType


class _Named(type):
    def __getattr__(cls, name):
        return _name(name)


class Absent(metaclass=_Named):
    def __init__(self, *_given, **_named):
        pass

    def __call__(self, *_given, **_named):
        return self

    def __getattr__(self, name):
        return _name(name)


def _name(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent


class _Repository(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Creates `gi.repository`, and each module of it, on import."""

    def find_spec(self, fullname, _path=None, _target=None):
        if fullname == "gi.repository" or fullname.startswith("gi.repository."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=fullname == "gi.repository")
        return None

    def create_module(self, spec):
        module = ModuleType(spec.name)
        module.__getattr__ = _name
        return module

    def exec_module(self, module):
        pass


def require_version(_namespace, _version):
    pass


sys.meta_path.insert(0, _Repository())
