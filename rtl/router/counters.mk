# SPDX-License-Identifier: Apache-2.0
# The counters in lockstep with their model, and twins of the small ones, each of which the test must
# find.
COUNT_B := $(B)/rtl/counters
COUNT_T := rtl/router/test
COUNT_MODEL := $(B)/sim/model/counters.o

LINT_TOPS += ofr_counters_small:N=2 ofr_counters_small:N=3

# Builds: N, COUNTERS_SMALL, START
COUNT_BUILDS := 2-0-0 3-0-0 2-1-0 3-1-0 2-1-0xffffff00
COUNT_TESTS := $(COUNT_BUILDS:%=$(B)/tests/counters-%)
TESTS += $(COUNT_TESTS) $(B)/tests/counters_twins
count_n = $(firstword $(subst -, ,$*))
count_small = $(word 2,$(subst -, ,$*))
count_start = $(lastword $(subst -, ,$*))

$(COUNT_B)/%.o: $(COUNT_T)/test_counters.c $(COUNT_T)/counters_shim.h $(wildcard sim/model/*.h) \
        firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DN=$(count_n) -DCOUNTERS_SMALL=$(count_small) \
	    -DSTART=$(count_start) -c -o $@ $<

COUNT_DEPS := $(COUNT_T)/counters_build.sh $(COUNT_T)/counters_shim.cpp $(COUNT_T)/counters_shim.h tests/lib/random_state.h \
    rtl/regs/ofr_defs.vh $(COUNT_MODEL) rtl/router/ofr_counters_small.v
$(COUNT_TESTS): $(B)/tests/counters-%: $(COUNT_B)/%.o rtl/router/ofr_counters.v $(COUNT_DEPS)
	@mkdir -p $(@D) $(COUNT_B)/$*
	sh $(COUNT_T)/counters_build.sh $* $@ rtl/router/ofr_counters$(if $(filter 1,$(count_small)),_small).v \
	    $(COUNT_B)/$* $(COUNT_B)/$*.o $(COUNT_MODEL)

# Twins of the small ones: "name|build|sed expression" in counters_twins.txt.
$(B)/tests/counters_twins: $(COUNT_T)/counters_twins.sh $(COUNT_T)/counters_twins.txt $(COUNT_DEPS) \
        $(COUNT_BUILDS:%=$(COUNT_B)/%.o)
	@mkdir -p $(@D)
	sh $(COUNT_T)/counters_twins.sh build $(COUNT_B) $(COUNT_T)/counters_twins.txt
	@printf '#!/bin/sh\nexec sh %s run %s %s\n' $(COUNT_T)/counters_twins.sh $(COUNT_B) \
	    $(COUNT_T)/counters_twins.txt > $@
	@chmod +x $@
