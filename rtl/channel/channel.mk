# SPDX-License-Identifier: Apache-2.0
# Channels: lint, RTL against model in lockstep, and models without a protection, which the ledger of
# the same bench must find.

CHANNEL_V := $(addprefix rtl/channel/,ofr_channels.v ofr_channel.v ofr_channel_state.v ofr_channel_gather.v \
    ofr_channel_consume.v ofr_channel_send.v ofr_channel_receive.v ofr_channel_count.v)
CHANNEL_C := $(addprefix rtl/channel/test/,lockstep.c fabric.c ledger.c)
LINT_V += $(CHANNEL_V)
LINT_TOPS += ofr_channel:N=3 ofr_channel:W=16:L=16:ENDS=3 ofr_channel:W=64:L=8:ENDS=16:ROOM=8 \
    ofr_channel:ENDS=1:ROOM=2 ofr_channels:N=3 ofr_channels:W=64:L=8:ENDS=3:ROOM=2 \
    ofr_channels:W=16:L=16:ENDS=1
LINT_C += $(CHANNEL_C)

# One Verilated ofr_channel per shape: N_W_L_ENDS_ROOM
CHANNEL_SHAPES := 2_32_32_4_4 3_32_128_8_4 3_16_16_3_8 2_64_8_16_2 2_32_64_16_4
CHANNEL_TESTS := $(CHANNEL_SHAPES:%=$(B)/tests/channel_%)
TESTS += $(CHANNEL_TESTS)

channel_part = $(word $(1),$(subst _, ,$(2)))
channel_flags = -DN=$(call channel_part,1,$(1)) -DW=$(call channel_part,2,$(1)) \
    -DL=$(call channel_part,3,$(1)) -DENDS=$(call channel_part,4,$(1)) -DROOM=$(call channel_part,5,$(1))
CHANNEL_BENCH := $(CHANNEL_C) rtl/channel/test/bench.h rtl/channel/test/channel_shim.h sim/cosim/rng.h $(MODEL_H)

$(B)/channel/%/bench.o: $(CHANNEL_BENCH)
	@mkdir -p $(@D)
	for f in $(CHANNEL_C); do $(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim $(call channel_flags,$*) -c \
	    -o $(@D)/$$(basename $$f .c).o $$f || exit 1; done
	$(LD) -r -o $@ $(patsubst rtl/channel/test/%.c,$(@D)/%.o,$(CHANNEL_C))

$(CHANNEL_TESTS): $(B)/tests/channel_%: $(B)/channel/%/bench.o $(CHANNEL_V) $(B)/sim/model/channel.o \
        rtl/channel/test/channel_shim.cpp rtl/channel/test/channel_shim.h tests/lib/clocked_rtl.h tests/lib/random_state.h \
        sim/cosim/user_pins.h sim/cosim/verilated_bits.h rtl/regs/outflank.json
	@mkdir -p $(@D)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SHORT_VERILATOR) -O3 --cc --exe --build -j 1 --language 1800-2017 --x-assign unique \
	    --x-initial unique -Irtl/regs --top-module ofr_channel \
	    $(patsubst -D%,-G%,$(call channel_flags,$*)) \
	    -CFLAGS "-O2 $(filter -DW=% -DENDS=%,$(call channel_flags,$*)) -I$(CURDIR)/rtl/channel/test \
	    -I$(CURDIR)/tests/lib -I$(CURDIR)/sim/cosim" --Mdir $(B)/channel/$*/v -o $(CURDIR)/$@ \
	    $(CHANNEL_V) $(CURDIR)/rtl/channel/test/channel_shim.cpp \
	    $(CURDIR)/$(B)/channel/$*/bench.o $(CURDIR)/$(B)/sim/model/channel.o \
	    > $(B)/channel/$*/verilator.log || { cat $(B)/channel/$*/verilator.log; exit 1; }

# Channels over Verilated routers, of what the tests of both have verilated
CHANNEL_OVER := 2_64_8_16_2
CHANNEL_ROUTER := 2_64_8_5_1
TESTS += $(B)/tests/channel_torus $(B)/tests/channel_torus_twin
LINT_C += rtl/channel/test/torus.c
# ... and with cables that flip a bit now and then, which is found out
$(B)/tests/channel_torus_twin: $(B)/tests/channel_torus rtl/channel/channel.mk
	@printf '#!/bin/sh\nFLIPS=1 $< > $@.out 2>&1; [ $$? = 1 ] && grep -q "^# node.*of a beat" $@.out &&\n' > $@
	@printf 'echo "ok 1 - channels over routers whose cables flip bits: found out" ||\n' >> $@
	@printf 'echo "not ok 1 - channels over routers whose cables flip bits"; echo 1..1\n' >> $@ && chmod +x $@
$(B)/tests/channel_torus: rtl/channel/test/torus.c rtl/channel/test/bench.h $(B)/sim/cosim/square.o \
        $(B)/tests/channel_$(CHANNEL_OVER) $(B)/lockstep/$(CHANNEL_ROUTER)/lockstep $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim $(call channel_flags,$(CHANNEL_OVER)) -c \
	    -o $(B)/channel/$(CHANNEL_OVER)/torus.o $<
	$(CXX) -o $@ $(B)/channel/$(CHANNEL_OVER)/torus.o $(B)/sim/cosim/square.o $(B)/channel/$(CHANNEL_OVER)/v/channel_shim.o \
	    $(B)/channel/$(CHANNEL_OVER)/v/Vofr_channel__ALL.a $(B)/lockstep/$(CHANNEL_ROUTER)/v/rtl_router.o \
	    $(B)/lockstep/$(CHANNEL_ROUTER)/v/Vofr_lockstep__ALL.a \
	    $(B)/lockstep/$(CHANNEL_ROUTER)/v/verilated*.o $(B)/libofr.a -lpthread -lm

# b_eff between users' logic, golden nodes. make bench: all sizes.
TESTS += $(B)/tests/channel_b_eff $(B)/tests/channel_b_eff_twin
BENCH += $(B)/tests/channel_b_eff_bench
LINT_C += rtl/channel/test/b_eff.c
$(B)/bin/channel_b_eff: rtl/channel/test/b_eff.c sim/cosim/rng.h $(MODEL_H) $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isim/cosim -D_GNU_SOURCE $(CFLAGS) -O3 -o $@ $< $(B)/libofr.a -lm
$(B)/tests/channel_b_eff: $(B)/bin/channel_b_eff rtl/channel/channel.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec $< --max-size 8192 2x2 3x3 2x2x2\n' > $@ && chmod +x $@
$(B)/tests/channel_b_eff_twin: $(B)/bin/channel_b_eff rtl/channel/channel.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFLIPS=1 $< --max-size 8192 2x2 > $@.out 2>&1; [ $$? = 1 ] && grep -q "what came is not" $@.out &&\n' > $@
	@printf 'echo "ok 1 - b_eff over cables that flip bits: found out" ||\n' >> $@
	@printf 'echo "not ok 1 - b_eff over cables that flip bits"; echo 1..1\n' >> $@ && chmod +x $@
$(B)/tests/channel_b_eff_bench: $(B)/bin/channel_b_eff rtl/channel/channel.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec $< --repetitions 1 2x2 4x4\n' > $@ && chmod +x $@

# A model without a protection each, as sed leaves it, alone in the bench: found by the ledger, with the
# words that are named.
CHANNEL_TWIN_credit  := s/ && x->seq != x->limit// came.to.harm|given
CHANNEL_TWIN_early   := s/(old->freed + ch->shape.room)/(old->expect + ch->shape.room)/ came.to.harm|given
CHANNEL_TWIN_order   := s/ch->seq != old->expect/0/ given|gave
CHANNEL_TWIN_conn    := s/ && ch->known_conn == HEAD(CONN)// given|gave
CHANNEL_TWIN_poison  := s/!rx->poison && i >= first/i >= first/ given|gave
CHANNEL_TWIN_silent  := s/old->age == 3/0/ hangs|beats.taken|not.ok.2
CHANNEL_TWIN_slot    := s/>= OFR_CHANNEL_OUT - 1/>= OFR_CHANNEL_OUT/ given|gave
CHANNEL_TWIN_turn    := s/(uint8_t)((e + 1) % all)/picked ? 0 : (e + 1) % all/ not.ok.*at.once
CHANNEL_TWIN_drain   := s/ && is_empty(old)// closed,.bytes.taken
CHANNEL_TWIN_rest    := s/x->skip = x->mid;/;/ given|gave
CHANNEL_TWIN_mark    := s/x->mark = is_open(old)/x->mark = 0 \&\& is_open(old)/ broken.beat
CHANNEL_TWIN_port    := s/ && (!old->shown.valid || in->m_ready\[cur\])// has.changed|gave
CHANNEL_TWIN_line    := s/ch->has_next = true;/;/ given.to.the.consumer
CHANNEL_TWIN_waits   := s/(ch->sent || is_due/(0 \&\& is_due/ bytes
CHANNEL_TWIN_narrow  := s/\(x->received = .*\);/\1 \& 0xfffff;/ bytes.received
CHANNEL_TWIN_RUN_narrow := large
CHANNEL_TWINS := $(patsubst %,$(B)/tests/channel_twin_%,credit early order conn poison silent slot turn \
    drain rest mark port line waits narrow)
TESTS += $(CHANNEL_TWINS)
$(CHANNEL_TWINS): $(B)/tests/channel_twin_%: $(CHANNEL_BENCH) sim/model/channel.c rtl/channel/channel.mk
	@mkdir -p $(@D)
	@printf '%s\n' '$(wordlist 1,$(words $(wordlist 2,99,$(CHANNEL_TWIN_$*))),$(CHANNEL_TWIN_$*))' > $@.sed
	@sed -f $@.sed sim/model/channel.c > $@.c && ! cmp -s sim/model/channel.c $@.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -w -DALONE $(call channel_flags,2_32_32_4_4) -Isim/cosim -Isim/model \
	    -o $@.twin $(CHANNEL_C) $@.c
	@printf '#!/bin/sh\n! %s $(or $(CHANNEL_TWIN_RUN_$*),1600000) > %s.out 2>&1 && grep -qE "$(lastword $(CHANNEL_TWIN_$*))" %s.out &&\n' \
	    $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - channel, twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - channel, twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@

TESTS += $(B)/tests/channel_large
$(B)/tests/channel_large: $(B)/tests/channel_2_32_32_4_4
	@printf '#!/bin/sh\nexec $< large\n' > $@ && chmod +x $@

SOAK += $(B)/tests/channel_soak
$(B)/tests/channel_soak: $(CHANNEL_TESTS)
	@printf '#!/bin/sh\ns=0 seed=$${SEED:-$$(date +%%s)}\nfor t in $(CHANNEL_TESTS); do\n' > $@
	@printf '    $$t 20000000 "$$seed" || s=1\n    $$t large "$$seed" || s=1\ndone\nexit $$s\n' >> $@ && chmod +x $@

# The example: two boards of it, Verilated with the bench around them; its waveforms.
EXAMPLE := rtl/channel/example
LINT_V += $(EXAMPLE)/two_channels.v
LINT_TOPS += two_channels
TESTS += $(EXAMPLE)/test/example_test.sh
$(EXAMPLE)/test/example_test.sh: $(B)/channel/example $(B)/firmware/fw.hex
$(B)/channel/example: $(EXAMPLE)/two_channels.v $(wildcard $(EXAMPLE)/test/*.v) \
        $(foreach d,wrapper board router ofr local soc core link link/phy channel datagram collective user,$(wildcard rtl/$d/*.v)) \
        rtl/regs/ofr_defs.vh $(wildcard rtl/link/*.vh rtl/link/phy/*.vh) firmware/protocol.h
	@mkdir -p $(@D)
	@echo "verilator: two_channels"
	@MAKEFLAGS='OPT_FAST=-O0 OPT_SLOW=-O0' verilator --binary --timing -j 1 -O3 \
	    --language 1800-2017 -Wno-WIDTH -Wno-INITIALDLY --x-assign unique --x-initial unique \
	    -DOFR_PROTOCOL_VERSION=$$(sed -n 's/.* OFR_PROTOCOL_VERSION = \([0-9]*\),.*/\1/p' firmware/protocol.h) \
	    -Irtl/regs -Irtl/link -Irtl/link/phy --top-module two_channels_tb --Mdir $(B)/channel/example.v \
	    -o $(abspath $@) $(filter %.v,$^) > $(B)/channel/example.log 2>&1 || \
	    { cat $(B)/channel/example.log; exit 1; }

DOCS += docs-channel
.PHONY: docs-channel
docs-channel: $(EXAMPLE)/test/example_test.sh $(B)/docs/stamp
	@sh $(EXAMPLE)/draw.sh $(EXAMPLE)
	@WAVEDROM=$(B)/docs/bin/wavedrompy sh rtl/router/waves/draw.sh svg $(EXAMPLE)/*.json
