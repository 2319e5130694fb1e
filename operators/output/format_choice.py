"""Properties with which users choose a motion file's format.

Scripts set `format` to the name of a format or of a variant; variants that were formats in earlier versions
keep their names. The interface has a menu of formats, and buttons for the variants of the chosen one.
"""

from collections.abc import Sequence

from bpy.props import EnumProperty

from ...hardware.motion_files import FORMATS

FORMAT_OF = {variant: name for name, form in FORMATS.items() for variant in form.variants}


def format_property(names: Sequence[str], description: str, *more: tuple[str, str, str]):
    """Enumeration property for `format`: first the items `more` as (identifier, name, tooltip), then the
    formats in `names` and their variants.
    """
    forms = {}
    for name in names:
        forms |= {name: FORMATS[name], **FORMATS[name].variants}
    items = [*more, *((name, form.label, form.description) for name, form in forms.items())]
    return EnumProperty(name="Format", description=description, items=items)


def format_menu(names: Sequence[str], description: str, *more: tuple[str, str, str]):
    """Enumeration property that shows `format` as one of the items `more` or of the formats in `names`,
    without variants. Choosing a format sets `format` to its first variant or, if it has none, to its name.
    """
    items = [*more, *((name, FORMATS[name].label, FORMATS[name].description) for name in names)]
    order = [name for name, *_ in items]

    def chosen(operator) -> int:
        """Index of the item that shows the operator's format."""
        return order.index(FORMAT_OF.get(operator.format, operator.format))

    def choose(operator, index: int) -> None:
        if index != chosen(operator):
            name = order[index]
            operator.format = next((v for v, form in FORMAT_OF.items() if form == name), name)

    return EnumProperty(name="Format", description=description, items=items, get=chosen, set=choose)


def draw_variants(layout, operator) -> None:
    """Draws a button for each variant of the operator's format."""
    form = FORMATS[FORMAT_OF.get(operator.format, operator.format)]
    if form.variants:
        row = layout.row(align=True)
        row.use_property_split = False
        for name, variant in form.variants.items():
            row.prop_enum(operator, "format", name, text=variant.label)
