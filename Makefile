# Each target is one command; what it does is in tools/ and in the package.
BIN := .venv/bin
SETUP := @sh tools/setup.sh
.DEFAULT_GOAL := help
.PHONY: help lab grade build site check test bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

lab: ## set up, then open your own copy of the lessons in JupyterLab
	$(SETUP) students
	@$(BIN)/manyheads lab

grade: ## build the course, grade the sample class, show the result
	$(SETUP) instructors
	@$(BIN)/manyheads build
	@$(BIN)/python -m tests.classroom sample-class
	@cd sample-class && ../$(BIN)/manyheads grade

build: ## build source/ and release/ from notebooks/
	$(SETUP) instructors
	@$(BIN)/manyheads build

site: ## write site/: every lesson executed, with its explorers, to open from disk
	$(SETUP) instructors
	@$(BIN)/manyheads site

check: ## format, lint, types, fast tests, drift: the one-minute loop
	$(SETUP) developers
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/pytest -q -n 2 -m "not slow and not browser"
	$(BIN)/manyheads build --check

test: ## set up what is missing, then run every test
	$(SETUP) developers
	@sh tools/system_packages.sh
	$(BIN)/pytest -n 2

bench: ## run every benchmark
	$(SETUP) developers
	@missed=0; for file in $(wildcard bench/*.py); do \
		$(BIN)/python -m "bench.$$(basename "$$file" .py)" || missed=1; done; exit $$missed
