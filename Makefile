# Two commands do all the set-up: `make course` and `make test`. `make help` lists the rest.
# The work is done by tools/setup.py (the environment) and tools/course.py (what is made); this file only names it.

# The first Python that is new enough; PYTHON=... chooses another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$python" && break; done)
VENV := $(if $(filter Windows_NT,$(OS)),.venv/Scripts,.venv/bin)
PORT ?= 8000
CLASS ?= class
MINUTES ?= 45
ARGS ?=
# CUDA=1 takes torch's build for NVIDIA's GPUs, CUDA=0 the one for the CPU; what was chosen stays.
BUILD := $(if $(filter 1,$(CUDA)),--cuda)$(if $(filter 0,$(CUDA)),--no-cuda)

# One thread each: two on a busy machine are often slower than one, and results are the same only at a fixed number.
export OMP_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
# A course's work is hundreds of short processes: each reads what the first has compiled.
unexport PYTHONDONTWRITEBYTECODE
# For programs that look for others on the PATH (nbgrader for alembic); never for PYTHON above, which makes the environment.
IN_VENV := PATH="$(CURDIR)/$(VENV):$$PATH"
PYTEST := $(IN_VENV) $(VENV)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help course env book book-all serve lab formgrader refresh check test gpu lock clean style python learner-set-up course-set-up test-set-up gpu-set-up

help: ## say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

course: course-set-up ## everything: environment, book, assignments, a sample class and its grades (CUDA=1: torch for NVIDIA's GPUs)
	@$(VENV)/python -m tools.course

env: learner-set-up ## the environment alone, .venv

book: learner-set-up ## the book alone, into _build/html
	@$(VENV)/python -m tools.course book

book-all: book ## the book as one PDF and one EPUB too, into _build/volume (the PDF needs Chromium)
	@$(VENV)/python -m tools.bound

serve: book ## the book in a browser, on this machine (PORT=8000)
	@echo "The book: http://localhost:$(PORT)  (Ctrl-C ends it)"
	@$(VENV)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

lab: learner-set-up ## the notebooks in JupyterLab, as your own copies in work/ (ARGS="--no-browser" and the like)
	@$(VENV)/python -m tools.lab $(ARGS)

formgrader: learner-set-up ## nbgrader's page on a class's gradebook (CLASS=class)
	@$(VENV)/python -m tools.lab --formgrader "$(CLASS)" $(ARGS)

refresh: learner-set-up ## solve and run the notebooks and store their outputs (ARGS="02" for one)
	@$(IN_VENV) $(VENV)/python -m tools.notebooks refresh $(ARGS)

check: test-set-up style ## in a minute: style, types and the fast tests (ARGS="-k name" chooses)
	@$(PYTEST) --fast $(ARGS)

test: test-set-up style ## style, types and every test, after its own set-up (ARGS="-k name" chooses)
	@$(PYTEST) $(ARGS)

style: test-set-up
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy

gpu: gpu-set-up ## all that needs a GPU, in parts that resume (MINUTES=45; CARD=a100 only says what it would do there)
	@$(IN_VENV) $(VENV)/python -m benchmarks.gpu --minutes "$(MINUTES)" $(if $(CARD),--card "$(CARD)")

lock: test-set-up ## make requirements.txt from pyproject.toml again (ARGS="--upgrade" takes the newest)
	@$(VENV)/python -m tools.lock $(ARGS)

clean: ## remove what was built; work/, class/ and .venv stay
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

python:
	@test -n "$(PYTHON)" || { \
	  echo "This course needs Python 3.11 or newer; found: $$(python3 --version 2>/dev/null || echo none)." \
	    "Install one (Debian, Ubuntu: sudo apt-get install python3), or name it: make PYTHON=/path/to/python3.11 course" >&2; exit 1; }

learner-set-up: python
	@$(PYTHON) tools/setup.py learner $(BUILD)

course-set-up: python
	@$(PYTHON) tools/setup.py course $(BUILD)

test-set-up: python
	@$(PYTHON) tools/setup.py test $(BUILD) $(if $(NEWEST),--newest)

gpu-set-up: python
	@$(PYTHON) tools/setup.py gpu $(BUILD)
