# Everything runs inside .venv, which holds exact versions: those of requirements.lock for running
# the package, those of requirements-dev.lock for working on it.
# Needed: Python 3.11 or later, and make. Another interpreter: make PYTHON=/path/to/python test

VENV  := .venv
BIN   := $(VENV)/bin
CORE  := $(VENV)/.core
READY := $(VENV)/.ready
SPARK := $(VENV)/.spark
PAGE_TOOLS := web/node_modules/.package-lock.json
PIP   := $(BIN)/python -m pip install -qq --disable-pip-version-check
UV    := uv==0.13.7

PYTHON ?=
ARGS   ?=

.DEFAULT_GOAL := help
.PHONY: help setup run serve test test-all test-slow test-anywhere golden coverage check format bench docs docs-examples \
    services spark-where-java browser-where-allowed lock dist clean \
    page page-check page-test screenshots

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup: $(READY)  ## create .venv and install the locked versions

run: $(CORE)  ## the main job, on built-in examples
	@$(BIN)/python -m twoworlds demo

serve: $(CORE)  ## the service and its page, on this machine, with the built-in hospital
	@$(BIN)/python -m twoworlds serve

test: $(READY)  ## the tests that run within five minutes; more options in ARGS, as in ARGS="-k parity"
	$(BIN)/python -m pytest -n auto $(ARGS)

test-all test-slow: export HYPOTHESIS_PROFILE ?= ci

test-all: spark-where-java browser-where-allowed  ## all tests, with more examples
	$(BIN)/python -m pytest -n auto -m "" $(ARGS)

test-slow: spark-where-java browser-where-allowed  ## what make test leaves out: slow tests, and more examples
	$(BIN)/python -m pytest -n auto -m "slow or hypothesis" $(ARGS)

test-anywhere: spark-where-java browser-where-allowed  ## the tests as other machines run them; see CONTRIBUTING.md
	PYTHON=$(BIN)/python sh tests/anywhere/run.sh $(ARGS)

golden: $(READY)  ## what is answered now against the golden corpus; more options in ARGS, as in ARGS=--shape-free
	$(BIN)/python -m tests.golden $(ARGS)

coverage: spark-where-java  ## the tests again, with branch coverage
	$(BIN)/python -m pytest --cov --cov-report=term $(ARGS)

check: $(READY)  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY)  ## rewrite the files in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)  ## measure speed, as ratios within one run
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(READY)  ## build docs/_build/html; any warning is an error
	$(BIN)/sphinx-build -W -n --keep-going -b html docs docs/_build/html

docs-examples: $(READY)  ## run the console examples and write what they print into the pages
	TWOWORLDS_REWRITE_EXAMPLES=1 $(BIN)/python -m pytest -m "" \
	    tests/docs/test_console_examples.py tests/docs/test_notebooks.py $(ARGS)

page: $(PAGE_TOOLS)  ## build the explorer page from web/, and run its tests
	sh web/npm.sh run build
	sh web/npm.sh test

page-check: $(PAGE_TOOLS)  ## fail if the page that is shipped is not the one that web/ gives
	@built=$$(mktemp -d) && trap 'rm -rf "$$built"' EXIT && \
	PAGE_FOLDER="$$built" sh web/npm.sh run build && \
	if diff -r "$$built" src/twoworlds/web/static; then \
	    echo "src/twoworlds/web/static is what web/ gives."; \
	else \
	    echo "src/twoworlds/web/static is not what web/ gives: run make page"; exit 1; \
	fi

# Node.js comes from the machine, or from PyPI; its packages from the lock file.
$(PAGE_TOOLS): web/package-lock.json $(READY)
	sh web/npm.sh ci
	@touch $@

page-test: $(PAGE_TOOLS)  ## the page's own tests, which need no browser
	sh web/npm.sh test

screenshots: $(READY)  ## take the pictures of the page again that docs/ shows
	$(BIN)/python -m tests.web.browser.screenshots

services: $(READY)  ## install what tests need: PostgreSQL, MariaDB, Java, PySpark, Chromium
	@missing=; \
	$(BIN)/python tests/servers.py postgresql || missing="postgresql"; \
	$(BIN)/python tests/servers.py mariadb || missing="$$missing mariadb"; \
	$(BIN)/python tests/servers.py java || missing="$$missing java"; \
	$(BIN)/python tests/servers.py chromium || missing="$$missing chromium"; \
	if [ -n "$$missing" ]; then sh tests/install_servers.sh $$missing; fi
	@$(MAKE) --silent --no-print-directory $(SPARK)

# PySpark is of use only with Java.
spark-where-java: $(READY)
	@if $(BIN)/python tests/servers.py java; then $(MAKE) --silent --no-print-directory $(SPARK); fi

# Root on Debian gets the browser in which the page is tested; everybody else is told, at the end of
# the tests, what was left out and why.
browser-where-allowed: $(READY)
	@if $(BIN)/python tests/servers.py chromium; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    timeout 600 sh tests/install_servers.sh chromium || \
	        echo "Chromium could not be installed: the tests in a browser will be left out."; \
	fi

COMPILE = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-annotate --custom-compile-command "make lock" --quiet

lock: $(READY)  ## choose new versions and write requirements*.lock
	$(PIP) $(UV)
	$(COMPILE) pyproject.toml --upgrade --output-file requirements-dev.lock \
	    --extra bench --extra build --extra dev --extra docs --extra frames --extra mysql --extra oracles --extra pictures \
	    --extra postgresql --extra test
	$(COMPILE) pyproject.toml --upgrade --output-file requirements.lock \
	    --constraint requirements-dev.lock --extra build
	$(COMPILE) pyproject.toml --upgrade --output-file requirements-spark.lock \
	    --constraint requirements-dev.lock --extra spark
	$(COMPILE) --group page --upgrade --output-file requirements-page.lock

dist: $(READY)  ## build the wheel and the source archive, into dist/
	$(BIN)/python -m hatchling build

clean:  ## remove .venv and everything that was generated
	rm -rf $(VENV) web/node_modules docs/_build build dist .coverage htmlcov
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests docs -type d -name __pycache__ -prune -exec rm -rf {} +

# The first interpreter that is new enough and able to make an environment.
$(CORE): requirements.lock pyproject.toml
	@if ! $(BIN)/python -c '' 2>/dev/null; then \
	    for candidate in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	        if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	            2>/dev/null; then found="$$candidate"; break; fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "twoworlds needs Python 3.11 or later, with its venv module; tried:" \
	            "$(or $(PYTHON),python3.13 python3.12 python3.11 python3)."; \
	        echo "Install it (on Debian and Ubuntu also the package python3-venv)," \
	            "or name one: make PYTHON=/path/to/python3 ..."; \
	        exit 1; \
	    fi; \
	    echo "Creating $(VENV) with $$($$found --version)"; \
	    rm -rf $(VENV); \
	    "$$found" -m venv $(VENV); \
	fi
	@echo "Installing the locked versions (once)"
	@$(PIP) --no-deps --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(READY): requirements-dev.lock $(CORE)
	@echo "Installing the locked versions of the tools (once; this takes a minute)"
	@$(PIP) --no-deps --require-hashes -r requirements-dev.lock
	@touch $@

# PySpark comes as a source archive; setuptools, which builds it, is among the tools.
$(SPARK): requirements-spark.lock $(READY)
	@echo "Installing PySpark (once; it is large)"
	@$(PIP) --no-deps --require-hashes --no-build-isolation --use-pep517 -r requirements-spark.lock
	@touch $@
