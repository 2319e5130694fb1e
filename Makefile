# What there is to do here: `make help`. Each command sets up what it needs first.
SHELL := /bin/bash
PYTHON ?=
export PYTHON
MOTION ?=
ROBOT ?=
PORT ?=
ROOT ?=
END ?=
SECONDS ?= 600
COUNT ?= 1000
CALLS ?= 10000000
SEED ?= 1
VERSION ?=
RING ?=
RIGS ?= ../shared/rigs
BODIES ?= ../shared/data/human-gazebo/humanSubject01_66dof.urdf ../shared/whole_body/humanSubject01_48dof.urdf ../shared/whole_body/iCubGenova03.urdf

.NOTPARALLEL:
.PHONY: help setup main kernel demo test bench build wheel soak fuzz window sequences docs release lint format clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

setup: ## make .venv, .venv-4.2 and more, each with a real Blender, and ask apt for what is missing
	@scripts/setup.sh

main:
	@scripts/setup.sh main

build: main ## leave the installable package in build/, made and checked by Blender's own tool
	@.venv/bin/python scripts/build.py

wheel: main ## leave the wheel of the player in build/: all that plays character files without Blender, with the command `limber`
	@.venv/bin/python scripts/wheel.py

kernel: ## compile the solvers' kernel for this machine, if it has a C compiler (without it all works, slower)
	@$(or $(wildcard .venv/bin/python),python3) scripts/build_kernel.py || true

demo: build ## install the package, run the main job without a screen, leave pictures and a report in build/demo (MOTION=clip.bvh: on that clip; ROBOT=robot.urdf: on that robot, from link ROOT=, with link END= looking; ROBOT=so101: on a robot of the gallery; PORT=: followed by the robot on that port)
	@.venv/bin/python scripts/install.py build/demo/profile
	@BLENDER_USER_RESOURCES="$(CURDIR)/build/demo/profile" .venv/bin/python demo/main.py $(if $(MOTION),--motion "$(MOTION)") \
		$(if $(ROBOT),--robot "$(ROBOT)" $(if $(ROOT),--root "$(ROOT)") $(if $(END),--end "$(END)")) $(if $(PORT),--port "$(PORT)")

test: setup build ## run the rings of tests (RING="lint plain blender installed window newest": these of them; ALL=1: every case in each Blender, and some times as many random examples)
	@$(if $(ALL),LIMBER_CASES=1:0 LIMBER_DEEP=1 ).venv/bin/python scripts/rings.py $(RING)

bench: main ## print every benchmark's table, about 15 minutes; the comparison of solvers with its pictures in build/bench (RIGS=FOLDER: chains of rigs, BODIES="FILE.urdf ...": whole bodies)
	@.venv/bin/python -m benchmarks.environment
	.venv/bin/python -m benchmarks.report
	.venv/bin/python -m benchmarks.jacobian
	.venv/bin/python -m benchmarks.rig_table "$(RIGS)"
	.venv/bin/python -m benchmarks.erik_sweep
	.venv/bin/python -m benchmarks.mechanism_table --all
	.venv/bin/python -m benchmarks.motion --settle
	.venv/bin/python -m benchmarks.link
	scripts/makers.sh && .venv/bin/python -m benchmarks.reachy --kinematics 500 --daemon 60
	.venv/bin/python -m benchmarks.motion_files --gaze
	.venv/bin/python -m benchmarks.frame_path
	.venv/bin/python -m benchmarks.whole_body.table --urdf $(BODIES)

soak: main ## all figures that take long (SECONDS=600, 40 minutes): a stream to a robot, lateness, Stop, firmware and servos behind ports, random faults, 4 simulated hours of a character without Blender (SECONDS=3600: a day)
	@.venv/bin/python -m benchmarks.soak --seconds $(SECONDS)

fuzz: main ## call the kernel with random and bad input under gcc's sanitizers, 12 hours of one core (CALLS=10000000, SEED=1)
	@.venv/bin/python scripts/build_kernel.py --check
	@LIMBER_KERNEL="$(CURDIR)/build/kernel/checked/liblimber_kernel.so" LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 \
		.venv/bin/python -W ignore -m benchmarks.kernel_fuzz --calls $(CALLS) --seed $(SEED)

window: setup build ## get real Blender windows, of Blender 5 and 4 (once: Debian's Blenders, 2.5 GB) and run the ring of tests that needs them
	@scripts/window.sh install
	@.venv/bin/python scripts/rings.py window

sequences: setup ## play random sequences of what users do in a real Blender, 15 minutes a thousand (COUNT=1000); seeds that fail are kept in build/sequences
	@.venv/bin/python scripts/sequences.py $(COUNT)

docs: setup build ## make the documents' pictures anew, of the interface from a real window, and of the code
	@scripts/window.sh install
	@.venv/bin/python scripts/pictures.py

release: main ## give the news a version and build the package (VERSION=1.2.3); says what remains to be done
	@.venv/bin/python scripts/release.py $(VERSION)

lint: main ## ruff and mypy
	@.venv/bin/python scripts/rings.py lint

format: main ## let ruff format the code and mend what it can
	@.venv/bin/python -m ruff check --fix .
	@.venv/bin/python -m ruff format .

clean: ## remove what the commands made, but for the environments
	rm -rf build wheels .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -path './.venv*' -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf
