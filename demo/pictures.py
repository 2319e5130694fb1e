"""Contact sheet and plot of a demo's folder, drawn from its files. Knows no Blender; needs matplotlib.

pictures.py FOLDER
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np

INK, PAPER = "#1d2630", "#ffffff"
SOLVED, FILTERED, REPORTED, LIMIT = "#9aa5b1", "#d1492e", "#1f6fb2", "#c9cdd2"
MOST = 6  # largest number of joints with a separate row; of longer chains those that move most
DPI = 100
ROOM = 16  # number of letters of a joint's name that fit beside its row


def contact_sheet(folder: Path) -> Path:
    """Draws the rendered frames in rows, each with its caption; returns the file's path."""
    sheet = json.loads((folder / "contact_sheet.json").read_text(encoding="utf-8"))
    rows = sheet["rows"]
    pictures = [[plt.imread(folder / cell["picture"]) for cell in row["cells"]] for row in rows]
    height, width = pictures[0][0].shape[:2]
    columns, gap, left, top, caption = max(map(len, pictures)), 8, 34, 64, 26
    total = (left + columns * (width + gap), top + len(rows) * (height + caption + gap))
    figure = plt.figure(figsize=(total[0] / DPI, total[1] / DPI), dpi=DPI, facecolor=PAPER)
    figure.text(
        left / total[0], 1 - 24 / total[1], sheet["title"], fontsize=15, weight="bold", color=INK, va="center"
    )
    figure.text(left / total[0], 1 - 48 / total[1], sheet["subtitle"], fontsize=10, color=INK, va="center")
    for r, (row, cells) in enumerate(zip(rows, pictures, strict=True)):
        y = total[1] - top - (r + 1) * (height + caption + gap) + caption + gap
        figure.text(
            0.5 * left / total[0],
            (y + height / 2) / total[1],
            row["label"],
            rotation=90,
            fontsize=13,
            weight="bold",
            color=INK,
            ha="center",
            va="center",
        )
        for c, (cell, picture) in enumerate(zip(row["cells"], cells, strict=True)):
            x = left + c * (width + gap)
            axes = figure.add_axes((x / total[0], y / total[1], width / total[0], height / total[1]))
            axes.imshow(picture, interpolation="none", aspect="auto")
            axes.set_axis_off()
            figure.text(
                x / total[0], (y - 12) / total[1], cell["caption"], fontsize=9.5, color=INK, va="center"
            )
    path = folder / "contact_sheet.png"
    figure.savefig(path, dpi=DPI, facecolor=PAPER)
    plt.close(figure)
    return path


def motors(folder: Path) -> Path:
    """Plots a mechanism's motor values before and after the motion filter, with their limits; returns the
    file's path.
    """
    take = np.load(folder / "take.npz")
    names, time = take["motors"], take["time"]
    desired, filtered, limits = (np.degrees(take[key]) for key in ("wanted", "filtered", "limits"))
    figure, axes = plt.subplots(len(names), 2, figsize=(14, 1.75 * len(names) + 0.6), sharex=True, dpi=DPI)
    for (angle, speed), k in zip(axes, range(len(names)), strict=True):
        angle.plot(time, desired[:, k], color=SOLVED, lw=2.4, label="what the gaze asks of the motor")
        angle.plot(time, filtered[:, k], color=FILTERED, lw=1.4, label="filtered: live, baked, streamed")
        low, high = _span(angle)
        _forbidden(angle, limits[0, k], limits[1, k], low, high)
        angle.set_ylabel(f"{names[k]}\n[deg]", fontsize=9)
        speed.plot(time[1:], _speed(desired[:, k], time), color=SOLVED, lw=2.4)
        speed.plot(time[1:], _speed(filtered[:, k], time), color=FILTERED, lw=1.4)
        most = limits[2, k]
        _forbidden(speed, -most, most, -1.25 * most, 1.25 * most)
        speed.set_ylabel("[deg/s]", fontsize=9)
    for panel in axes.flat:
        panel.grid(color="#eceef0")
        panel.tick_params(labelsize=8)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=2, fontsize=9, frameon=False)
    for panel in axes[-1]:
        panel.set_xlabel("time [s]", fontsize=9)
    figure.tight_layout(rect=(0, 0, 1, 0.96))
    path = folder / "plot.png"
    figure.savefig(path, dpi=DPI, facecolor=PAPER)
    plt.close(figure)
    return path


def plot(folder: Path) -> Path:
    """Plots solved, filtered and reported angles and speeds with their limits, and the aim error; returns the
    file's path.
    """
    take = np.load(folder / "take.npz")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    names, time, scale = take["joints"], take["time"], np.where(take["is_revolute"], np.degrees(1.0), 1e3)
    solved, filtered, reported, limits = (
        take[key] * scale for key in ("solved", "filtered", "reported", "limits")
    )
    units = ["deg" if is_revolute else "mm" for is_revolute in take["is_revolute"]]
    seen = take["status_time"]
    moved = np.ptp(filtered, axis=0)
    shown = range(len(names)) if len(names) <= MOST else sorted(np.argsort(moved)[-MOST:])
    figure, axes = plt.subplots(
        len(shown) + 1, 2, figsize=(14, 1.75 * (len(shown) + 1) + 0.6), sharex=True, dpi=DPI
    )
    changes = [time[k] for k in range(1, len(time)) if take["posture"][k] != take["posture"][k - 1]]
    for (angle, speed), k in zip(axes[:-1], shown, strict=True):
        angle.plot(time, solved[:, k], color=SOLVED, lw=2.4, label="solved")
        angle.plot(time, filtered[:, k], color=FILTERED, lw=1.4, label="filtered: live, baked, streamed")
        angle.plot(seen, reported[:, k], color=REPORTED, lw=1.0, ls="--", label="reported by the robot")
        low, high = _span(angle)
        _forbidden(angle, limits[0, k], limits[1, k], low, high)
        angle.set_ylabel(f"{names[k]}\n[{units[k]}]", fontsize=min(9.0, 9.0 * ROOM / len(names[k])))
        most = limits[2, k]
        speed.plot(time[1:], _speed(solved[:, k], time), color=SOLVED, lw=2.4)
        speed.plot(time[1:], _speed(filtered[:, k], time), color=FILTERED, lw=1.4)
        robot = np.interp(time, seen, reported[:, k])
        speed.plot(time[1:], _speed(robot, time), color=REPORTED, lw=1.0, ls="--")
        speed.set_ylim(-1.25 * most, 1.25 * most)
        _forbidden(speed, -most, most, -1.25 * most, 1.25 * most)
        speed.set_ylabel(f"[{units[k]}/s]", fontsize=9)
    aim, shape = axes[-1]
    aim.plot(time, np.degrees(take["aim_error"]), color=SOLVED, lw=2.4)
    aim.plot(time, np.degrees(take["filtered_aim_error"]), color=FILTERED, lw=1.4)
    aim.plot(time, take["robot_aim_error"], color=REPORTED, lw=1.0, ls="--")
    aim.set_ylabel("aim error\n[deg]", fontsize=9)
    aim.set_ylim(bottom=-0.5)
    shape.plot(time, np.degrees(take["shape_deviation"]), color=SOLVED, lw=2.4)
    shape.set_ylabel("shape deviation\n[deg]", fontsize=9)
    shape.set_ylim(bottom=0)
    for panel in axes.flat:
        panel.grid(color="#eceef0")
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=8)
        panel.set_xlim(0, max(time[-1], seen[-1]))
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
        for change in changes:
            panel.axvline(change, color=INK, lw=0.8, ls=":")
    axes[0, 0].set_title("Angles (grey bands: out of the joint's range)", fontsize=10, loc="left")
    axes[0, 1].set_title("Speeds (grey bands: beyond the joint's limit)", fontsize=10, loc="left")
    for panel in axes[-1]:
        panel.set_xlabel("time [s]", fontsize=9)
    lag = report["robot_aim_error_deg"]["lag_ms"]
    words = [f"the robot follows {lag:.0f} ms later"]
    if len(shown) < len(names):
        words.append(f"the {len(shown)} joints of {len(names)} that move most")
    if changes:
        words.append("dotted: the posture changes")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=3, fontsize=9, frameon=False)
    figure.suptitle("; ".join(words).capitalize(), fontsize=11, x=0.01, ha="left", color=INK)
    figure.tight_layout(rect=(0, 0, 1, 0.985))
    path = folder / "plot.png"
    figure.savefig(path, dpi=DPI, facecolor=PAPER)
    plt.close(figure)
    return path


def _speed(angles: np.ndarray, time: np.ndarray) -> np.ndarray:
    return np.diff(angles) / np.diff(time)


def _span(axes) -> tuple[float, float]:
    """Vertical range of a panel, at least a degree or a millimetre, so that rounding errors are not shown as
    motion.
    """
    low, high = axes.get_ylim()
    lacking = max(0.0, 0.5 * (1.0 - (high - low)))
    return low - lacking, high + lacking


def _forbidden(axes, lower: float, upper: float, low: float, high: float) -> None:
    """Shades the visible areas beyond the limits."""
    axes.set_ylim(low, high)
    if lower > low:
        axes.axhspan(low, lower, color=LIMIT, alpha=0.6, lw=0)
    if upper < high:
        axes.axhspan(upper, high, color=LIMIT, alpha=0.6, lw=0)


if __name__ == "__main__":
    given = Path(sys.argv[1])
    is_mechanism = "motors" in np.load(given / "take.npz")
    for made in (contact_sheet(given), motors(given) if is_mechanism else plot(given)):
        print(made)
