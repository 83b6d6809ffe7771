# What people do with Benchtrend: run it, test it, check it, measure it.
# Any setting of the README's table can be given: PORT=8001 make run, or make run PORT=8001.

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
PYTHONPATH :=
export PYTHONPATH
PY := .venv/bin/python

.PHONY: help run test check bench architecture lock clean env env-dev

help:
	@echo "make run    start the dashboard and print a sign-in link"
	@echo "make test   run every test, the browser's too, with branch coverage"
	@echo "make check  formatting, lint, types, import rules, templates, migrations"
	@echo "make bench  measure the pages: server time, bytes, first line, memory"
	@echo "make architecture   draw docs/rooms.svg again, from the imports"
	@echo "make lock   pin the dependencies of pyproject.toml again"
	@echo "make clean  remove .venv and caches, never the state folder"

run: env
	@exec $(PY) manage.py serve

test: env-dev
	@$(PY) -m pytest -n 2 --dist loadfile --cov --cov-report=term:skip-covered $(ARGS)

check: env-dev
	@$(PY) -m ruff format --check --quiet . || { echo "Not formatted: run .venv/bin/ruff format ."; exit 1; }
	@$(PY) -m ruff check --quiet .
	@$(PY) -m mypy --no-error-summary
	@.venv/bin/lint-imports --no-logo > .venv/lint-imports.log 2>&1 || { cat .venv/lint-imports.log; exit 1; }
	@find templates -name '*.html' -exec .venv/bin/djade --check --target-version 5.2 {} + 2> .venv/djade.log || { cat .venv/djade.log; exit 1; }
	@$(PY) manage.py makemigrations --check --dry-run --verbosity 0
	@$(PY) -m pytest -q --no-header -p no:cacheprovider tests/tooling
	@echo "All checks passed."

bench: env-dev
	@$(PY) -m tests.load.bench $(ARGS)

architecture: env-dev
	@$(PY) -m tests.tooling.draw_rooms

lock:
	@.ci/environment lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage

env:
	@.ci/environment requirements.lock

env-dev: env
	@.ci/environment requirements-dev.lock
