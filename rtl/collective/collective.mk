# SPDX-License-Identifier: Apache-2.0
# Collectives: lint, RTL against model in lockstep, and models without a protection, which the ledger
# of the same bench must find.

# The block; what a node has besides is tested there
COLLECTIVE_V := $(filter-out %/ofr_collectives.v,$(wildcard rtl/collective/*.v))
COLLECTIVE_C := $(addprefix rtl/collective/test/,lockstep.c streams.c plan.c)
LINT_TOPS += ofr_collective ofr_collective:W=16:CHILDREN=1 ofr_collective:W=64:CHILDREN=3
LINT_C += $(COLLECTIVE_C)

# One Verilated ofr_collective per shape: W_CHILDREN[_WORDS of the longest vector]; make test has the first
COLLECTIVE_SHAPES := 32_4 16_2 64_3 32_4_262200
COLLECTIVE_TESTS := $(COLLECTIVE_SHAPES:%=$(B)/tests/collective_%)
TESTS += $(firstword $(COLLECTIVE_TESTS))

collective_flags = -DW=$(word 1,$(subst _, ,$(1))) -DCHILDREN=$(word 2,$(subst _, ,$(1)))
collective_most = $(addprefix -DMOST_WORDS=,$(word 3,$(subst _, ,$(1))))
COLLECTIVE_BENCH := $(COLLECTIVE_C) rtl/collective/test/bench.h rtl/collective/test/collective_shim.h \
    sim/cosim/rng.h $(MODEL_H)

$(B)/collective/%/bench.o: $(COLLECTIVE_BENCH)
	@mkdir -p $(@D)
	for f in $(COLLECTIVE_C); do $(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim $(call collective_flags,$*) \
	    $(call collective_most,$*) -c -o $(@D)/$$(basename $$f .c).o $$f || exit 1; done
	$(LD) -r -o $@ $(patsubst rtl/collective/test/%.c,$(@D)/%.o,$(COLLECTIVE_C))

$(COLLECTIVE_TESTS): $(B)/tests/collective_%: $(B)/collective/%/bench.o $(COLLECTIVE_V) \
        $(B)/sim/model/collective.o rtl/collective/test/collective_shim.cpp \
        rtl/collective/test/collective_shim.h tests/lib/clocked_rtl.h tests/lib/random_state.h sim/cosim/verilated_bits.h
	@mkdir -p $(@D)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SHORT_VERILATOR) -O3 --cc --exe --build -j 1 --language 1800-2017 --x-assign unique \
	    --x-initial unique --top-module ofr_collective \
	    $(patsubst -D%,-G%,$(call collective_flags,$*)) \
	    -CFLAGS "-O2 $(call collective_flags,$*) -I$(CURDIR)/rtl/collective/test \
	    -I$(CURDIR)/tests/lib -I$(CURDIR)/sim/cosim" --Mdir $(B)/collective/$*/v -o $(CURDIR)/$@ \
	    $(COLLECTIVE_V) $(CURDIR)/rtl/collective/test/collective_shim.cpp \
	    $(CURDIR)/$(B)/collective/$*/bench.o $(CURDIR)/$(B)/sim/model/collective.o \
	    > $(B)/collective/$*/verilator.log || { cat $(B)/collective/$*/verilator.log; exit 1; }

TESTS += rtl/collective/test/parameters.sh

# A model without a protection each, as sed leaves it, alone in the bench: found by the ledger, with the
# words that are named.
COLLECTIVE_TWIN_length  := s/if (b && b->last != is_end)/if (0)/ result|verdict|hangs
COLLECTIVE_TWIN_what    := s/end.what != what_of(c) ||// verdict
COLLECTIVE_TWIN_number  := s/ || end.number != c->number || end.part/ || end.part/ verdict
COLLECTIVE_TWIN_cut     := s/keeps = keeps && !c->cut/keeps = keeps/ hangs|left|verdict
COLLECTIVE_TWIN_told    := s/x->cut = x->fails = true/x->cut = true/ told|hangs
COLLECTIVE_TWIN_fork    := s/ && !(c->to & ~took)// hangs|result|verdict
COLLECTIVE_TWIN_turns   := s/c->self || c->left == 1/c->self || 1/ hangs|result|verdict
COLLECTIVE_TWIN_parts   := s/(!c->served || c->extra)/0/ verdict
COLLECTIVE_TWIN_drain   := s/y->out->from_ready.1.+.i. = true;/;/ hangs|verdict
COLLECTIVE_TWIN_rest    := s/^    if (!c->own_over)$$/    if (0)/ hangs
COLLECTIVE_TWIN_sign    := s/(a ^ flip) < (b ^ flip)/a < b/ word.of.a.result
COLLECTIVE_TWIN_lost    := s/lost = !y->root && (c->broken & 1)/lost = false/ hangs
COLLECTIVE_TWIN_discard := s/breaks || (c->broken >> p & 1)/breaks/ hangs|verdict|beats
COLLECTIVE_TWINS := $(patsubst %,$(B)/tests/collective_twin_%,length what number cut told fork turns parts \
    drain rest sign lost discard)
TESTS += $(COLLECTIVE_TWINS)
$(B)/collective/alone.o: $(COLLECTIVE_BENCH)
	@mkdir -p $(@D)/alone
	for f in $(COLLECTIVE_C); do $(CC) $(CPPFLAGS) $(CFLAGS) -DALONE -Isim/cosim $(call collective_flags,32_4) \
	    -c -o $(@D)/alone/$$(basename $$f .c).o $$f || exit 1; done
	$(LD) -r -o $@ $(patsubst rtl/collective/test/%.c,$(@D)/alone/%.o,$(COLLECTIVE_C))
$(COLLECTIVE_TWINS): $(B)/tests/collective_twin_%: $(B)/collective/alone.o sim/model/collective.c \
        rtl/collective/collective.mk
	@mkdir -p $(@D)
	@printf '%s\n' '$(wordlist 1,$(words $(wordlist 2,99,$(COLLECTIVE_TWIN_$*))),$(COLLECTIVE_TWIN_$*))' > $@.sed
	@sed -f $@.sed sim/model/collective.c > $@.c && ! cmp -s sim/model/collective.c $@.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -w -Isim/model -o $@.twin $< $@.c
	@printf '#!/bin/sh\n! %s 400000 > %s.out 2>&1 && grep -qE "^#.*member.*(%s)" %s.out &&\n' \
	    $@.twin $@ '$(lastword $(COLLECTIVE_TWIN_$*))' $@ > $@
	@printf 'echo "ok 1 - collective, twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - collective, twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@

# Over channels and routers, all of them models; figures. And with cables that flip a bit now and then,
# which is found out. make bench: 512 nodes.
TESTS += $(B)/tests/collective_torus $(B)/tests/collective_torus_twin
BENCH += $(B)/tests/collective_bench
LINT_C += rtl/collective/test/torus.c
$(B)/tests/collective_torus: rtl/collective/test/torus.c sim/cosim/rng.h $(MODEL_H) $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim -o $@ $< $(B)/libofr.a
$(B)/tests/collective_torus_twin: $(B)/tests/collective_torus rtl/collective/collective.mk
	@printf '#!/bin/sh\nFLIPS=1 $< > $@.out 2>&1; [ $$? = 1 ] && grep -q "^# cycle.*node.*word" $@.out &&\n' > $@
	@printf 'echo "ok 1 - collectives over routers whose cables flip bits: found out" ||\n' >> $@
	@printf 'echo "not ok 1 - collectives over routers whose cables flip bits"; echo 1..1\n' >> $@ && chmod +x $@
$(B)/tests/collective_bench: $(B)/tests/collective_torus
	@printf '#!/bin/sh\nexec $< 8x8x8\n' > $@ && chmod +x $@

SOAK += $(B)/tests/collective_soak
$(B)/tests/collective_soak: $(COLLECTIVE_TESTS)
	@printf '#!/bin/sh\ns=0\nfor t in $(COLLECTIVE_TESTS); do $$t 20000000 "$${SEED:-$$(date +%%s)}" || s=1; done\nexit $$s\n' \
	    > $@ && chmod +x $@
