"""Tests the pairing of two bodies' bones by names alone: conventions of motion capture, characters and
robots.
"""

import pytest
from limber.rig.bodies.names import Pair, pairs, parts
from limber.rig.bodies.part_names import BodyPart, read


@pytest.fixture(autouse=True)
def extension() -> None:
    """No empty file and no handlers for each test: names need no Blender, and loading the file takes longer
    than most of the 800 tests.
    """


LIMBS = ("collar", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
WHOLE = [
    BodyPart("", "hips"),
    BodyPart("", "head"),
    *(BodyPart(side, limb) for side in ("left", "right") for limb in LIMBS),
]

# Each body's bones, parents before their children, with other bones in between that have no counterpart.
CMU = """Hips LHipJoint LeftHip LeftKnee LeftAnkle LeftToe RHipJoint RightHip RightKnee RightAnkle RightToe lowerback Chest
    Chest2 lowerneck Neck Head LeftCollar LeftShoulder LeftElbow LeftWrist lhand LFingers LThumb RightCollar RightShoulder
    RightElbow RightWrist rhand RFingers RThumb"""
CGSPEED = """Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase RHipJoint RightUpLeg RightLeg RightFoot RightToeBase LowerBack
    Spine Spine1 Neck Neck1 Head LeftShoulder LeftArm LeftForeArm LeftHand LeftHandIndex1 LThumb RightShoulder RightArm
    RightForeArm RightHand RThumb"""
MIXAMO_WORDS = """Hips Spine Spine1 Spine2 Neck Head HeadTop_End LeftShoulder LeftArm LeftForeArm LeftHand LeftHandThumb1 RightShoulder
    RightArm RightForeArm RightHand LeftUpLeg LeftLeg LeftFoot LeftToeBase LeftToe_End RightUpLeg RightLeg RightFoot
    RightToeBase"""
MIXAMO = " ".join(f"mixamorig:{name}" for name in MIXAMO_WORDS.split())
RIGIFY = """spine spine.001 spine.002 spine.003 spine.004 spine.005 spine.006 shoulder.L upper_arm.L forearm.L hand.L palm.01.L
    shoulder.R upper_arm.R forearm.R hand.R pelvis.L pelvis.R thigh.L shin.L foot.L toe.L heel.02.L thigh.R shin.R foot.R
    toe.R breast.L"""
RIGIFY_RIG = "root torso hips upper_arm_fk.L upper_arm_ik.L hand_ik.L " + " ".join(
    f"DEF-{name}" for name in RIGIFY.split()
)
XSENS = """Pelvis L5 L3 T12 T8 Neck Head RightShoulder RightUpperArm RightForeArm RightHand LeftShoulder LeftUpperArm LeftForeArm
    LeftHand RightUpperLeg RightLowerLeg RightFoot RightToe LeftUpperLeg LeftLowerLeg LeftFoot LeftToe"""
HUMAN_URDF = XSENS + " L5_f1 L5_f2 RightHand_f1 RightHandCOM LeftToe_f2"
SMPL = """Pelvis L_Hip R_Hip Spine1 L_Knee R_Knee Spine2 L_Ankle R_Ankle Spine3 L_Foot R_Foot Neck L_Collar R_Collar Head
    L_Shoulder R_Shoulder L_Elbow R_Elbow L_Wrist R_Wrist L_Hand R_Hand"""
MANNEQUIN = """root pelvis spine_01 spine_02 spine_03 neck_01 head clavicle_l upperarm_l lowerarm_l hand_l index_01_l clavicle_r
    upperarm_r lowerarm_r hand_r thigh_l calf_l foot_l ball_l thigh_r calf_r foot_r ball_r"""
VROID_LIMBS = (
    "Shoulder",
    "UpperArm",
    "LowerArm",
    "Hand",
    "Index1",
    "UpperLeg",
    "LowerLeg",
    "Foot",
    "ToeBase",
)
VROID = (
    "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head J_Adj_L_FaceEye J_Sec_L_Bust1 "
    + " ".join(f"J_Bip_{side}_{part}" for side in "LR" for part in VROID_LIMBS)
)
BIPED_LIMBS = (
    "Clavicle",
    "UpperArm",
    "ForeArm",
    "ForeTwist",
    "Hand",
    "Finger0",
    "Thigh",
    "Calf",
    "Foot",
    "Toe0",
)
BIPED = "Bip01 Bip01_Pelvis Bip01_Spine Bip01_Spine1 Bip01_Neck Bip01_Head " + " ".join(
    f"Bip01_{side}_{part}" for side in "LR" for part in BIPED_LIMBS
)
DAZ = """hip pelvis abdomenLower abdomenUpper chestLower chestUpper neckLower neckUpper head lCollar lShldrBend lShldrTwist lForearmBend
    lForearmTwist lHand lThumb1 rCollar rShldrBend rShldrTwist rForearmBend rForearmTwist rHand lThighBend lThighTwist lShin lFoot lToe
    rThighBend rThighTwist rShin rFoot rToe"""
SUIT = """Hips Ab Chest Neck Head LShoulder LUArm LFArm LHand RShoulder RUArm RFArm RHand LThigh LShin LFoot LToe RThigh RShin RFoot
    RToe"""
MMD = "センター 下半身 上半身 上半身2 首 頭 両目 " + " ".join(
    f"{side}{part}"
    for side in "左右"
    for part in ["肩", "腕", "腕捩", "ひじ", "手首", "足", "ひざ", "足首", "つま先"]
)
NUMBERED_SUIT = " ".join(f"Skeleton_001_{name}" for name in SUIT.split())
HEADSET_LIMBS = [
    "Shoulder",
    "ArmUpper",
    "ArmLower",
    "HandWrist",
    "HandPalm",
    "LegUpper",
    "LegLower",
    "FootAnkle",
    "FootBall",
]
HEADSET = "Body_Root Body_Hips Body_SpineLower Body_SpineUpper Body_Chest Body_Neck Body_Head " + " ".join(
    f"Body_{side}{part}" for side in ("Left", "Right") for part in HEADSET_LIMBS
)


def sided(form: str, sides: str, parts_of_a_side: str) -> str:
    """The parts of either side: in `form`, {0} is the side and {1} the part."""
    return " ".join(form.format(side, part) for side in sides.split() for part in parts_of_a_side.split())


VRM = "hips spine chest upperChest neck head leftEye jaw " + sided(
    "{0}{1}", "left right", "Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes"
)
MOVIN = "Hips Spine Spine1 Spine2 Spine3 Neck Neck1 Head " + sided(
    "{0}{1}", "Left Right", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase"
)
ROKOKO = "Hips Spine Spine1 Spine2 Spine3 Spine4 Neck Head " + sided(
    "{0}{1}", "Left Right", "Shoulder Arm ForeArm Hand Thigh Shin Foot Toe ToeTip"
)
CREATOR = """RL_BoneRoot CC_Base_BoneRoot CC_Base_Hip CC_Base_Pelvis CC_Base_Waist CC_Base_Spine01 CC_Base_Spine02
    CC_Base_NeckTwist01 CC_Base_NeckTwist02 CC_Base_Head CC_Base_FacialBone CC_Base_JawRoot """ + sided(
    "CC_Base_{0}_{1}",
    "L R",
    """RibsTwist Breast Clavicle Upperarm UpperarmTwist01 Forearm ForearmTwist01 ElbowShareBone Hand Thigh ThighTwist01 Calf
    CalfTwist01 KneeShareBone Foot ToeBase ToeBaseShareBone BigToe1""",
)
DEPTH_CAMERA = "PELVIS SPINE_NAVEL SPINE_CHEST NECK HEAD " + sided(
    "{1}_{0}", "LEFT RIGHT", "CLAVICLE SHOULDER ELBOW WRIST HAND HIP KNEE ANKLE FOOT"
)
CONVENTIONS = {
    "VRM": VRM,
    "MOVIN": MOVIN,
    "Rokoko": ROKOKO,
    "Character Creator": CREATOR,
    "depth camera": DEPTH_CAMERA,
    "capture suit with a number": NUMBERED_SUIT,
    "headset's body tracking": HEADSET,
    "VRoid": VROID,
    "Biped": BIPED,
    "Daz": DAZ,
    "capture suit": SUIT,
    "MikuMikuDance": MMD,
    "CMU": CMU,
    "cgspeed": CGSPEED,
    "Mixamo": MIXAMO,
    "Rigify": RIGIFY,
    "Rigify's deforming bones": RIGIFY_RIG,
    "Xsens": XSENS,
    "human URDF": HUMAN_URDF,
    "SMPL": SMPL,
    "mannequin": MANNEQUIN,
}
ICUB = """base_link root_link l_hip_1 l_hip_2 l_upper_leg l_lower_leg l_ankle_1 l_ankle_2 l_foot l_foot_dh_frame torso_1 torso_2
    chest neck_1 neck_2 head l_shoulder_1 l_shoulder_2 l_shoulder_3 l_upper_arm l_elbow_1 l_forearm l_wrist_1 l_hand
    l_hand_dh_frame"""


def body(names: str) -> dict[str, None]:
    return dict.fromkeys(names.split())


def paired(source: str, target: str) -> dict[str, str]:
    return {pair.target: pair.source for pair in pairs(body(source), body(target))}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_has_the_whole_of_a_body_each_part_once(convention: str):
    found = parts(body(CONVENTIONS[convention]))
    for part in WHOLE:
        assert len(found.get(part, [])) == 1, part
    assert len(found[BodyPart("", "spine")]) >= 2
    assert found[BodyPart("", "neck")]


@pytest.mark.parametrize("source", CONVENTIONS)
@pytest.mark.parametrize("target", CONVENTIONS)
def test_any_two_conventions_are_paired_part_by_part_and_no_bone_twice(source: str, target: str):
    found = pairs(body(CONVENTIONS[source]), body(CONVENTIONS[target]))
    own, others = parts(body(CONVENTIONS[source])), parts(body(CONVENTIONS[target]))
    made = set(found)
    for part in WHOLE:
        assert Pair(own[part][0], others[part][0]) in made, part
    assert len({pair.source for pair in found}) == len({pair.target for pair in found}) == len(found)


def test_what_one_convention_calls_a_shoulder_another_calls_the_collar_bone():
    assert paired(CMU, MIXAMO)["mixamorig:LeftShoulder"] == "LeftCollar"
    assert paired(CMU, MIXAMO)["mixamorig:LeftArm"] == "LeftShoulder"
    assert paired(MIXAMO, SMPL)["L_Shoulder"] == "mixamorig:LeftArm"


def test_what_one_convention_calls_a_leg_is_the_lower_one_where_there_is_an_upper_one():
    assert paired(CMU, MIXAMO)["mixamorig:LeftLeg"] == "LeftKnee"
    assert paired(CMU, MIXAMO)["mixamorig:LeftUpLeg"] == "LeftHip"


def test_a_foot_beside_an_ankle_and_without_toes_is_the_toes():
    assert paired(CMU, SMPL)["L_Foot"] == "LeftToe"
    assert paired(CMU, SMPL)["L_Ankle"] == "LeftAnkle"


def test_links_that_carry_one_hinge_of_a_joint_are_not_taken_for_the_limb():
    found = paired(CMU, ICUB)
    assert found["l_upper_arm"] == "LeftShoulder"
    assert found["l_foot"] == "LeftAnkle"
    assert found["l_upper_leg"] == "LeftHip"
    assert not {"l_shoulder_1", "l_ankle_1", "l_hip_1", "l_hand_dh_frame"}.intersection(found)


def robot(trunk: str, arm: str, leg: str) -> str:
    """A humanoid's links; `{side}` stands for "left" or "right", `{s}` for "l" or "r"."""
    limbs = [
        limb.format(side=side, s=side[0])
        for side in ("left", "right")
        for limb in (*arm.split(), *leg.split())
    ]
    return f"{trunk} {' '.join(limbs)}"


ROBOTS = {  # and for each robot, the links of left upper arm, forearm, thigh, shin and foot
    "hinges named after joints": (
        robot(
            "pelvis waist_yaw_link torso_link head_link",
            "{side}_shoulder_pitch_link {side}_shoulder_roll_link {side}_shoulder_yaw_link {side}_elbow_link"
            " {side}_wrist_roll_link",
            "{side}_hip_pitch_link {side}_hip_yaw_link {side}_knee_link {side}_ankle_pitch_link"
            " {side}_ankle_roll_link",
        ),
        (
            "left_shoulder_yaw_link",
            "left_elbow_link",
            "left_hip_yaw_link",
            "left_knee_link",
            "left_ankle_roll_link",
        ),
    ),
    "hinges named after limbs": (
        robot(
            "base_link waist_yaw_link torso_link",
            "{side}_upper_arm_pitch_link {side}_upper_arm_yaw_link {side}_lower_arm_pitch_link"
            " {side}_hand_yaw_link",
            "{side}_thigh_pitch_link {side}_thigh_yaw_link {side}_shank_pitch_link {side}_foot_roll_link"
            " {side}_foot_pitch_link",
        ),
        (
            "left_upper_arm_yaw_link",
            "left_lower_arm_pitch_link",
            "left_thigh_yaw_link",
            "left_shank_pitch_link",
            "left_foot_pitch_link",
        ),
    ),
    "numbers": (
        robot(
            "base_link zhead_1_link zhead_2_link",
            " ".join(f"zarm_{{s}}{k}_link" for k in range(1, 8)),
            " ".join(f"leg_{{s}}{k}_link" for k in range(1, 7)),
        ),
        ("zarm_l3_link", "zarm_l4_link", "leg_l3_link", "leg_l4_link", "leg_l6_link"),
    ),
    "capitals": (
        robot(
            "Trunk Waist H1 H2",
            "{side}HandLink",
            "HIP_YAW_{side} Hip_Roll_{side} Shank_{side} {side}_foot_link",
        )
        + " "
        + " ".join(f"A{side}{k}" for side in "LR" for k in range(1, 7)),
        ("AL3", "AL4", "Hip_Roll_left", "Shank_left", "left_foot_link"),
    ),
    "letters of axes": (
        robot(
            "base_link CHEST_P_LINK NECK_P_LINK",
            "{s}_SHOULDER_P_LINK {s}_SHOULDER_R_LINK {s}_SHOULDER_Y_LINK {s}_ELBOW_P_LINK {s}_WRIST_R_LINK",
            "{s}_HIP_Y_LINK {s}_HIP_R_LINK {s}_HIP_P_LINK {s}_KNEE_P_LINK {s}_ANKLE_P_LINK {s}_ANKLE_R_LINK",
        ),
        ("l_SHOULDER_Y_LINK", "l_ELBOW_P_LINK", "l_HIP_P_LINK", "l_KNEE_P_LINK", "l_ANKLE_R_LINK"),
    ),
    "movements of joints": (
        robot(
            "pelvis",
            "{s}_shoulder_aa_link {s}_shoulder_ie_link {s}_shoulder_fe_link {s}_elbow_fe_link {s}_wrist_flex",
            "l{s}_hr l{s}_haa l{s}_hfe l{s}_kfe l{s}_ffe l{s}_faa",
        ),
        ("l_shoulder_fe_link", "l_elbow_fe_link", "ll_hfe", "ll_kfe", "ll_faa"),
    ),
    "limbs and their parts": (
        robot(
            "base",
            "arm_{side}_shoulder_roll arm_{side}_shoulder_yaw arm_{side}_elbow_pitch arm_{side}_hand_link",
            "leg_{side}_hip_roll leg_{side}_hip_pitch leg_{side}_knee_pitch leg_{side}_ankle_roll",
        ),
        (
            "arm_left_shoulder_yaw",
            "arm_left_elbow_pitch",
            "leg_left_hip_pitch",
            "leg_left_knee_pitch",
            "leg_left_ankle_roll",
        ),
    ),
    "a side without a mark": (
        robot(
            "body CHEST_LINK0 HEAD_LINK1",
            " ".join(f"{{s}}arm_link{k}" for k in range(8)),
            "{s}hip {s}knee {s}ankle",
        ),
        ("larm_link2", "larm_link3", "lhip", "lknee", "lankle"),
    ),
    "upper and lower links of joints": (
        robot(
            "base torso head",
            "{side}_upper_shoulder {side}_lower_shoulder {side}_upper_elbow {side}_lower_elbow {side}_hand",
            "{side}_thigh {side}_shin {side}_foot",
        ),
        ("left_lower_shoulder", "left_lower_elbow", "left_thigh", "left_shin", "left_foot"),
    ),
    "numbered bones of named parts": (
        robot(
            "cf_j_hips",
            "cf_j_arm00_{s} cf_j_forearm01_{s}",
            "cf_j_thigh00_{s} cf_j_leg01_{s} cf_j_leg03_{s} cf_j_foot_{s}",
        ),
        ("cf_j_arm00_l", "cf_j_forearm01_l", "cf_j_thigh00_l", "cf_j_leg01_l", "cf_j_foot_l"),
    ),
    "a body's name before each": (
        robot(
            "Robot_Hips Robot_Spine Robot_Neck Robot_Head",
            "Robot_{side}Arm Robot_{side}ForeArm Robot_{side}Hand",
            "Robot_{side}UpLeg Robot_{side}Leg Robot_{side}Foot",
        ),
        ("Robot_leftArm", "Robot_leftForeArm", "Robot_leftUpLeg", "Robot_leftLeg", "Robot_leftFoot"),
    ),
}


@pytest.mark.parametrize("kind", ROBOTS)
def test_of_a_robot_s_links_those_are_paired_that_carry_the_limbs(kind: str):
    links, limbs = ROBOTS[kind]
    followed = {source: target for target, source in paired(XSENS, links).items()}
    assert (
        tuple(
            followed[name]
            for name in ("LeftUpperArm", "LeftForeArm", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot")
        )
        == limbs
    )
    assert len([name for name in followed if name.startswith("Right")]) == len(
        [name for name in followed if name.startswith("Left")]
    )


LANGUAGES = {  # trunk from the hips to the head; a limb's bones, with {} for the side; left and right
    "German": (
        "Becken Wirbelsäule Brust Hals Kopf",
        "Oberarm_{} Unterarm_{} Hand_{} Oberschenkel_{} Unterschenkel_{} Fuss_{}",
        "L R",
    ),
    "German adjectives": (
        "Hüfte Bauch Brust Nacken Kopf",
        "{}rOberarm {}rUnterarm {}Hand {}rOberschenkel {}rUnterschenkel {}rFuß",
        "Linke Rechte",
    ),
    "Spanish": (
        "Cadera Columna Pecho Cuello Cabeza",
        "Brazo{} Antebrazo{} Mano{} Muslo{} Pierna{} Pie{}",
        "Izquierdo Derecho",
    ),
    "Spanish abbreviations": (
        "cadera columna pecho cuello cabeza",
        "brazo_{} antebrazo_{} mano_{} muslo_{} pantorrilla_{} pie_{}",
        "izq der",
    ),
    "French": (
        "bassin colonne poitrine cou tête",
        "bras_{} avantbras_{} main_{} cuisse_{} mollet_{} pied_{}",
        "gauche droite",
    ),
    "Italian": (
        "bacino colonna petto collo testa",
        "braccio_{} avambraccio_{} mano_{} coscia_{} polpaccio_{} piede_{}",
        "sx dx",
    ),
    "Portuguese": (
        "quadril coluna peito pescoço cabeça",
        "braço_{} antebraço_{} mão_{} coxa_{} canela_{} pé_{}",
        "esquerdo direito",
    ),
    "Japanese": ("腰 背骨 胸 首 頭", "{}上腕 {}前腕 {}手 {}太もも {}すね {}足首", "左 右"),
    "Chinese": ("骨盆 脊椎 胸 颈 头", "{}上臂 {}前臂 {}手 {}大腿 {}小腿 {}脚", "左 右"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_bodies_in_other_languages_are_paired_whole(language: str):
    trunk, limb, sides = LANGUAGES[language]
    hips, *_, head = trunk.split()
    left, right = (limb.format(*[side] * 6) for side in sides.split())
    found = {pair.source: pair.target for pair in pairs(body(XSENS), body(f"{trunk} {left} {right}"))}
    assert (found["Pelvis"], found["Head"]) == (hips, head)
    for side, bones in (("Left", left), ("Right", right)):
        names = ("UpperArm", "ForeArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
        assert [found[f"{side}{name}"] for name in names] == bones.split()


def test_a_waist_that_hangs_on_the_trunk_is_the_hips_and_else_part_of_the_spine():
    upward = {"pelvis": None, "waist": "pelvis", "torso": "waist"}
    assert parts(upward) == {BodyPart("", "hips"): ["pelvis"], BodyPart("", "spine"): ["waist", "torso"]}
    assert parts({"torso": None, "waist": "torso"}) == {
        BodyPart("", "hips"): ["waist"],
        BodyPart("", "spine"): ["torso"],
    }


def test_a_root_is_the_hips_where_the_legs_hang_on_it_and_nowhere_else():
    hung = {"root.x": None, "thigh_twist.l": "root.x", "thigh.l": "thigh_twist.l", "thigh.r": "root.x"}
    assert parts(hung)[BodyPart("", "hips")] == ["root.x"]
    assert parts(hung | {"pelvis": "root.x"})[BodyPart("", "hips")] == ["pelvis"]
    on_the_floor = {"root": None, "Bone": "root", "thigh.l": "Bone", "thigh.r": "Bone"}
    assert BodyPart("", "hips") not in parts(on_the_floor)


def test_a_waist_whose_hinges_carry_no_leg_is_trunk_also_where_the_hips_are_called_base():
    bones = {"base": None, "waist_yaw_link": "base", "waist_roll_link": "waist_yaw_link"}
    bones |= {f"{side}_thigh_pitch_link": "base" for side in ("left", "right")}
    by_part = parts(bones)
    assert by_part[BodyPart("", "hips")] == ["base"]
    assert by_part[BodyPart("", "spine")] == ["waist_yaw_link", "waist_roll_link"]


def test_a_body_that_hangs_on_the_hips_is_trunk():
    by_part = parts({"pelvis": None, "body_yaw_link": "pelvis"})
    assert by_part[BodyPart("", "spine")] == ["body_yaw_link"]


@pytest.mark.parametrize(
    "necks",
    [
        ["lowerNeckPitchLink", "neckYawLink", "upperNeckPitchLink"],
        ["NECK_Y_S", "NECK_R_S", "NECK_P_S"],
        ["neck_pan_link", "neck_tilt_link"],
    ],
)
def test_where_nothing_is_called_a_head_it_sits_on_the_last_hinge_of_the_neck(necks: list[str]):
    bones = dict(zip(necks, ["chest", *necks], strict=False))
    assert parts({"chest": None} | bones)[BodyPart("", "head")] == necks[-1:]
    assert BodyPart("", "head") not in parts({"chest": None, "neck": "chest", "neck1": "neck"})


def test_a_waist_that_rolls_is_no_right_one():
    assert read("WAIST_R_S").part == BodyPart("", "waist")
    assert read("WAIST_R_S").is_hinge
    assert read("pelvis.R").part is None


NAO = "torso Head LShoulder LBicep LElbow LForeArm l_wrist"


@pytest.mark.parametrize(
    ("shoulder", "is_collar"), [((0.1, 0.0, 0.0), False), ((0.09, 0.0, 0.0), False), ((0.02, 0.0, 0.0), True)]
)
def test_a_shoulder_that_begins_where_the_upper_arm_does_is_a_hinge_of_it_and_no_collar(shoulder, is_collar):
    heads = dict.fromkeys(NAO.split(), (0.0, 0.0, 0.0)) | {
        "LShoulder": shoulder,
        "LBicep": (0.1, 0.0, 0.0),
        "LElbow": (0.2, 0.0, 0.0),
    }
    found = {pair.target: pair.source for pair in pairs(body(CMU), body(NAO), target_heads=heads)}
    assert found["LBicep"] == "LeftShoulder"
    assert found.get("LShoulder") == ("LeftCollar" if is_collar else None)


def test_spines_of_different_lengths_are_paired_evenly_and_end_together():
    assert {bone: paired(CMU, XSENS).get(bone) for bone in ("L5", "L3", "T12", "T8")} == {
        "L5": "lowerback",
        "L3": None,
        "T12": "Chest",
        "T8": "Chest2",
    }


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Left arm", BodyPart("left", "upper_arm")),
        ("r_calf", BodyPart("right", "shin")),
        ("Thigh.R", BodyPart("right", "thigh")),
        ("Bip01 L Calf", BodyPart("left", "shin")),
        ("RightHandIndex1", None),
        ("LHipJoint", None),
        ("upperarm_twist_01_l", None),
        ("head_end_link", None),
        ("LFArm", BodyPart("left", "forearm")),
        ("mHipLeft", BodyPart("left", "thigh")),
        ("ValveBiped.Bip01_R_Calf", BodyPart("right", "shin")),
        ("R_KNEE_P_S", BodyPart("right", "shin")),
        ("足首.R", BodyPart("right", "ankle")),
        ("HEAD_JOINT1_LINK", BodyPart("", "head")),
        ("Legend", None),
        ("rib", None),
        ("rleg", BodyPart("right", "leg")),
        ("LLEG_ANKLE_R", BodyPart("left", "ankle")),
        ("larm_R", BodyPart("right", "forearm")),
        ("skull", BodyPart("", "head")),
        ("l_larm", BodyPart("left", "forearm")),
        ("left_arm_mount", None),
        ("rear", None),
        ("", None),
    ],
)
def test_a_name_says_its_part_or_nothing(name: str, part: BodyPart | None):
    assert read(name).part == part


def test_bodies_of_no_known_kind_are_paired_where_bones_are_called_alike():
    horse = {"barrel": None, "withers": "barrel", "tail.01": "barrel", "tail.02": "tail.01"}
    assert pairs(horse, {"Tail_01": None, "tail02": "Tail_01", "mane": None}) == [
        Pair("tail.01", "Tail_01"),
        Pair("tail.02", "tail02"),
    ]


def test_bodies_with_nothing_in_common_are_not_paired():
    assert pairs({"boom": None, "jib": "boom"}, body(CMU)) == []
    assert pairs({}, {}) == []


def line(first: str, *names: str) -> dict[str, str]:
    """Parents of bones, each of which is the child of the previous one."""
    return dict(zip(names, (first, *names), strict=False))


def limbs_on(chest: str, pelvis: str) -> dict[str, str]:
    return {
        bone: parent
        for side in ("left", "right")
        for bone, parent in (
            line(chest, f"{side}_shoulder_link", f"{side}_arm_yaw_link", f"{side}_elbow_link")
            | line(
                pelvis, f"{side}_hip_link", f"{side}_thigh_link", f"{side}_knee_link", f"{side}_ankle_link"
            )
        ).items()
    }


@pytest.mark.parametrize("base", ["base_link", "Trunk", "root_link"])
def test_a_base_above_a_waist_that_carries_the_legs_is_the_trunk(base: str):
    below = {base: None} | line(base, "waist_yaw_link", "waist_roll_link") | limbs_on(base, "waist_roll_link")
    found = parts(below)
    assert found[BodyPart("", "hips")][:1] == ["waist_roll_link"]
    assert base in found[BodyPart("", "spine")]


@pytest.mark.parametrize("base", ["base_link", "root_link"])
def test_a_base_that_carries_the_legs_itself_is_the_hips(base: str):
    above = {base: None} | line(base, "waist_yaw_link", "torso_link") | limbs_on("torso_link", base)
    found = parts(above)
    assert found[BodyPart("", "hips")] == [base]
    assert found[BodyPart("", "spine")] == ["waist_yaw_link", "torso_link"]


def test_numbered_links_of_a_limb_whose_end_has_a_name_of_its_own_end_before_it():
    arm = [f"{s}{k}" for s in ("AL", "AR") for k in (1, 2, 3)]
    leg = [f"{s}LEG_LINK{k}" for s in "LR" for k in range(1, 6)]
    found = parts(dict.fromkeys([*arm, "left_hand_link", "right_hand_link", *leg, "l_ankle", "r_ankle"]))
    expected = {"upper_arm": "AL2", "forearm": "AL3", "hand": "left_hand_link", "thigh": "LLEG_LINK3"}
    expected |= {"shin": "LLEG_LINK4", "foot": "l_ankle"}
    assert {part.name: bones[0] for part, bones in found.items() if part.side == "left"} == expected


def test_a_motor_beside_a_joint_is_not_the_limb():
    ankles = ("left_ankle_pitch_link", "left_ankle_roll_link", "left_ankle_pitch_motor2_link")
    assert parts(dict.fromkeys(("left_knee_link", *ankles)))[BodyPart("left", "foot")] == [ankles[1]]
    assert parts(dict.fromkeys(("left_knee_motor", "left_ankle_motor")))[BodyPart("left", "foot")] == [
        "left_ankle_motor"
    ]


def test_controls_of_hands_and_feet_without_a_side_are_no_part_of_the_trunk():
    bones = {**body(MIXAMO_WORDS), "hand_root": "Hips", "foot_root": "Hips", "hand_head": "Hips"}
    found = parts(bones)
    assert found[BodyPart("", "spine")] == ["Spine", "Spine1", "Spine2"]
    assert found[BodyPart("", "head")] == ["Head"]


def finger(first: str, *joints: str) -> list[str]:
    """Names of a finger's joints: each of `joints` in the place of {} of the first."""
    return [first.format(joint) for joint in joints]


# Each convention's names of a left thumb's and a left index finger's three joints, and bones that are none.
THUMBS = {
    "VRM 0": (
        finger("leftThumb{}", "Proximal", "Intermediate", "Distal"),
        finger("leftIndex{}", "Proximal", "Intermediate", "Distal"),
        [],
    ),
    "VRM 1": (
        finger("leftThumb{}", "Metacarpal", "Proximal", "Distal"),
        finger("leftIndex{}", "Proximal", "Intermediate", "Distal"),
        [],
    ),
    "OpenXR": (
        finger("LeftThumb{}", "Metacarpal", "Proximal", "Distal"),
        finger("LeftIndex{}", "Proximal", "Intermediate", "Distal"),
        ["LeftIndexMetacarpal", "LeftThumbTip"],
    ),
    "MOVIN": (finger("LeftHandThumb{}", *"123"), finger("LeftHandIndex{}", *"123"), []),
    "Mixamo": (
        finger("mixamorig:LeftHandThumb{}", *"123"),
        finger("mixamorig:LeftHandIndex{}", *"123"),
        ["mixamorig:LeftHandThumb4"],
    ),
    "Perception Neuron": (
        finger("LeftHandThumb{}", *"123"),
        finger("LeftHandIndex{}", *"123"),
        ["LeftInHandIndex"],
    ),
    "Rokoko": (
        finger("LeftFinger1{}", "Metacarpal", "Proximal", "Distal"),
        finger("LeftFinger2{}", "Proximal", "Medial", "Distal"),
        ["LeftFinger1Tip", "LeftFinger2Metacarpal"],
    ),
    "Xsens": (
        finger("LeftFirst{}", "MC", "PP", "DP"),
        finger("LeftSecond{}", "PP", "MP", "DP"),
        ["LeftCarpus", "LeftSecondMC"],
    ),
    "Character Creator": (finger("CC_Base_L_Thumb{}", *"123"), finger("CC_Base_L_Index{}", *"123"), []),
    "VRoid": (finger("J_Bip_L_Thumb{}", *"123"), finger("J_Bip_L_Index{}", *"123"), []),
    "mannequin": (
        finger("thumb_0{}_l", *"123"),
        finger("index_0{}_l", *"123"),
        ["index_metacarpal_l", "thumb_01_twist_l"],
    ),
    "Rigify": (
        finger("thumb.0{}.L", *"123"),
        finger("f_index.0{}.L", *"123"),
        ["palm.01.L", "f_index.01_master.L", "f_index.01.L.001"],
    ),
    "SMPL-X": (finger("left_thumb{}", *"123"), finger("left_index{}", *"123"), []),
    "Daz": (finger("lThumb{}", *"123"), finger("lIndex{}", *"123"), ["lCarpal1"]),
    "MikuMikuDance": (
        finger("左親指{}", *"\uff10\uff11\uff12"),  # full-width digits, from 0
        finger("左人指{}", *"\uff11\uff12\uff13"),
        [],
    ),
    "Biped": (finger("Bip01 L Finger{}", "0", "01", "02"), finger("Bip01 L Finger{}", "1", "11", "12"), []),
    "MakeHuman": (finger("finger1-{}.L", *"123"), finger("finger2-{}.L", *"123"), ["metacarpal1.L"]),
}


@pytest.mark.parametrize("source", THUMBS)
@pytest.mark.parametrize("target", THUMBS)
def test_fingers_are_paired_joint_by_joint_whatever_their_joints_are_called(source: str, target: str):
    theirs, own = (
        dict.fromkeys([*thumb, *index, *others]) for thumb, index, others in (THUMBS[source], THUMBS[target])
    )
    joints = {pair.target: pair.source for pair in pairs(theirs, own)}
    expected = [
        dict(zip(own_joints, joints_there, strict=True))
        for own_joints, joints_there in zip(THUMBS[target][:2], THUMBS[source][:2], strict=True)
    ]
    assert {bone: joints[bone] for bone in expected[0] | expected[1]} == expected[0] | expected[1]


def test_a_robot_s_links_of_fingers_are_hinges_and_paired_where_they_are_called_alike():
    robot = ["left_thumb_0_link", "left_thumb_1_link", "left_finger_1_link"]
    assert paired(" ".join(THUMBS["MOVIN"][0]), " ".join(robot)) == {}
    assert paired(" ".join(robot), " ".join(robot)) == dict(zip(robot, robot, strict=True))


def test_a_finger_with_more_bones_than_joints_and_a_tip_is_paired_where_bones_are_called_alike():
    rig = [f"c_thumb{k}.l" for k in "123"] + [f"thumb{k}.l" for k in "123"]
    assert paired("thumb1.l thumb2.l thumb3.l", " ".join(rig)) == {
        f"thumb{k}.l": f"thumb{k}.l" for k in "123"
    }
