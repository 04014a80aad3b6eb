# Sets up, runs and tests Stepscope; `make help` lists what there is.
PYTHON ?= python3

.PHONY: native
native: ## build the C++ core into src/stepscope/
	@$(PYTHON) tools/native.py
