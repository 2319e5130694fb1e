"""Names of body parts in German, Spanish, French, Italian, Portuguese, Chinese, and more in Japanese.

They serve to pair the bones of two whole bodies. For the search of a single bone the structure of the figure
takes precedence, since such a word alone can have many meanings.
"""

from collections.abc import Mapping

TRANSLATED = {
    "hips": ("becken", "hüfte", "huefte", "cadera", "caderas", "bassin", "bacino", "quadril", "骨盆"),
    "spine": (
        *("背骨", "胸", "脊椎", "脊柱", "wirbelsäule", "wirbelsaeule", "rumpf", "brust", "bauch"),
        *("oberkörper", "columna", "espalda", "pecho", "colonne", "poitrine", "buste"),
        *("colonna", "petto", "busto", "coluna", "peito"),
    ),
    "neck": ("hals", "nacken", "cuello", "cou", "collo", "pescoço", "颈", "頸"),
    "head": ("kopf", "cabeza", "tête", "tete", "testa", "cabeça", "头"),
    "collar": (
        *("schlüsselbein", "schluesselbein", "clavicula", "clavícula", "clavicule", "clavicola"),
        *("鎖骨", "锁骨"),
    ),
    "shoulder": ("schulter", "hombro", "épaule", "epaule", "spalla", "ombro"),
    "upper_arm": ("oberarm", "brazo", "bras", "braccio", "braço", "上腕", "上臂"),
    "elbow": ("ellbogen", "ellenbogen", "codo", "coude", "gomito", "cotovelo", "肘"),
    "forearm": ("unterarm", "antebrazo", "avantbras", "avambraccio", "antebraço", "前腕", "前臂"),
    "wrist": ("handgelenk", "muñeca", "poignet", "polso", "pulso"),
    "hand": ("mano", "main", "mão"),
    "thigh": (
        *("oberschenkel", "hüfte", "huefte", "muslo", "cadera", "cuisse", "hanche", "coscia", "anca"),
        *("coxa", "太もも", "大腿"),
    ),
    "leg": ("bein", "pierna", "jambe", "gamba", "perna"),
    "shin": (
        *("unterschenkel", "schienbein", "knie", "pantorrilla", "rodilla", "mollet", "genou"),
        *("polpaccio", "ginocchio", "canela", "joelho", "すね", "小腿", "膝"),
    ),
    "ankle": ("knöchel", "knoechel", "tobillo", "cheville", "caviglia", "tornozelo"),
    "foot": ("fuß", "fuss", "pie", "pied", "piede", "pé", "脚"),
    "toe": ("zehen", "zehe", "orteil", "orteils"),
}
# words that select the eyes if the figure has several pairs that could be eyes, such as eyelids
EYES = (
    *("auge", "augen", "augapfel", "ojo", "ojos", "oeil", "œil", "yeux", "occhio", "occhi", "olho", "olhos"),
    *("目", "目玉", "眼", "眼睛", "眼球"),
)
STEMS = frozenset(stem for stems in TRANSLATED.values() for stem in stems)
SIDES = {
    **dict.fromkeys(("links", "linke", "linker", "linkes", "izq", "izquierdo", "izquierda"), "left"),
    **dict.fromkeys(("rechts", "rechte", "rechter", "rechtes", "der", "derecho", "derecha"), "right"),
    **dict.fromkeys(("gauche", "sx", "sinistro", "sinistra", "esquerdo", "esquerda"), "left"),
    **dict.fromkeys(("droit", "droite", "dx", "destro", "destra", "direito", "direita"), "right"),
}


def with_translations(table: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """A table, body part -> stems (words of names, joined), with the translated stems added at the end."""
    return {part: (*stems, *TRANSLATED.get(part, ())) for part, stems in table.items()}
