# Sets up, runs and tests Stepscope; `make help` lists what there is.
#
# Nothing has to be installed first but Python 3.11 or newer with pip and venv, a C++ compiler, make, node and npm.
# Environments are kept in ~/.cache/stepscope-dev (or STEPSCOPE_DEV_CACHE) and shared by all clones.
PYTHON ?= python3
ONLY ?=
dev = $$($(PYTHON) tools/environment.py dev)
ready = dev=$(dev) && $$dev tools/node.py >/dev/null && $$dev tools/native.py && $$dev tools/page_types.py

.DEFAULT_GOAL := help
.PHONY: run test check elsewhere soak bench truth native page pictures format docs clean help

run: ## set everything up, train the demo and serve its page
	@$(PYTHON) tools/run.py demo

test: ## set everything up and pass all tests (what CI runs)
	@$(ready) && $$dev tools/page.py && $$dev tools/checks.py test --only "$(ONLY)"

check: ## lint, types and the quick tests that need neither peers nor a browser, ended after 85 s
	@$(ready) && $$dev tools/checks.py check --only "$(ONLY)"

.PHONY: mutate
mutate: ## change one thing at a time in the core and list what no test notices (MUTATE="analyses.steps --most 0")
	@$(ready) && $$dev tools/mutate.py $(MUTATE)

.PHONY: samples
samples: ## fetch the public ones of the sample profiles that tests read
	@$(PYTHON) tools/samples.py fetch

elsewhere: ## the tests that need neither peers nor a browser, under another time zone, locale, umask, home, terminal, without Ctrl-C, and under load
	@$(ready) && $$dev tools/elsewhere.py $(ONLY)

soak: ## the long tests: many kills, long fuzzing, long loads
	@$(ready) && $$dev tools/page.py && $$dev tools/checks.py soak --only "$(ONLY)"

bench: ## measure beside the real peers; writes benchmarks/results.json and docs/benchmarks.md
	@$(ready) && STEPSCOPE_PEERS_PYTHON=$$($(PYTHON) tools/environment.py peers) PYTHONPATH=src $$dev benchmarks/run.py $(BENCH)

truth: ## measure the held-out trainings beside the real frameworks; writes docs/profiles/truth.md (TRUTH="--seed 1" to develop)
	@$(ready) && STEPSCOPE_PEERS_PYTHON=$$($(PYTHON) tools/environment.py peers) PYTHONPATH=src $$dev benchmarks/truth/held_out/measure.py $(TRUTH)

native: ## build the C++ core into src/stepscope/
	@dev=$(dev) && $$dev tools/native.py

page: ## build the web page and the page of saved reports
	@dev=$(dev) && $$dev tools/page.py

pictures: ## run the demo and take the documentation's pictures into docs/images/
	@$(ready) && $$dev tools/page.py && $$dev tools/pictures.py $(DEMO)

format: ## format Python, C++ and the page's sources
	@dev=$(dev) && $$dev tools/node.py >/dev/null && $$dev -m ruff check --fix-only --quiet . && $$dev -m ruff format --quiet . \
	  && find native -name '*.[ch]pp' -print0 | xargs -0 $$(dirname $$dev)/clang-format -i \
	  && node_modules/.bin/prettier --log-level warn --write .

docs: ## write help and answers into docs/ and build the documentation into site/
	@dev=$(dev) && $$dev tools/native.py && $$dev tools/command_pages.py && $$dev tools/answer_pages.py && PYTHONPATH=src $$dev benchmarks/report.py \
	  && NO_MKDOCS_2_WARNING=1 $$($(PYTHON) tools/environment.py docs) -m mkdocs build --strict --quiet

clean: ## take away everything that was built in this clone (environments stay)
	rm -rf build dist site node_modules src/stepscope/server/page src/stepscope/dashboards/*/*_file src/stepscope/_native.*.so .pytest_cache .ruff_cache .hypothesis test-results

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
