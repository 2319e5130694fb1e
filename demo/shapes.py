"""Meshes and materials of the demo's figures: those of the extension's lamp, and further ones."""

from math import cos, pi, sin

import bmesh
import bpy
import installed


def __getattr__(name: str):
    """Functions with which the lamp is built, from the installed extension: `shapes.lathe`, `shapes.material`
    and others.
    """
    return getattr(_extension(), name)


def _extension():
    return installed.module("rig.authoring.first_lamp.shapes")


def tiles(name: str, colour: tuple, size: float) -> bpy.types.Material:
    """Material of floor tiles, `size` [m] wide, whose small differences make motion above them visible."""
    material = _extension().material(name, colour, roughness=0.85)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    texture_coordinates, checker = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeTexChecker")
    checker.inputs["Scale"].default_value = 1.0 / size
    checker.inputs["Color1"].default_value = (*(0.9 * part for part in colour), 1.0)
    checker.inputs["Color2"].default_value = (*(1.1 * part for part in colour), 1.0)
    links.new(texture_coordinates.outputs["Object"], checker.inputs["Vector"])
    links.new(checker.outputs["Color"], shader.inputs["Base Color"])
    return material


def haze(name: str, colour: tuple, strength: float) -> bpy.types.Material:
    """Material for light in dusty air: glowing and transparent."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    end, sum_shader = nodes.new("ShaderNodeOutputMaterial"), nodes.new("ShaderNodeAddShader")
    glow, clear = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeBsdfTransparent")
    glow.inputs["Color"].default_value = (*colour, 1.0)
    glow.inputs["Strength"].default_value = strength
    links.new(glow.outputs[0], sum_shader.inputs[0])
    links.new(clear.outputs[0], sum_shader.inputs[1])
    links.new(sum_shader.outputs[0], end.inputs["Surface"])
    material.cycles.emission_sampling = "NONE"
    return material


def capsule(length: float, start_radius: float, end_radius: float, steps: int = 6) -> bmesh.types.BMesh:
    """Mesh of a limb along Y from 0 to `length` [m]: two hemispheres and a cone between them."""
    profile = [
        (start_radius * sin(pi / 2 * k / steps), -start_radius * cos(pi / 2 * k / steps))
        for k in range(steps + 1)
    ]
    profile += [
        (end_radius * cos(pi / 2 * k / steps), length + end_radius * sin(pi / 2 * k / steps))
        for k in range(steps + 1)
    ]
    return _extension().lathe(profile, 24)
