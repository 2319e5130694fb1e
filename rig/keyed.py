"""Settings of a chain as they are at the moment that is shown.

Keys, NLA strips and drivers act on what Blender has evaluated. In a render the original keeps the values of the
frame that the window shows.
"""


def keyed(evaluated, chain):
    """A chain's settings on its evaluated armature object; the original's where Blender has not evaluated it since it was made."""
    return next((found for found in evaluated.limber.chains if found.uid == chain.uid), chain)
