"""Tests the robot's panels in a real window: servos are found, tried, moved by hand and armed; pictures of
each state are in build/window/.
"""


def test_servos_on_a_bus_are_found_set_up_led_by_hand_and_armed_in_the_panel(play):
    facts = play("robot_states")
    assert facts["found"] == [1, 2, 3, 4, 5, 6]
    assert facts["led"]
    assert facts["menu"] == "bpy.data.objects['Rig'].limber.device.latency"
    assert facts["keys"] > 2
    assert not facts["playing_after_recording"]


def test_the_check_of_an_arms_zeros_names_the_joint_that_is_elsewhere(play):
    assert play("robot_lerobot")["apart"] == ["lower_arm_link X"]
