# SPDX-License-Identifier: Apache-2.0
# The test runner, its own test, and lint.

$(B)/tests/run_tests: tests/run_tests.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $<

TESTS += tests/run_tests_test.sh tests/lint_test.sh

# Lint reads its lists from the environment that this script sets.
LINT_TESTS := $(B)/tests/lint
TESTS += $(LINT_TESTS)

$(B)/tests/lint: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' "export B='$(B)' JOBS='$(JOBS)' LINT_CFLAGS='$(LINT_CFLAGS)'" \
	    "export LINT_V='$(sort $(LINT_V))' LINT_TOPS='$(sort $(LINT_TOPS))'" \
	    "export LINT_C='$(sort $(LINT_C))'" 'exec sh tests/lint.sh' > $@.new
	@chmod +x $@.new && mv $@.new $@
