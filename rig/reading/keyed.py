"""Settings of a chain or a mechanism as they are at the moment that is shown.

Keys, NLA strips and drivers act on what Blender has evaluated, and Blender hands their values on to the original for what a window shows.
In a render it does not: there the original keeps the values of the window's frame.
"""


def keyed(rig, chain, depsgraph):
    """A chain, as a render has evaluated it while one is under way."""
    if depsgraph.mode != "RENDER":
        return chain
    return next((found for found in rig.evaluated_get(depsgraph).limber.chains if found.uid == chain.uid), chain)


def keyed_mechanism(owner, kept, depsgraph):
    """A mechanism, likewise; for its numbers: what it points to is evaluated as well."""
    return kept if depsgraph.mode != "RENDER" else owner.evaluated_get(depsgraph).limber.mechanism
