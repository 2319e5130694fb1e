"""Operators that make the target of a chain, and add and remove additional targets."""

from ...rig.authoring import targets
from ...rig.blender import item_keys
from ...rig.blender.counting import counted
from ...rig.blender.selection import selected_index
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_make_target(UndoOperator):
    """Add an empty as target at the point where the chain looks or reaches now, for this chain and for the
    armature's other chains with the same target
    """

    bl_label = "Target"

    why_not = needs_chain

    def run(self, context):
        rig = rig_of(context)
        target, names = targets.make(context, rig, chain_of(context))
        self.report({"INFO"}, f"The target of {', '.join(names)} is '{target.name}' now")


class LIMBER_OT_add_target(UndoOperator):
    """Add a target that the chain can follow: the selected object or, if none is selected, an object that you
    choose afterwards
    """

    bl_label = "Add Target"

    why_not = needs_chain

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        known = {chain.target, *(item.target for item in chain.targets)}
        target_object = next(
            (
                target_object
                for target_object in context.selected_objects
                if target_object != rig and target_object not in known
            ),
            None,
        )
        item = chain.targets.add()
        item.name = f"Target {len(chain.targets)}"
        item.target = target_object
        chain.active_target = len(chain.targets) - 1
        rig.update_tag()
        what = f"'{target_object.name}'" if target_object else "the object that you choose for it"
        self.report({"INFO"}, f"Chain '{chain.name}' follows {what} where Watch is {len(chain.targets)}")


class LIMBER_OT_remove_target(UndoOperator):
    """Remove the selected additional target. Keyframes on Watch that select it then select the chain's own
    target; all others keep theirs
    """

    bl_label = "Remove Target"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_chain(context) or (
            "" if chain_of(context).targets else "The chain has no further target: press Add Target first"
        )

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        index = selected_index(chain.targets, chain.active_target)
        chain_path = chain.path_from_id()
        new_indices = {k: k - (k > index) for k in range(len(chain.targets)) if k != index}
        numbers = {number + 1: new_index + 1 for number, new_index in new_indices.items()} | {index + 1: 0}
        item_keys.follow(
            rig, f"{chain_path}.targets", {**new_indices, index: None}, f"{chain_path}.watch", numbers
        )
        chain.watch = numbers.get(chain.watch, 0)
        chain.targets.remove(index)
        chain.active_target = selected_index(chain.targets, chain.active_target)
        rig.update_tag()
        self.report({"INFO"}, f"Chain '{chain.name}' has {counted(len(chain.targets), 'further target')}")
