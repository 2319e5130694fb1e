"""The report: what a take's numbers are, which of them fall short, and the short table at the end."""

import json
from math import degrees
from pathlib import Path

import figures
import installed
import numpy as np

AIM = 0.1  # [degrees] the solver's aim at anything that can be looked at
SAME = 1e-9  # [rad] live and streamed are the same numbers
KEYED = 1e-6  # [rad] keys are single precision
OVER = 1e-6  # share of a motion limit, for rounding
FOLLOWED = 2.0  # [degrees] a joint's mean distance from what it was sent, lag taken out: servos that follow do much better
CHANGE = 1.5  # [s] after a change of posture in which the body is on its way


def measure(take) -> dict:
    """All figures of a take, in degrees and milliseconds."""
    gaze = installed.module("solvers.gaze")

    def aim(rows) -> list[float]:
        return [degrees(gaze.aim_error(goal, take.skeleton.forward(row))) for goal, row in zip(take.goals, rows, strict=True)]

    filtered, due = np.array(take.filtered), np.array(take.due)
    times = np.array([look[0] for look in take.looks])
    reported = np.array([look[2] for look in take.looks])
    commanded = np.array([look[1] if look[1] is not None else look[2] for look in take.looks])
    delay = figures.lag(times, reported, due, filtered)
    take.robot = figures.at(due + delay, times, reported)
    as_it_was = figures.at(due, times, reported)
    steady = ~figures.near_changes(take.postures, round(CHANGE * take.fps))
    after_filter = [degrees(error) for error in take.filtered_aim_error]
    take.robot_aim = robot_aim = aim(take.robot)
    ticks = 1e3 * np.array(take.tick_seconds)
    solving = 1e3 * np.array([solution.seconds for solution in take.solutions])
    late = 1e3 * np.array(take.late_frames)
    status = take.status
    return {
        "frames": len(take.frames),
        "fps": take.fps,
        "joints": len(take.joints),
        "joint_names": take.joints,
        "aim_error_deg": figures.spread([degrees(solution.aim_error) for solution in take.solutions]),
        "filtered_aim_error_deg": figures.spread(after_filter)
        | {
            "mean_in_posture": float(np.mean(np.array(after_filter)[steady])),
            "max_in_posture": float(np.max(np.array(after_filter)[steady])),
        },
        "robot_aim_error_deg": figures.spread(robot_aim)
        | {
            "lag_ms": 1e3 * delay,
            "mean_in_posture": float(np.mean(np.array(robot_aim)[steady])),
            "mean_with_lag": float(np.mean(aim(as_it_was))),
            "note": "the robot's reported angles, lag_ms later than their frame; mean_with_lag: at the frame's own time",
        },
        "shape_deviation_deg": figures.spread([degrees(solution.shape_deviation) for solution in take.solutions]),
        "frames_not_converged": sum(not solution.converged for solution in take.solutions),
        "frames_with_problems": {str(frame): problem for frame, problem in take.problems.items()},
        "filter": figures.shares(filtered, take.fps, take.limits[2:])
        | {
            "beyond_position_limits_deg": degrees(
                max(0.0, float((take.limits[0] - filtered).max()), float((filtered - take.limits[1]).max()))
            )
        },
        "device": {
            "sent": status.sent,
            "acknowledged": status.acknowledged,
            "lost": status.lost,
            "clamped": status.clamped,
            "commanded_lag_ms": 1e3 * figures.lag(times, commanded, due, filtered),
            "reported_lag_ms": 1e3 * delay,
            "late_ms": {"p50": status.late_ms_p50, "p99": status.late_ms_p99},
            "follows_within_deg": degrees(float(np.abs(take.robot - filtered).mean())),
        },
        "tick_ms": {
            "median": float(np.median(ticks)),
            "p99": float(np.quantile(ticks, 0.99)),
            "median_without_solver": float(np.median(ticks - solving)),
        },
        "frame_ms": {"median": 1e3 * float(np.median(take.frame_seconds)), "p99": 1e3 * float(np.quantile(take.frame_seconds, 0.99))},
        "frame_late_ms": {"p50": float(np.median(late)), "p99": float(np.quantile(late, 0.99))},
        "same_motion": {
            "streamed_minus_live_rad": float(np.abs(np.array(take.handed) - filtered).max()),
            "baked_minus_live_rad": float(np.abs(take.baked - filtered).max()),
        },
    }


def shortcomings(report: dict) -> list[str]:
    """A sentence for each essential thing that failed."""
    short = []
    aim, device, same = (report[key] for key in ("aim_error_deg", "device", "same_motion"))
    if aim["max"] > AIM:
        short.append(f"The aim was not met: it misses by up to {aim['max']:.2f} degrees, at most {AIM} are right")
    if report["frames_with_problems"]:
        frame, problem = next(iter(report["frames_with_problems"].items()))
        short.append(f"{len(report['frames_with_problems'])} frames had a problem; frame {frame}: {problem}")
    for name in ("velocity", "acceleration", "jerk"):
        if report["filter"][name] > 1.0 + OVER:
            short.append(f"The filtered motion uses {report['filter'][name]:.4f} of a joint's limit of {name}")
    if report["filter"]["beyond_position_limits_deg"] > 1e-6:
        short.append(f"The filtered motion is {report['filter']['beyond_position_limits_deg']:.4f} degrees beyond a joint's range")
    if device["lost"]:
        short.append(f"The robot did not acknowledge {device['lost']} of {device['sent']} frames")
    if not device["sent"] or device["follows_within_deg"] > FOLLOWED:
        short.append(f"The robot did not follow: its joints are {device['follows_within_deg']:.1f} degrees off on average")
    if same["streamed_minus_live_rad"] > SAME:
        short.append(f"What was streamed is not what was live: they differ by {same['streamed_minus_live_rad']:.1e} rad")
    if same["baked_minus_live_rad"] > KEYED:
        short.append(f"What was baked is not what was live: they differ by {same['baked_minus_live_rad']:.1e} rad")
    return short


def table(report: dict) -> str:
    """The report in a few lines."""
    aim, after, robot, device = (report[key] for key in ("aim_error_deg", "filtered_aim_error_deg", "robot_aim_error_deg", "device"))
    use, tick, same, shape = (report[key] for key in ("filter", "tick_ms", "same_motion", "shape_deviation_deg"))
    late = device["late_ms"]
    rows = [
        ("frames", f"{report['frames']} at {report['fps']:g} a second, {report['joints']} joints, Blender {report['blender']}"),
        ("aim error of the solver", f"{aim['mean']:.4f} deg mean, {aim['max']:.4f} max"),
        (
            "aim error after the filter",
            f"{after['mean']:.2f} deg mean, {after['max']:.2f} max; {after['mean_in_posture']:.2f} while a posture lasts",
        ),
        (
            "aim error of the robot",
            f"{robot['mean']:.2f} deg mean, {robot['max']:.2f} max, {robot['lag_ms']:.0f} ms later ({robot['mean_with_lag']:.2f} at once)",
        ),
        ("shape deviation", f"{shape['mean']:.1f} deg mean, {shape['max']:.1f} max"),
        ("limits used by the filter", f"velocity {use['velocity']:.3f}, acceleration {use['acceleration']:.3f}, jerk {use['jerk']:.3f}"),
        (
            "device",
            f"{device['sent']} sent, {device['acknowledged']} acknowledged, {device['lost']} lost;"
            f" late {late['p50']:.2f} ms p50, {late['p99']:.2f} p99",
        ),
        ("tick", f"{tick['median']:.2f} ms median, {tick['p99']:.2f} p99; {tick['median_without_solver']:.2f} without the solver"),
        ("streamed - live, baked - live", f"{same['streamed_minus_live_rad']:.1e}, {same['baked_minus_live_rad']:.1e} rad"),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)


def save(folder: Path, take, report: dict, sheet: dict) -> None:
    """report.json, and take.npz with all that the pictures are drawn from."""
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    np.savez_compressed(
        folder / "take.npz",
        joints=np.array(take.joints),
        limits=take.limits,
        fps=take.fps,
        frames=np.array(take.frames),
        time=np.array(take.due),
        solved=np.array(take.solved),
        filtered=np.array(take.filtered),
        baked=take.baked,
        look_time=np.array([look[0] for look in take.looks]),
        commanded=np.array([look[1] if look[1] is not None else look[2] for look in take.looks]),
        reported=np.array([look[2] for look in take.looks]),
        aim_error=np.array([solution.aim_error for solution in take.solutions]),
        filtered_aim_error=np.array(take.filtered_aim_error),
        robot_aim_error=np.array(take.robot_aim),
        shape_deviation=np.array([solution.shape_deviation for solution in take.solutions]),
        posture=np.array(take.postures),
    )
    (folder / "contact_sheet.json").write_text(json.dumps(sheet, indent=2) + "\n", encoding="utf-8")
