# Two commands do all the set-up: `make solve` and `make test`. The others say what they are for.
PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin
INSTANCE ?= A-n80-k10
SECONDS ?= 8
SEEDS ?= 1
SEED ?= 0
COUNT ?= 5000
FIRST ?= 1000
KERNELS := -p no:cacheprovider tests/core tests/search tests/selectors -m "not slow_without_jit"

.PHONY: solve test torch-test lint fuzz ray faults invariants same-everywhere study map bench bench-quality bench-variants quality fleet \
	calibrate references wheel docs clean

## solve: install, solve a bundled instance with live progress, write the solution and a picture to out/
solve: $(VENV)/.plot
	@mkdir -p out
	$(RUN)/dac-alns solve $(INSTANCE) --time $(SECONDS) --out out/$(INSTANCE).sol --json out/$(INSTANCE).json --plot out/$(INSTANCE).png

## test: install, then lint, types, import directions and all tests
test: lint
	@# Two streams on two cores: the kernels as plain Python and with bounds checks, and studies; and all other tests.
	@( NUMBA_DISABLE_JIT=1 $(RUN)/pytest $(KERNELS); plain=$$?; NUMBA_BOUNDSCHECK=1 $(RUN)/pytest $(KERNELS); checked=$$?; \
	  $(RUN)/pytest tests/study; exit $$((plain | checked | $$?)) ) > $(VENV)/beside.log 2>&1 & beside=$$!; \
	$(RUN)/pytest --ignore=tests/study; others=$$?; \
	wait $$beside; too=$$?; cat $(VENV)/beside.log; exit $$((others | too))

## torch-test: what needs PyTorch: policies there and back, gradients, examples that learn; skipped where it cannot be had
torch-test: $(VENV)/.test
	@if $(RUN)/python tests/torch_tests/install.py; then $(RUN)/pytest -m torch -rs tests/torch_tests; fi

## faults: kills, signals, full disks, pipes and devices at random moments, about a quarter of an hour on 2 cores
faults: $(VENV)/.test
	$(RUN)/pytest tests/faults -m "faults or not faults"

lint: $(VENV)/.test
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

## fuzz: damaged input for all readers and commands, ten minutes or SECONDS; what fails is kept in out/fuzz
fuzz: SECONDS = 600
fuzz: $(VENV)/.test
	PYTHONPATH=tests $(RUN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED)

## ray: install Ray, so that `make test` tests studies on a cluster, too
ray: $(VENV)/.ray

## same-everywhere: 50 searches with a network, compiled for this and for other processors: 10 minutes of two cores
same-everywhere: $(VENV)/.test
	$(RUN)/python benchmarks/same_everywhere.py

## invariants: COUNT random instances, and twice as many of richer problems, against exact arithmetic and all solutions
invariants: $(VENV)/.test
	PYTHONPATH=tests $(RUN)/python -m invariants --count $(COUNT) --first $(FIRST) --jobs 2
	PYTHONPATH=tests $(RUN)/python -m invariants --rich --count $$((2 * $(COUNT))) --first $(FIRST) --jobs 2

## study: the paper's experiments and ours, about an hour on 2 cores, and their report in out/study/report.html
study: $(VENV)/.test
	$(RUN)/dac-alns study run comparative --out out/study
	$(RUN)/dac-alns study run generalisation --out out/study
	$(RUN)/dac-alns study run acceptance --out out/study
	$(RUN)/dac-alns study run extended --out out/study
	$(RUN)/dac-alns study report out/study

## map: under which readings of the paper its claims hold, under two hours on 2 cores; the report is out/map/report.html
map: $(VENV)/.test
	$(RUN)/dac-alns study run map --out out/map
	$(RUN)/dac-alns study report out/map

## bench: iterations a second against pure Python on the alns package, start-up, memory
bench: $(VENV)/.test
	$(RUN)/dac-alns bench

## bench-quality: gaps at equal time beside PyVRP, OR-Tools and HGS-CVRP, under 20 minutes; tables in out/bench-quality
bench-quality: $(VENV)/.peers
	$(RUN)/dac-alns bench-quality

## bench-variants: the same on ten kinds of richer problems, about 15 minutes; tables in out/bench-variants
bench-variants: $(VENV)/.peers
	$(RUN)/dac-alns bench-quality variants --solver ours --solver pyvrp --solver ortools --out out/bench-variants

## quality: mean gap of the classic search at the paper's budget
quality: $(VENV)/.test
	$(RUN)/python benchmarks/quality.py --jobs 2

## fleet: vehicles and distance on Solomon beside what is published, fewest vehicles first, 30 s each
fleet: $(VENV)/.test
	$(RUN)/python benchmarks/fleet.py --seconds 30

## calibrate: choose acceptance and wheel of the classic baseline on generated instances
calibrate: $(VENV)/.test
	$(RUN)/python benchmarks/calibrate.py --seeds 10 --jobs 2

## references: costs to compare with for the sampled VRPTW instances, where SEEDS find better ones (25 minutes a seed)
references: $(VENV)/.test
	$(RUN)/python benchmarks/references.py --seeds $(SEEDS)

## wheel: a wheel with compiled kernels for this platform and Python, in dist/; two minutes
wheel: $(VENV)/.plot
	$(RUN)/python packaging/build_wheel.py --out dist

## docs: the documentation as a web site in out/site
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(RUN)/mkdocs build --strict --site-dir out/site

clean:
	rm -rf out $(VENV)

# One stamp for each set of extras; a change of pyproject.toml installs anew.
$(VENV)/.%: pyproject.toml | $(VENV)
	$(RUN)/pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

$(VENV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1); dac-alns needs 3.11 to 3.13: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
