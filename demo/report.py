"""The report of a take: its figures, a sentence for each figure that misses its bound, and a table."""

import json
from math import degrees
from pathlib import Path

import figures
import installed
import numpy as np

AIM = 0.1  # [degrees] largest aim error of the solver for targets that can be met
SHOWN = 0.01  # [degrees] largest difference between shown and computed values, due to single precision
SAME = 1e-9  # [rad] tolerance within which live and streamed values are equal
KEYED = 1e-6  # [rad] rounding error of keys, which are single precision
OVER = 1e-6  # largest excess over a motion limit that counts as rounding, as a share of the limit
# [degrees] largest mean distance of a joint from its sent values, corrected for the lag; a servo that follows
# is far below
FOLLOWED = 2.0
BUSY = 0.25  # [s] delay of frames above which the cause is the machine, not the robot
CHANGE = 1.5  # [s] time after a change of posture in which the body moves to it


def measure(take) -> dict:
    """All figures of a take, with units in their names; sets the take's `robot` and `robot_aim`."""
    filtered, due = np.array(take.filtered), np.array(take.due)
    times, commanded, reported = status_samples(take)
    lag = figures.lag(times, reported, due, filtered)
    take.robot = figures.at(due + lag, times, reported)
    take.robot_aim = _aim(take, take.robot)
    steady = ~figures.near_changes(take.postures, round(CHANGE * take.fps))
    after_filter = np.degrees(take.filtered_aim_error)
    ticks, solving = (
        1e3 * np.array(take.tick_seconds),
        1e3 * np.array([solution.seconds for solution in take.solutions]),
    )
    status = take.status
    return {
        "frames": len(take.frames),
        "fps": take.fps,
        "joints": len(take.joints),
        "joint_names": take.joints,
        "aim_error_deg": figures.spread(_aim(take, take.solved)),
        "filtered_aim_error_deg": figures.spread(after_filter) | _in_posture(after_filter, steady),
        "robot_aim_error_deg": (
            figures.spread(take.robot_aim)
            | _in_posture(np.array(take.robot_aim), steady)
            | {
                "lag_ms": 1e3 * lag,
                "mean_with_lag": float(np.mean(_aim(take, figures.at(due, times, reported)))),
                "note": (
                    "the robot's reported angles, lag_ms later than their frame; mean_with_lag: at the"
                    " frame's own time"
                ),
            }
        ),
        "shape_deviation_deg": figures.spread(
            [degrees(solution.shape_deviation) for solution in take.solutions]
        ),
        "frames_not_converged": sum(not solution.converged for solution in take.solutions),
        "frames_with_problems": {str(frame): problem for frame, problem in take.problems.items()},
        "filter": (
            figures.shares(filtered, take.fps, take.limits[2:])
            | {
                "beyond_position_limits_deg": degrees(
                    _beyond(take, filtered)[take.is_revolute].max(initial=0.0)
                )
            }
            | (
                {"slides_beyond_limits_mm": 1e3 * float(_beyond(take, filtered)[~take.is_revolute].max())}
                if not take.is_revolute.all()
                else {}
            )
        ),
        "device": (
            {
                "sent": status.sent,
                "acknowledged": status.acknowledged,
                "lost": status.lost,
                "clamped": status.clamped,
                "late_ms": {"p50": status.late_ms_p50, "p99": status.late_ms_p99},
                "commanded_lag_ms": 1e3 * figures.lag(times, commanded, due, filtered),
                "reported_lag_ms": 1e3 * lag,
                "follows_within_deg": degrees(np.abs(take.robot - filtered)[:, take.is_revolute].mean()),
            }
            | (
                {
                    "slides_follow_within_mm": 1e3
                    * float(np.abs(take.robot - filtered)[:, ~take.is_revolute].mean())
                }
                if not take.is_revolute.all()
                else {}
            )
        ),
        "tick_ms": figures.quantiles(ticks) | {"median_without_solver": float(np.median(ticks - solving))},
        "frame_ms": figures.quantiles(1e3 * np.array(take.frame_seconds)),
        "frame_late_ms": figures.quantiles(1e3 * np.array(take.late_frames)),
        "same_motion": {
            "streamed_minus_live_rad": float(np.abs(np.array(take.handed) - filtered).max()),
            "baked_minus_live_rad": float(np.abs(take.baked - filtered).max()),
            "shown_minus_computed_aim_deg": float(
                np.abs(np.degrees(take.shown_aim_error) - after_filter).max()
            ),
        },
    }


def _beyond(take, filtered: np.ndarray) -> np.ndarray:
    """Largest excess (n,) of each joint over its range [rad; prismatic joints m]."""
    return np.maximum(take.limits[0] - filtered, filtered - take.limits[1]).max(0).clip(0.0)


def status_samples(take) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples of the robot's status: times (m,) since the first frame [s], and commanded and reported values
    (m, n) [rad; prismatic joints m]. Where nothing was commanded, the reported values take its place.
    """
    times, commanded, reported = zip(*take.status_samples, strict=True)
    known = [row if row is not None else other for row, other in zip(commanded, reported, strict=True)]
    return np.array(times), np.array(known), np.array(reported)


def _aim(take, rows) -> list[float]:
    """Aim errors [degrees] of angles (t, n) [rad] with respect to the goals of their frames."""
    aim_error = installed.module("solvers.gaze").aim_error
    return [
        degrees(aim_error(goal, take.skeleton.forward(row)))
        for goal, row in zip(take.goals, rows, strict=True)
    ]


def _in_posture(errors: np.ndarray, steady: np.ndarray) -> dict[str, float]:
    """Statistics of the errors (t,) in frames without a change of posture, `steady` (t,); empty if the
    posture never changes.
    """
    if steady.all():
        return {}
    return {"mean_in_posture": float(errors[steady].mean()), "max_in_posture": float(errors[steady].max())}


def shortcomings(report: dict) -> list[str]:  # noqa: C901 (one bound of the demo after another)
    """A sentence for each essential figure that misses its bound."""
    short = []
    aim, device, same = (report[key] for key in ("aim_error_deg", "device", "same_motion"))
    if aim["max"] > AIM:
        short.append(
            f"The aim was not met: it misses by up to {aim['max']:.2f} degrees, at most {AIM} are right"
        )
    if report["frames_with_problems"]:
        frame, problem = next(iter(report["frames_with_problems"].items()))
        short.append(f"{len(report['frames_with_problems'])} frames had a problem; frame {frame}: {problem}")
    for name in ("velocity", "acceleration", "jerk"):
        if report["filter"][name] > 1.0 + OVER:
            short.append(
                f"The filtered motion uses {report['filter'][name]:.4f} of a joint's limit of {name}"
            )
    if report["filter"]["beyond_position_limits_deg"] > 1e-6:
        short.append(
            f"The filtered motion is {report['filter']['beyond_position_limits_deg']:.4f} degrees beyond a"
            " joint's range"
        )
    if report["filter"].get("slides_beyond_limits_mm", 0.0) > 1e-6:
        short.append(
            f"The filtered motion is {report['filter']['slides_beyond_limits_mm']:.4f} mm beyond a slide's"
            " range"
        )
    if device["lost"]:
        short.append(f"The robot did not acknowledge {device['lost']} of {device['sent']} frames")
    if not device["sent"] or device["follows_within_deg"] > FOLLOWED:
        late = report["frame_late_ms"]["p99"] / 1e3
        busy = (
            f"; frames came up to {late:.1f} s late: run it again while nothing else keeps the machine busy"
            if late > BUSY
            else ""
        )
        short.append(
            f"The robot did not follow: its joints are {device['follows_within_deg']:.1f} degrees off on"
            f" average{busy}"
        )
    if same["streamed_minus_live_rad"] > SAME:
        short.append(
            "What was streamed is not what was live: they differ by"
            f" {same['streamed_minus_live_rad']:.1e} rad"
        )
    if same["baked_minus_live_rad"] > KEYED:
        short.append(
            f"What was baked is not what was live: they differ by {same['baked_minus_live_rad']:.1e} rad"
        )
    if same["shown_minus_computed_aim_deg"] > SHOWN:
        short.append(
            "What Blender shows is not what was computed: the aim differs by"
            f" {same['shown_minus_computed_aim_deg']:.3f} degrees"
        )
    return short


def table(report: dict) -> str:
    """The report as a table of a few lines."""
    aim, after, robot, device = (
        report[key] for key in ("aim_error_deg", "filtered_aim_error_deg", "robot_aim_error_deg", "device")
    )
    use, tick, same, shape = (
        report[key] for key in ("filter", "tick_ms", "same_motion", "shape_deviation_deg")
    )
    late, rival = device["late_ms"], report["rival"]
    in_posture = (
        f"; {after['mean_in_posture']:.2f} mean while a posture lasts" if "mean_in_posture" in after else ""
    )
    rows = [
        (
            "frames",
            (
                f"{report['frames']} at {report['fps']:g} a second, {report['joints']} joints, Blender"
                f" {report['blender']}"
            ),
        ),
        ("aim error of the solver", f"{aim['mean']:.4f} deg mean, {aim['max']:.4f} max"),
        (
            "aim error after the filter",
            f"{after['mean']:.2f} deg mean, {after['max']:.2f} max" + in_posture,
        ),
        (
            "aim error of the robot",
            (
                f"{robot['mean']:.2f} deg mean, {robot['max']:.2f} max, {robot['lag_ms']:.0f} ms later"
                f" ({robot['mean_with_lag']:.2f} at once)"
            ),
        ),
        ("shape deviation", f"{shape['mean']:.1f} deg mean, {shape['max']:.1f} max"),
        (
            "limits used by the filter",
            f"velocity {use['velocity']:.3f}, acceleration {use['acceleration']:.3f}, jerk {use['jerk']:.3f}",
        ),
        (
            "device",
            (
                f"{device['sent']} sent, {device['acknowledged']} acknowledged, {device['lost']} lost;"
                f" late {late['p50']:.2f} ms p50, {late['p99']:.2f} p99"
            ),
        ),
        (
            "tick",
            (
                f"{tick['median']:.2f} ms median, {tick['p99']:.2f} p99; {tick['median_without_solver']:.2f}"
                " without the solver"
            ),
        ),
        (
            f"beside it, {rival['label']}",
            (
                f"aim {rival['aim_error_deg']['mean']:.2f} deg mean, {rival['aim_error_deg']['max']:.2f} max;"
                f" shape {rival['shape_deviation_deg']['mean']:.1f} mean; {rival['pops']} pops"
            ),
        ),
        *_body(report),
        (
            "streamed - live, baked - live",
            f"{same['streamed_minus_live_rad']:.1e}, {same['baked_minus_live_rad']:.1e} rad",
        ),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)


def _body(report: dict) -> list[tuple[str, str]]:
    """Rows (name, value) of the table on how a body follows its clip; empty if no body follows one."""
    if "body" not in report:
        return []
    body = report["body"]
    missed = body["missed_deg"]
    return [
        (
            "the body follows",
            (
                f"{body['pairs']} bones with {body['joints']} joints, beside their sources by"
                f" {missed['mean']:.2f} deg mean, {missed['p95']:.2f} p95, {missed['max']:.1f} max;"
                f" {body['solving_ms']:.2f} ms"
            ),
        )
    ]


def save(folder: Path, take, report: dict, sheet: dict) -> None:
    """Writes report.json, and the data of the pictures: take.npz and contact_sheet.json."""
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    times, commanded, reported = status_samples(take)
    np.savez_compressed(
        folder / "take.npz",
        joints=np.array(take.joints),
        is_revolute=take.is_revolute,
        limits=take.limits,
        fps=take.fps,
        frames=np.array(take.frames),
        time=np.array(take.due),
        solved=np.array(take.solved),
        filtered=np.array(take.filtered),
        baked=take.baked,
        status_time=times,
        commanded=commanded,
        reported=reported,
        aim_error=np.array([solution.aim_error for solution in take.solutions]),
        filtered_aim_error=np.array(take.filtered_aim_error),
        robot_aim_error=np.array(take.robot_aim),
        shape_deviation=np.array([solution.shape_deviation for solution in take.solutions]),
        posture=np.array(take.postures),
    )
    (folder / "contact_sheet.json").write_text(json.dumps(sheet, indent=2) + "\n", encoding="utf-8")
