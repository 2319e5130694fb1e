"""Blender's kinds of properties, each such that an armature linked from another file can have values of its own."""

from functools import partial

from bpy import props

_OVERRIDE = {"LIBRARY_OVERRIDABLE"}
BoolProperty = partial(props.BoolProperty, override=_OVERRIDE)
EnumProperty = partial(props.EnumProperty, override=_OVERRIDE)
FloatProperty = partial(props.FloatProperty, override=_OVERRIDE)
FloatVectorProperty = partial(props.FloatVectorProperty, override=_OVERRIDE)
IntProperty = partial(props.IntProperty, override=_OVERRIDE)
PointerProperty = partial(props.PointerProperty, override=_OVERRIDE)
StringProperty = partial(props.StringProperty, override=_OVERRIDE)
CollectionProperty = partial(props.CollectionProperty, override=_OVERRIDE | {"USE_INSERTION"})
