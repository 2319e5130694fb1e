"""Hostile and damaged YAML and COLLADA texts for `benchmarks.parsers`, and the valid texts from which the
damaged ones are made.
"""

import itertools
import random
import re

LINKS = "['left_link_a', 'right_link_b']"
YAML = (
    f"closed_loop: [[hand, base], {LINKS}]\ntype: [6d, 3d]\njoint_name:\n  - lift\njoint_type:"
    " ['SPHERICAL']\nname_mot: [turn]\n# end\n"
)
MANY = 66_000  # number of lines: 2.2 MB
CORNERS = "0 0 0 1 0 0 0 1 0 0 0 1"
INPUT = '<input semantic="VERTEX" source="#g-vertices" offset="0"/>'
FACES = f'<triangles material="m" count="2">{INPUT}<p>0 1 2 0 2 3</p></triangles>'
SHOWN = '<instance_geometry url="#g"/>'
# what `damaged` inserts: signs of the languages, and words
SIGNS = "[]{}:,|>'\"\n\t&*!#%@<>/\\\0"
WORDS = ("- ", "---\n", "", "-1", "1e400", "nan", "9" * 50, "\u0663", "#g")  # \u0663 is an Arabic digit 3
TWICE = '<instance_node url="#n{0}"/><instance_node url="#n{0}"/>'


def yaml_cases() -> dict[str, str]:
    """Hostile YAML texts by name."""
    aliases = "".join(
        f"{c}: &{c} [{', '.join([f'*{b}'] * 9)}]\n" for b, c in itertools.pairwise("abcdefghijklmnop")
    )
    return {
        "alias bomb": "a: &a [x]\n" + aliases,
        "alias of itself": "a: &a [*a]\n",
        "tag of a Python object": 'a: !!python/object/apply:os.system ["true"]\n',
        "100,000 brackets": "a: " + "[" * 100_000,
        "100,000 maps": "{a: " * 100_000,
        "100,000 dashes": "a:\n" + "- " * 100_000,
        "100,000 complex keys": "? " * 100_000,
        "2,000 nested keys": "".join(" " * k + "a:\n" for k in range(2000)),
        "a million digits": "a: " + "9" * 1_000_000,
        "a date that is none": "a: 9999-99-99",
        "900 kB of pairs": "closed_loop:\n" + f"- {LINKS}\n" * (MANY * 2 // 5),
        "900 kB of dashes": "a:\n" + "- b\n" * 224_000,
        "900 kB of keys": "".join(f"key{k}: value\n" for k in range(52_000)),
        "900 kB of empty lines": "a: b" + "\n" * 900_000,
        "900 kB of blanks": "a: b" + " " * 900_000 + "c",
        "900 kB in open quotes": "a: '" + "x" * 900_000,
        "2.2 MB of pairs": "closed_loop:\n" + f"- {LINKS}\n" * MANY,
        "100,000 documents": "---\na: b\n" * 100_000,
        "one key 50,000 times": "a: b\n" * 50_000,
        "a character beyond Unicode": 'a: "\\U00110000"',
        "half a character": 'a: "\\ud83d"',
        "a NUL": "a: \0",
        "a huge version": "%YAML " + "9" * 10_000 + ".1\n---\na: b",
        "a huge tag": "a: !<" + "x" * 100_000 + "> b",
        "truncated": YAML[:60],
        "nothing": "",
    }


def dae(
    faces: str = FACES, nodes: str = f"<node>{SHOWN}</node>", more: str = "", corners: str = CORNERS
) -> str:
    """COLLADA text of one geometry with the elements `faces` and the coordinates `corners`, a scene with
    `nodes`, and further libraries `more`.
    """
    count = len(corners.split())
    named = "".join(f'<param name="{name}" type="float"/>' for name in "XYZ")
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="metre" meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="g-corners"><float_array id="g-array" count="{count}">{corners}</float_array>
      <technique_common><accessor source="#g-array" count="{count // 3}" stride="3">{named}</accessor></technique_common></source>
    <vertices id="g-vertices"><input semantic="POSITION" source="#g-corners"/></vertices>{faces}
  </mesh></geometry></library_geometries>{more}
  <library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def instancing(depth: int) -> str:
    """Text of a library of `depth` nodes, each with two instances of the next one, and a last node with the
    geometry.
    """
    below = "".join(f'<node id="n{k}">{TWICE.format(k + 1)}</node>' for k in reversed(range(depth)))
    return f'<library_nodes><node id="n{depth}">{SHOWN}</node>{below}</library_nodes>'


def dae_cases() -> dict[str, str]:
    """Hostile COLLADA texts by name, and a sound one."""
    first, big = '<node><instance_node url="#n0"/></node>', "0 " * 300_000
    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in itertools.pairwise("abcdefghij"))
    triangle = f'<triangles count="1">{INPUT}<p>{{}}</p></triangles>'
    return {
        "sound": dae(),
        "entity bomb": f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{entities}]><COLLADA>&j;</COLLADA>',
        "an entity that is a file": (
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><COLLADA>&a;</COLLADA>'
        ),
        "5,000 nested nodes": dae(nodes="<node>" * 5000 + SHOWN + "</node>" * 5000),
        "2^20 instances of nodes": dae(nodes=first, more=instancing(20)),
        "2^99 instances of nodes": dae(nodes=first, more=instancing(99)),
        "a node in itself": dae(nodes='<node id="n"><instance_node url="#n"/></node>'),
        "a large mesh 2,000 times": dae(nodes=f"<node>{SHOWN * 2000}</node>", corners=big),
        "a corner at nan": dae(corners=CORNERS.replace("1", "nan", 1)),
        "a corner at infinity": dae(corners=CORNERS.replace("1", "1e999", 1)),
        "a corner that is a word": dae(corners=CORNERS.replace("1", "x", 1)),
        "a face of words": dae(f'<triangles count="2">{INPUT}<p>0 1 2 x 2 3</p></triangles>'),
        "corner -1": dae(triangle.format("0 1 -1")),
        "corner 9": dae(triangle.format("0 1 9")),
        "corner 2^32 + 1": dae(triangle.format("0 4294967297 2")),
        "faces of -3000 corners": dae(
            f"<polylist>{INPUT}<vcount>{'3000 -3000 ' * 1000}</vcount><p>{'0 ' * 3000}</p></polylist>"
        ),
        "offset 10^9": dae(triangle.format("0 1 2").replace('offset="0"', 'offset="1000000000"')),
        "stride 0": dae().replace('stride="3"', 'stride="0"'),
        "a unit of nan": dae().replace('meter="1"', 'meter="nan"'),
        "a place at nan": dae(nodes=f"<node><translate>nan 0 0</translate>{SHOWN}</node>"),
        "a place at infinity": dae(nodes=f"<node><translate>1e999 0 0</translate>{SHOWN}</node>"),
        "a place that overflows": dae(nodes="<node><scale>1e200 1 1</scale>" * 2 + SHOWN + "</node>" * 2),
        "no encoding": dae().replace("utf-8", "none"),
        "another encoding": dae().replace("utf-8", "utf-16"),
        "20 MB of faces": dae(triangle.format("0 1 2 " * 1_500_000)),
        "truncated": dae()[:700],
        "nothing": "",
    }


def damaged(text: str, draw: random.Random) -> str:
    """A text of which one to three words, signs or spaces are doubled, removed, or replaced by another sign
    or word; one text in ten is also truncated.
    """
    for _ in range(draw.randint(1, 3)):
        begin, end = draw.choice([match.span() for match in re.finditer(r"[\w.+-]+|\s+|[^\w\s]", text)])
        new = draw.choice([*SIGNS, *WORDS, text[begin:end] * 2])
        text = text[:begin] + new + text[end:]
    return text if draw.random() < 0.9 else text[: draw.randrange(len(text) + 1)]
