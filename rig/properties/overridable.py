"""Blender's property types, made library-overridable: armatures linked from another file can have values of
their own.
"""

from functools import partial

from bpy import props

_OVERRIDE = {"LIBRARY_OVERRIDABLE"}
BoolProperty = partial(props.BoolProperty, override=_OVERRIDE)
EnumProperty = partial(props.EnumProperty, override=_OVERRIDE)
FloatProperty = partial(props.FloatProperty, override=_OVERRIDE)
FactorProperty = partial(FloatProperty, min=0.0, max=1.0, subtype="FACTOR")
SecondsProperty = partial(FloatProperty, min=0.0, subtype="TIME", unit="TIME_ABSOLUTE")
WeightProperty = partial(FloatProperty, default=1.0, min=0.0, soft_max=10.0)
FloatVectorProperty = partial(props.FloatVectorProperty, override=_OVERRIDE)
IntProperty = partial(props.IntProperty, override=_OVERRIDE)
PointerProperty = partial(props.PointerProperty, override=_OVERRIDE)
StringProperty = partial(props.StringProperty, override=_OVERRIDE)
CollectionProperty = partial(props.CollectionProperty, override=_OVERRIDE | {"USE_INSERTION"})
