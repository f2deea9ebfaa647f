# SPDX-License-Identifier: Apache-2.0
# The reliable link: RTL and golden model in lockstep over bad cables, one program a shape,
# build/link/N_W_L_C_SHARED_SERIAL_TICK_CRC, TIME as SERIAL, and _SLOW where it is not 1; its broken
# twins, goodput and latency.

LINK_SHAPES := 3_32_128_8_0_1_8_16 2_16_32_4_1_0_8_16 2_16_32_4_0_1_8_16 3_64_8_7_0_1_9_16 2_16_16_4_1_0_8_16_4 \
    3_32_128_8_1_0_8_16_4
LINK_LOCKSTEP := $(LINK_SHAPES:%=$(B)/link/%/lockstep)
# Without one time, for a header's latency
LINK_TIMELESS := $(B)/link/2_16_32_4_0_0_8_16/lockstep
LINK_ALL := $(LINK_LOCKSTEP) $(LINK_TIMELESS) $(foreach s,$(LINKED_SHAPES) $(LINKED_SOAKED),$(B)/link/$(LINKED_$(s))/lockstep)
LINK_V := $(sort $(wildcard rtl/link/*.v)) rtl/router/ofr_buffer.v
LINK_O := $(patsubst %,$(B)/sim/cosim/%.o,link_lockstep link_bench link_report link_port link_wire noise fabric)

# And two of them as Yosys reads them (yosys_read, cosim.mk)
LINK_READ := $(patsubst %,$(B)/link/%.read/lockstep,2_16_16_4_1_0_8_16_4 3_32_128_8_0_1_8_16)

link_word = $(word $(2),$(subst _, ,$(1)))
# link_parameters SHAPE FORMAT BETWEEN: each parameter as FORMAT, its name, BETWEEN, its value
link_parameters = $(2)N$(3)$(call link_word,$(1),1) $(2)W$(3)$(call link_word,$(1),2) $(2)L$(3)$(call link_word,$(1),3) \
    $(2)C$(3)$(call link_word,$(1),4) $(2)SHARED$(3)$(call link_word,$(1),5) $(2)SERIAL$(3)$(call link_word,$(1),6) \
    $(2)TIME$(3)$(call link_word,$(1),6) $(2)TICK$(3)$(call link_word,$(1),7) $(2)CRC_CHECK$(3)$(call link_word,$(1),8) \
    $(2)SLOW$(3)$(or $(call link_word,$(1),9),1)
# link_build FILES OPTIONS: of shape $*
define link_build
	@verilator --cc --exe --build -O3 --language 1800-2017 \
	    --x-assign unique --x-initial unique -Irtl/link $(2) --top-module ofr_link --Mdir $(@D)/v \
	    -CFLAGS "-O2 -std=gnu++17 -I$(CURDIR)/sim/cosim -I$(CURDIR)/sim/model \
	        -I$(CURDIR)/firmware -I$(CURDIR)/tests/lib \
	        -DSHAPE_N=$(call link_word,$*,1) -DSHAPE_W=$(call link_word,$*,2) \
	        -DSHAPE_L=$(call link_word,$*,3) -DSHAPE_C=$(call link_word,$*,4) \
	        -DSHAPE_SHARED=$(call link_word,$*,5) -DSHAPE_SERIAL=$(call link_word,$*,6) \
	        -DSHAPE_TICK=$(call link_word,$*,7) -DSHAPE_CRC=$(call link_word,$*,8) \
	        -DSHAPE_SLOW=$(or $(call link_word,$*,9),1)" \
	    $(1) $(CURDIR)/sim/cosim/link_rtl.cpp $(abspath $(LINK_O) $(B)/libofr.a) \
	    -LDFLAGS -lm -MAKEFLAGS "OPT_FAST=-O3 OPT_SLOW=-O1 OPT_GLOBAL=-O2" -o ../lockstep \
	    > $(@D)/log 2>&1 || { cat $(@D)/log; rm -f $@; exit 1; }
endef
LINK_NEEDS := $(LINK_V) rtl/link/ofr_link.vh sim/cosim/link_rtl.cpp sim/cosim/link_rtl.h sim/cosim/link_pins.h \
    sim/cosim/verilated_bits.h tests/lib/random_state.h $(LINK_O) $(B)/libofr.a sim/cosim/link.mk
$(LINK_ALL): $(B)/link/%/lockstep: $(LINK_NEEDS)
	@mkdir -p $(@D)
	@echo "verilator: link $*"
	@rm -f $@
	$(call link_build,$(LINK_V),$(call link_parameters,$*,-G,=))
$(LINK_READ): $(B)/link/%.read/lockstep: $(LINK_NEEDS)
	@mkdir -p $(@D)
	@echo "yosys, verilator: link $*"
	@rm -f $@
	$(call yosys_read,ofr_link,-Irtl/link $(LINK_V),$(call link_parameters,$*,-chparam ,$(space)))
	$(call link_build,-Wno-fatal $(@D)/read.v,)

$(B)/tests/test_link: LDLIBS += -lm

# Random cables; SEED replays. Of the last shape two a kind of cable
LINK_RUNS ?= 80
LINK_RUNS_3_32_128_8_1_0_8_16_4 := 16
LINK_RUNS_2_16_16_4_1_0_8_16_4.read := 16
LINK_RUNS_3_32_128_8_0_1_8_16.read := 16
LINK_TESTS := $(patsubst $(B)/link/%/lockstep,$(B)/tests/link_%,$(LINK_LOCKSTEP) $(LINK_READ))
TESTS += $(LINK_TESTS) sim/cosim/link_test.sh
$(LINK_TESTS): $(B)/tests/link_%: $(B)/link/%/lockstep sim/cosim/link.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --runs $(or $(LINK_RUNS_$*),$(LINK_RUNS)) --seed "$${SEED:-1}"\n' $< > $@
	@chmod +x $@

sim/cosim/link_test.sh: $(LINK_TIMELESS)
sim/cosim/link_test.sh $(B)/tests/link_soak: $(LINK_LOCKSTEP)
SOAK += $(B)/tests/link_soak
$(B)/tests/link_soak:
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nset -e\nfor s in $(LINK_SHAPES); do\n    %s --runs 4000 --seed "$${SEED:-100000}"\ndone\n' \
	    '$(B)/link/$$s/lockstep' > $@ && chmod +x $@

# A torus of golden nodes over these links, at full load, whose cables and boards go and come back: 3x3
# in `make test`, 4x4 and 4x4x4 at 100 places and times each in `make soak`. Twins: routers are not told
# what was received; what was sent before a fall is sent after it; frames of a flit each; an end stays up in silence
HEAL_BOTH_O := $(patsubst %,$(B)/sim/cosim/%.o,heal heal_nodes heal_ledger)
HEAL_O := $(HEAL_BOTH_O) $(B)/sim/cosim/heal_plain.o $(B)/sim/cosim/lockstep_plain.o
$(B)/bin/heal: $(HEAL_O) $(B)/liblockstep.a $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lm
HEAL_TWINS := $(B)/twin/unbased/heal $(B)/twin/again/heal $(B)/twin/short/heal $(B)/twin/deaf/heal
HEAL_TWIN_unbased := s/o->tx_rebase = l->train.rebase;/o->tx_rebase = false;/
HEAL_TWIN_again := /^static uint8_t window_step/,/^}/s/if (!w->up) {/if (false) {/
HEAL_TWIN_short := s/p->flits == OFR_LINK_FRAME_FLITS ||/p->flits ||/
HEAL_TWIN_deaf := s/bool silent = .*/bool silent = false;/; s/before.stuck == STUCK/false/
$(HEAL_TWINS): $(B)/twin/%/heal: $(B)/bin/heal sim/model/link.c
	@mkdir -p $(@D)
	@sed '$(HEAL_TWIN_$*)' sim/model/link.c > $(@D)/link.c && ! cmp -s sim/model/link.c $(@D)/link.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $(@D)/link.o $(@D)/link.c
	@$(CC) $(CFLAGS) -o $@ $(HEAL_O) $(@D)/link.o $(B)/liblockstep.a $(B)/libofr.a $(LDLIBS) -lm

# The same with an RTL router and RTL link ends beside all golden ones; three dimensions in the soak. W = 32:
# the ledger finds SEQ in the second flit
HEAL_RTL := $(B)/lockstep/2_32_8_8_1/heal
HEAL_RTL_SOAKED := $(B)/lockstep/3_32_8_3_1/heal
HEAL_RTL_O := $(HEAL_BOTH_O) $(B)/sim/cosim/heal_rtl.o $(B)/sim/cosim/lockstep_links.o
$(HEAL_RTL) $(HEAL_RTL_SOAKED): $(B)/lockstep/%/heal: $(B)/lockstep/%/linked $(HEAL_RTL_O) $(B)/libofr.a
	$(CXX) -o $@ $(HEAL_RTL_O) $(LINKED_V_$*)
# Models that differ from the RTL when a link comes up (unbased: found in the first training, before
# anything is pulled), when it falls (dead) and when it comes up once more (again), of sim/model/HEAL_RTL_TWIN_C_*
HEAL_RTL_TWINS := $(B)/twin/rtl_unbased/heal $(B)/twin/rtl_dead/heal $(B)/twin/rtl_again/heal
HEAL_RTL_TWIN_C_unbased := link.c
HEAL_RTL_TWIN_unbased := $(HEAL_TWIN_unbased)
HEAL_RTL_TWIN_C_again := link.c
HEAL_RTL_TWIN_again := $(HEAL_TWIN_again)
HEAL_RTL_TWIN_C_dead := router.c
HEAL_RTL_TWIN_dead := s/if (!r->up\[port\])/if (false)/
$(HEAL_RTL_TWINS): $(B)/twin/rtl_%/heal: $(HEAL_RTL) sim/model/link.c sim/model/router.c
	@mkdir -p $(@D)
	@sed '$(HEAL_RTL_TWIN_$*)' sim/model/$(HEAL_RTL_TWIN_C_$*) > $(@D)/twin.c && ! cmp -s sim/model/$(HEAL_RTL_TWIN_C_$*) $(@D)/twin.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $(@D)/twin.o $(@D)/twin.c
	@$(CXX) -o $@ $(HEAL_RTL_O) $(@D)/twin.o $(LINKED_V_2_32_8_8_1)

TESTS += sim/cosim/heal_test.sh
sim/cosim/heal_test.sh $(B)/tests/heal_soak: $(B)/bin/heal $(HEAL_RTL) $(HEAL_TWINS) $(HEAL_RTL_TWINS)
SOAK += $(B)/tests/heal_soak
SOAKED += $(LINK_LOCKSTEP) $(B)/bin/heal:4x4 $(B)/bin/heal:4x4x4 $(HEAL_RTL):4x4
sim/cosim/soak.sh: $(LINK_LOCKSTEP) $(B)/bin/heal $(HEAL_RTL)
$(B)/tests/heal_soak: $(HEAL_RTL_SOAKED)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFULL=1 exec sh sim/cosim/heal_test.sh\n' > $@ && chmod +x $@
