"""Settings of a chain or a mechanism with the values that keyframes, NLA strips and drivers give them in the current frame.

Blender writes evaluated values back to the original data only for what a window shows. During a render the original keeps the values of
the window's frame, so the evaluated copy must be read.
"""


def keyed(rig, chain, depsgraph):
    """The chain to read settings from: its evaluated copy during a render, else the chain itself."""
    if depsgraph.mode != "RENDER":
        return chain
    return next((found for found in rig.evaluated_get(depsgraph).limber.chains if found.uid == chain.uid), chain)


def keyed_mechanism(owner, kept, depsgraph):
    """The same for a mechanism. Use it for numbers only: the objects that it points to are evaluated copies too."""
    return kept if depsgraph.mode != "RENDER" else owner.evaluated_get(depsgraph).limber.mechanism
