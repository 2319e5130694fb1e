"""Access to the sentences of Check, for tests."""

import bpy
import pytest


def findings(rig, chain):
    from limber.rig.chains.check import check

    bpy.context.view_layer.update()
    return check(bpy.context, rig, chain)


def sentences(rig, chain) -> list[str]:
    return [finding.sentence for finding in findings(rig, chain)]


def only(rig, chain, *words: str, blocks: bool | None = None) -> str:
    """The only sentence of Check, which must contain all these words."""
    found = findings(rig, chain)
    assert len(found) == 1, [finding.sentence for finding in found]
    for word in words:
        assert word in found[0].sentence
    if blocks is not None:
        assert found[0].blocks == blocks
    return found[0].sentence


def refuses_live(*words: str) -> None:
    with pytest.raises(RuntimeError) as error:
        bpy.ops.limber.live()
    for word in words:
        assert word in str(error.value)
