# `make run` serves, `make test` proves; both need Python 3.11 or newer and make, nothing else.
PYTHON ?= python3
PORT ?= 8000
DATA ?= var
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-slow check bench screenshots pins clean

run: $(VENV)/.run
	@$(BIN)/python manage.py serve --port=$(PORT) --data=$(DATA) $(ARGS)

test: $(VENV)/.dev check
	$(BIN)/python -m tests.run $(ARGS)

test-slow: $(VENV)/.dev
	$(BIN)/python -m tests.run --slow $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/djade --check $$(git ls-files 'templates/*.html')
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: $(VENV)/.dev
	@$(BIN)/python -m tests.bench $(ARGS)

# Every screen and state in both themes, on a phone and a desk, and the printed pages: into shots/.
screenshots: $(VENV)/.dev
	@$(BIN)/python -m tests.screenshots $(ARGS)

# Pins name packages, versions and hashes only.
pins: $(VENV)/.dev
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--no-emit-index-url requirements.in -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--no-emit-index-url requirements-dev.in -o requirements-dev.txt -c requirements.txt

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Homerun needs Python 3.11 or newer; name one with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.run
