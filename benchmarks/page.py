"""Text of the page that `benchmarks.report` writes."""

PAGE = """# Benchmarks

`python -m benchmarks.report --into docs` wrote this page: {sizes}, on {machine}. Times are processor time, on one core with one BLAS
thread; they can be compared within one run only, and ratios under 1.5 mean little. `make bench` writes the same page into build/bench.

| command | what it does |
|---|---|
| `python -m benchmarks.report` | this page, in minutes |
| `python -m benchmarks.peers` | the race beside other libraries, which `make bench` puts into .venv-bench (requirements/bench.txt) |
| `python -m benchmarks.sweep --full --grid facing --skeletons C --solvers erik` | all of the paper's postures; goes on where it stopped |
| `python -m benchmarks.sweep --scheduler tcp://HOST:8786` | the same bits on a Dask cluster, workers started in this checkout or copies |
| `python -m benchmarks.warm` | gaze paths, frame by frame |
| `python -m benchmarks.rig_table FOLDER` | all solvers on chains of rigs (.npz as `benchmarks.gaze --rig` takes them) |
| `python -m benchmarks.jacobian` | the Jacobian family as Buss tests it |
| `python -m benchmarks.paper_tables` | the ERIK paper's Tables 8 and 9 and its headlines, with ERIK as published |
| `python -m benchmarks.headlines`, `python -m benchmarks.arm` | [the papers' headlines](headlines.md) beside ours, and FABRIK |
| `python -m benchmarks.first_use` | what loading the compiled kernel and a first solve take |
| `python -m benchmarks.mechanism_table --all` | [mechanisms](mechanisms.md) with loops, beside other libraries, too |

## All solvers at a glance

*Poses*: posture and target from even grids over the ERIK paper's ranges, skeletons B to G, each solved from scratch. Targets lie
anywhere, so any solver loses much of the shape. *Paths*: smooth targets at 60 frames a second, each frame solved from the last one's
answer. An aim is *exact* within .01 degrees. *Shape* is what an animator sees of the difference ([solvers](solvers.md)). A *pop* is a
joint's step over 15 degrees in one frame; *jolt* is the 99th percentile of the joints' acceleration on local paths.

{glance}

![All solvers at a glance](pictures/solvers_glance.png)

## Beside other libraries

One task for all: from zero, aim at 200 orientations that can be met, to 1e-3 rad, and hold a posture. Differential solvers take full steps,
with the posture at a small cost, until the aim is met; the time is that of all their steps. *Success* is an aim met within limits. Limber's
default is asked in three ways: its nearest answer is what these libraries give, the least change; from scratch it looks for the best
of all branches; frame by frame no joint moves faster than the eye takes for movement, so that it needs many frames from zero.

{peers}

{missing}![Milliseconds until the aim holds](pictures/solvers_peers.png)

## The ERIK paper's tables

`python -m benchmarks.paper_tables` prints the tables of this section: skeletons A to G (Table 5), the paper's own postures, with targets
that are most likely its own ([its pairs](erik.md#the-papers-own-pairs)). *ERIK, as published* is the solver with **As Published** on, the
paper's figures in the line below it; *ERIK* is Limber's default.

DLS with 100, 200 and 400 steps (`dls100` and so on in the figures) is set up as in section 4.0.4: orientation first, posture second, the
posture's Jacobian is the identity without the root's and the end's twist, the damping Maciejewski's, and targets out of reach are mirrored
into the hemisphere that the chain reaches; pairs that 100 steps miss even without the posture, by more than three thresholds, are left
out. The paper ran DLS on C alone. It does not print the bound on a step: it is .25 rad here, about the best of those tried on the even
grid, and .75 in `dls400_bold`. The paper's combined and orientation errors of DLS lie between those of the two.

### Table 8: iterations and milliseconds

{table_8}

### Table 9: errors, mean (standard deviation)

{table_9}

### Headlines

The paper's times are of its own program, and scaled from the computers of its cluster to a laptop's i7-7700HQ by Table 7 (an AMD Opteron
counts .36, so 37 ms are 103 ms on the cluster); ours are as measured, in Python, and not scaled. So rates say what a user gets, not which
method is faster. Of the last rows both solvers ran on the same machine, but DLS uses numpy there and ERIK plain Python.

{headlines}

### Figures 10 to 13

![Figures 10 and 13](pictures/solvers_dls.png)

![Figure 11](pictures/solvers_skeletons.png)

![Figure 12](pictures/solvers_errors.png)

## Every solver on every skeleton

{summary}

## Along paths

{paths}
"""
