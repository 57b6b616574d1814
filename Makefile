# make demo    a report from 20,000 games, in a minute or two
# make test    everything that must hold
# Each works from a fresh clone with only Python 3.11 or newer and make.

PYTHON := $(shell for name in python3.13 python3.12 python3.11 python3 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$name; break; }; done)
BIN := .venv/bin
INSTALLED := .venv/installed
KERNEL := $(BIN)/pytest -m kernel
WARM := $(BIN)/python -m simulator.runner --warm

.PHONY: demo test check bench clean install

demo: $(INSTALLED)
	rm -rf runs/demo
	$(BIN)/counterpoise run ilumeia --players 4 --games 20000 --bots balanced,prophet,climber,sprinter --out runs/demo
	$(BIN)/counterpoise report runs/demo
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		$(BIN)/python -m webbrowser "file://$$PWD/runs/demo/report.html" >/dev/null 2>&1 || true; fi

test: check
	@echo "== compiled"
	$(WARM)
	$(BIN)/pytest
	@echo "== uncompiled, with the lines that ran"
	NUMBA_DISABLE_JIT=1 $(KERNEL) --cov --cov-report=term
	@echo "== with bounds checked"
	NUMBA_BOUNDSCHECK=1 $(WARM)
	NUMBA_BOUNDSCHECK=1 $(KERNEL)
	@$(BIN)/python -c 'from tests.analysis.chromium import BROWSER; BROWSER or \
		print("== left out: the browser tests of the page, for this machine has no chromium")'

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)
	$(BIN)/counterpoise bench ilumeia
	$(BIN)/counterpoise bench luminis

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	touch $@

clean:
	rm -rf .venv build runs .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
