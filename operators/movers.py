"""The mover (chain, body or mechanism) that an operator acts on: the mover assigned to its button, else the
mover in use.
"""

from bpy.props import IntProperty, StringProperty

from ..rig.blender.errors import RigError
from ..rig.blender.overrides import why_not_editable
from ..rig.blender.presence import find
from ..rig.live.mover import Mover
from ..rig.live.movers import in_use, mover_of, movers_of
from ..rig.live.uses import Use, why_not
from ..rig.robot import links
from .mechanism.mechanisms import mechanism_owner
from .subject import NO_CHAIN, needs_rig, rig_of

# name of the context member with the settings of the mover that a button acts on; panels set it
# (`names_mover`), scripts may override it
POINTER = "limber_mover"


def names_mover(layout, settings) -> None:
    """Assigns a mover to the buttons that are drawn into a layout from now on; `settings` are the mover's
    settings.
    """
    layout.context_pointer_set(POINTER, settings)


def mover_at_hand(context) -> Mover | None:
    """The mover assigned to the clicked button; else the one in use: the selected chain of the armature in
    use, else its body, else the mechanism in use. None if there is none of these.
    """
    named = getattr(context, POINTER, None)
    if named is not None:
        return mover_of(named.id_data, named)
    owner, active = mechanism_owner(context), context.active_object
    if owner is None or (active is not None and active.type == "ARMATURE" and active != owner):
        owner = rig_of(context)
    return in_use(owner) if owner is not None else None


class ActsOnMover:
    """Mixin of operators that act on a mover: `mover(context)` is the mover of the clicked button, or else
    the mover in use.

    The operator's properties store which mover that is. So a dialog, the file browser and Adjust Last
    Operation (F9), which do not know the button, act on the same mover, also after undo. There `poll` knows
    neither button nor properties, so it also passes if the operator can be used on the mover that it was last
    called for.
    """

    owner_uid: IntProperty(
        name="Owner",
        description="Identifier of the object that has the chain, body or mechanism; 0: not stored yet",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    mover_path: StringProperty(
        name="Mover",
        description="Data path of the settings of the chain, body or mechanism",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    identity = ("owner_uid", "mover_path")  # names of the two properties above
    last_called = (0, "")  # values of the properties in `identity` at the last call

    @classmethod
    def poll(cls, context) -> bool:
        return not cls.why_not(context) or cls._is_usable_again(context) or super().poll(context)

    @classmethod
    def _is_usable_again(cls, context) -> bool:
        """Whether the operator can be used on the mover of its last call, if the button names no mover."""
        called = _mover_at(*cls.last_called) if getattr(context, POINTER, None) is None else None
        if called is None:
            return False
        with context.temp_override(**{POINTER: called.settings}):
            return not cls.why_not(context)

    def invoke(self, context, event):
        """Stores the mover, then calls `invoke` of the operator's other base classes (which may open a
        dialog), or runs.
        """
        ask = getattr(super(), "invoke", None)
        return self.refused(context) or (ask(context, event) if ask else self.execute(context))

    def refused(self, context) -> set[str] | None:
        """Stores the mover; returns {"CANCELLED"} as the result of `invoke` if the operator cannot be used on
        it, else None.
        """
        try:
            self.mover(context)
        except RigError as error:
            return self.refuse(error)
        return None

    def mover(self, context) -> Mover:
        """The mover of the operator's first call, which stores it; for Repeat Last, the mover in use.

        Raises:
            RigError: the operator cannot be used on it, or it was deleted meanwhile.
        """
        if not self.owner_uid or self.options.is_repeat_last:
            if why := self.why_not(context):
                raise RigError(why)
            mover = mover_at_hand(context)
            self.owner_uid, self.mover_path = mover.owner.session_uid, mover.settings.path_from_id()
            type(self).last_called = self.owner_uid, self.mover_path
            return mover
        mover = mover_called_for(self)
        if mover is None:
            raise RigError(f"What '{self.bl_label}' was called for was deleted: press its button again")
        return mover


def mover_called_for(properties) -> Mover | None:
    """The mover on which an `ActsOnMover` (or an operator with its properties) was called; None if it was not
    called yet, or the mover was deleted.
    """
    return _mover_at(properties.owner_uid, properties.mover_path)


def _mover_at(owner_uid: int, path: str) -> Mover | None:
    """The mover whose settings have this data path in the object with this session_uid; None if there is
    none.
    """
    owner = find("", owner_uid) if owner_uid else None
    movers = movers_of(owner) if owner is not None else ()
    return next((mover for mover in movers if mover.settings.path_from_id() == path), None)


def own(mover: Mover) -> Mover:
    """The mover, for an operator that changes it: a duplicated mechanism first gets a uid of its own, unless
    it is live or its robot is connected.
    """
    if links.link(mover.owner) is None:
        mover.own_identity()
    return mover


def needs_mover(context) -> str:
    """Why there is no mover in use that can be changed, with the remedy; "" if there is one."""
    mover = mover_at_hand(context)
    return (needs_rig(context) or NO_CHAIN) if mover is None else why_not_editable(mover.owner)


def needs_use(context, use: Use, work: str) -> str:
    """Why the mover in use does not allow this use (bake, check ...), with the remedy; "" if it does.
    `work` is the beginning of that sentence, such as "Bake works".
    """
    if why := needs_mover(context):
        return why
    mover = mover_at_hand(context)
    if mover.owner.mode == "EDIT":
        return f"Leave Edit Mode first: {work} in Object Mode or Pose Mode"
    return why_not(use, mover, context)
