# SPDX-License-Identifier: Apache-2.0
# Datagrams: lint, RTL against model in lockstep, and models without a protection, which the ledger of
# the same bench must find.

DATAGRAM_V := $(addprefix rtl/datagram/,ofr_datagram.v ofr_datagram_send.v ofr_datagram_receive.v)
DATAGRAM_C := $(addprefix rtl/datagram/test/,lockstep.c ledger.c)
LINT_V += $(DATAGRAM_V) rtl/datagram/ofr_datagrams.v
LINT_TOPS += ofr_datagram:N=3 ofr_datagram:W=16:L=16:ROOM=8 ofr_datagram:W=64:L=8:ROOM=2 \
    ofr_datagrams:N=3 ofr_datagrams:W=64:L=8:ROOM=2
LINT_C += $(DATAGRAM_C)

# One Verilated ofr_datagram per shape: N_W_L_ROOM; make test has the first
DATAGRAM_SHAPES := 3_32_128_4 3_16_16_8 2_64_8_2
DATAGRAM_TESTS := $(DATAGRAM_SHAPES:%=$(B)/tests/datagram_%)
TESTS += $(firstword $(DATAGRAM_TESTS)) rtl/datagram/test/parameters.sh

datagram_part = $(word $(1),$(subst _, ,$(2)))
datagram_flags = -DN=$(call datagram_part,1,$(1)) -DW=$(call datagram_part,2,$(1)) \
    -DL=$(call datagram_part,3,$(1)) -DROOM=$(call datagram_part,4,$(1))
DATAGRAM_BENCH := $(DATAGRAM_C) rtl/datagram/test/bench.h rtl/datagram/test/datagram_shim.h sim/cosim/rng.h $(MODEL_H)

# bench.o, and alone.o with the model by itself. (A pattern of two targets would be one run for both.)
DATAGRAM_O := $(DATAGRAM_SHAPES:%=$(B)/datagram/%/bench.o) $(B)/datagram/2_64_8_2/alone.o
$(DATAGRAM_O): $(B)/datagram/%.o: $(DATAGRAM_BENCH)
	@mkdir -p $(@D)
	for f in $(DATAGRAM_C); do $(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim $(call datagram_flags,$(*D)) \
	    $(if $(filter alone,$(*F)),-DALONE) -c -o $(@:.o=)_$$(basename $$f .c).o $$f || exit 1; done
	$(LD) -r -o $@ $(patsubst rtl/datagram/test/%.c,$(@:.o=)_%.o,$(DATAGRAM_C))

$(DATAGRAM_TESTS): $(B)/tests/datagram_%: $(B)/datagram/%/bench.o $(DATAGRAM_V) $(B)/sim/model/datagram.o \
        rtl/datagram/test/datagram_shim.cpp rtl/datagram/test/datagram_shim.h tests/lib/clocked_rtl.h tests/lib/random_state.h \
        rtl/regs/outflank.json
	@mkdir -p $(@D)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SHORT_VERILATOR) -O3 --cc --exe --build -j 1 --language 1800-2017 --x-assign unique \
	    --x-initial unique -Irtl/regs --top-module ofr_datagram \
	    $(patsubst -D%,-G%,$(call datagram_flags,$*)) -CFLAGS "-O2 -I$(CURDIR)/rtl/datagram/test \
	    -I$(CURDIR)/tests/lib" --Mdir $(B)/datagram/$*/v -o $(CURDIR)/$@ \
	    $(DATAGRAM_V) $(CURDIR)/rtl/datagram/test/datagram_shim.cpp \
	    $(CURDIR)/$(B)/datagram/$*/bench.o $(CURDIR)/$(B)/sim/model/datagram.o \
	    > $(B)/datagram/$*/verilator.log || { cat $(B)/datagram/$*/verilator.log; exit 1; }

# Datagrams over Verilated routers, of what the tests of both have verilated
DATAGRAM_OVER := 2_64_8_2
DATAGRAM_ROUTER := 2_64_8_5_1
TESTS += $(B)/tests/datagram_torus $(B)/tests/datagram_torus_twin
LINT_C += rtl/datagram/test/torus.c
# ... and with cables that flip a bit now and then, which is found out
$(B)/tests/datagram_torus_twin: $(B)/tests/datagram_torus rtl/datagram/datagram.mk
	@printf '#!/bin/sh\nFLIPS=1 $< > $@.out 2>&1; [ $$? = 1 ] && grep -q "^# cycle.*nobody gave" $@.out &&\n' > $@
	@printf 'echo "ok 1 - datagrams over routers whose cables flip bits: found out" ||\n' >> $@
	@printf '{ echo "not ok 1 - datagrams over routers whose cables flip bits"; echo 1..1; exit 1; }; echo 1..1\n' >> $@ && chmod +x $@
$(B)/tests/datagram_torus: rtl/datagram/test/torus.c $(B)/sim/cosim/square.o $(B)/tests/datagram_$(DATAGRAM_OVER) \
        $(B)/lockstep/$(DATAGRAM_ROUTER)/lockstep $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim $(call datagram_flags,$(DATAGRAM_OVER)) -c \
	    -o $(B)/datagram/$(DATAGRAM_OVER)/torus.o $<
	$(CXX) -o $@ $(B)/datagram/$(DATAGRAM_OVER)/torus.o $(B)/sim/cosim/square.o $(B)/datagram/$(DATAGRAM_OVER)/v/datagram_shim.o \
	    $(B)/datagram/$(DATAGRAM_OVER)/v/Vofr_datagram__ALL.a $(B)/lockstep/$(DATAGRAM_ROUTER)/v/rtl_router.o \
	    $(B)/lockstep/$(DATAGRAM_ROUTER)/v/Vofr_lockstep__ALL.a \
	    $(B)/lockstep/$(DATAGRAM_ROUTER)/v/verilated*.o $(B)/libofr.a -lpthread -lm

# A model without a protection each, as sed leaves it, alone in the bench: found by the ledger, with the
# words that are named.
DATAGRAM_TWIN_early   := s/dg->tx.valid = dg->busy || dg->held/dg->tx.valid = dg->busy || dg->held || dg->inside/ not.whole.yet
DATAGRAM_TWIN_long    := s/dg->why = OFR_DATAGRAM_REASON_LONG/;/ sent:|ILLEGAL
DATAGRAM_TWIN_node    := s/return outside /return 0 \&\& outside / nobody.gave|ILLEGAL
DATAGRAM_TWIN_class   := s/: s->cls == OFR_PKT_CLASS_DIRECTED/: 0 \&\& s->cls == OFR_PKT_CLASS_DIRECTED/ nobody.gave|ILLEGAL
DATAGRAM_TWIN_way     := s/dg->nowhere = dg->nowhere || in->tx_unreachable/;/ SENT
DATAGRAM_TWIN_other   := s/    dg->nowhere = false;/;/ SENT
DATAGRAM_TWIN_half    := s/dg->half ^= 1;/dg->half ^= 0;/ sent:.payload
DATAGRAM_TWIN_zeros   := s/step < dg->end /1 / sent:.payload
DATAGRAM_TWIN_poison  := s/!fits || dg->poison/!fits/ SPOILED
DATAGRAM_TWIN_fits    := s/!fits || dg->poison/dg->poison/ SPOILED
DATAGRAM_TWIN_large   := s/dg->tail < dg->shape.slot_flits \&\&// SPOILED
DATAGRAM_TWIN_kind    := s/ || dg->kind != OFR_PKT_KIND_DATAGRAM// RECEIVED|SPOILED
DATAGRAM_TWIN_room    := s/} else if (dg->drop)/} else if (0)/ where.there.was.no.room|taken:
DATAGRAM_TWIN_full    := s/dg->used == dg->shape.room/dg->used >= dg->shape.room - 1/ where.there.was.room
DATAGRAM_TWIN_part    := s/bool reads = dg->used \&\&/bool reads = (dg->used || dg->index > 4) \&\&/ not.whole.yet|taken:
DATAGRAM_TWIN_source  := s/.source = kept->source/.source = dg->source/ TID
DATAGRAM_TWIN_wait    := s/!dg->shown.valid || ready/true/ changed|is.gone|taken:
DATAGRAM_TWINS := $(patsubst %,$(B)/tests/datagram_twin_%,early long node class way other half zeros \
    poison fits large kind room full part source wait)
TESTS += $(DATAGRAM_TWINS)
$(DATAGRAM_TWINS): $(B)/tests/datagram_twin_%: $(B)/datagram/2_64_8_2/alone.o sim/model/datagram.c \
        rtl/datagram/datagram.mk
	@mkdir -p $(@D)
	@printf '%s\n' '$(wordlist 1,$(words $(wordlist 2,99,$(DATAGRAM_TWIN_$*))),$(DATAGRAM_TWIN_$*))' > $@.sed
	@sed -f $@.sed sim/model/datagram.c > $@.c && ! cmp -s sim/model/datagram.c $@.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -w -Isim/model -o $@.twin $< $@.c
	@printf '#!/bin/sh\n! %s > %s.out 2>&1 && grep -qE "^# cycle.*($(lastword $(DATAGRAM_TWIN_$*)))" %s.out &&\n' \
	    $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - datagram, twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - datagram, twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@

SOAK += $(B)/tests/datagram_soak
$(B)/tests/datagram_soak: $(DATAGRAM_TESTS)
	@printf '#!/bin/sh\ns=0\nfor t in $(DATAGRAM_TESTS); do $$t 20000000 "$${SEED:-$$(date +%%s)}" || s=1; done\nexit $$s\n' \
	    > $@ && chmod +x $@
