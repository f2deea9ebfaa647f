# SPDX-License-Identifier: Apache-2.0
# Lockstep: one program per router shape, build/lockstep/N_W_L_C_MUL, and the tests around it. The
# RTL is compiled once per shape, whatever the torus.

LOCKSTEP_SHAPES := 2_32_8_8_1 2_16_16_4_0 3_64_4_7_0 3_16_16_2_1 2_64_8_5_1
LOCKSTEP_SOAK_SHAPES := $(LOCKSTEP_SHAPES) 3_32_8_3_1 2_32_16_6_0
LOCKSTEP := $(LOCKSTEP_SOAK_SHAPES:%=$(B)/lockstep/%/lockstep)
LOCKSTEP_V := $(sort $(wildcard rtl/router/*.v rtl/ofr/*.v)) sim/cosim/ofr_lockstep.v
# What routers in lockstep need with links and without, their main() included: a twin's object goes before it
$(B)/liblockstep.a: $(patsubst %,$(B)/sim/cosim/%.o,lockstep fabric links link_report link_wire noise router_differs)
	@rm -f $@
	$(AR) rcs $@ $^
LOCKSTEP_O := $(B)/sim/cosim/lockstep_plain.o $(B)/liblockstep.a

LINT_V += sim/cosim/ofr_lockstep.v
LINT_TOPS += ofr_lockstep:N=2 ofr_lockstep:N=3:W=64:L=4:MUL=0

$(B)/sim/cosim/%.o: sim/cosim/%.c $(wildcard sim/cosim/*.h) $(MODEL_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isim/cosim -D_GNU_SOURCE $(CFLAGS) -O3 -c -o $@ $<

# $(1): N W L C MUL, $(2): the same with underscores
lockstep_word = $(word $(2),$(subst _, ,$(1)))
lockstep_parameters = $(2)N$(3)$(call lockstep_word,$(1),1) $(2)W$(3)$(call lockstep_word,$(1),2) \
    $(2)L$(3)$(call lockstep_word,$(1),3) $(2)C$(3)$(call lockstep_word,$(1),4) $(2)MUL$(3)$(call lockstep_word,$(1),5)
# $(1): options of verilator, $(2): the compiler's, $(3): the files, LOCKSTEP_V if there are none
define lockstep_build
@mkdir -p $(@D)
	@echo "verilator: lockstep $*"
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	@verilator --cc --exe --build -O3 $(1) --trace --language 1800-2017 \
	    --x-assign unique --x-initial unique -Irtl/regs \
	    $(if $(3),,$(call lockstep_parameters,$*,-G,=)) --top-module ofr_lockstep --Mdir $(@D)/v \
	    -CFLAGS "-O2 -std=gnu++17 -I$(CURDIR)/sim/cosim -I$(CURDIR)/sim/model \
	        -I$(CURDIR)/firmware -I$(CURDIR)/tests/lib -DRTL_TOP=Vofr_lockstep -DRTL_HEADER='\"Vofr_lockstep.h\"' \
	        -DSHAPE_N=$(call lockstep_word,$*,1) -DSHAPE_W=$(call lockstep_word,$*,2) \
	        -DSHAPE_L=$(call lockstep_word,$*,3) -DSHAPE_C=$(call lockstep_word,$*,4) \
	        -DSHAPE_MUL=$(call lockstep_word,$*,5)" \
	    $(or $(3),$(LOCKSTEP_V)) $(CURDIR)/sim/cosim/rtl_router.cpp $(abspath $(LOCKSTEP_O) $(B)/libofr.a) \
	    -LDFLAGS -lm -MAKEFLAGS "$(2)" -o ../lockstep > $(@D)/log 2>&1 || { cat $(@D)/log; rm -f $@; exit 1; }
endef
LOCKSTEP_NEEDS := $(LOCKSTEP_V) rtl/regs/outflank.json sim/cosim/rtl_router.cpp \
    sim/cosim/rtl_router.h sim/cosim/port_pins.h sim/cosim/verilated_bits.h tests/lib/random_state.h $(LOCKSTEP_O) $(B)/libofr.a
$(LOCKSTEP): $(B)/lockstep/%/lockstep: $(LOCKSTEP_NEEDS)
	$(call lockstep_build,,OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2)

# As Yosys reads it, which is not how Verilator does where either has a fault: what bitstreams are made of. $(1): the top,
# $(2): its files, $(3): its parameters. In read.v beside what is made.
empty :=
space := $(empty) $(empty)
define yosys_read
@yosys -q -p "read_verilog -sv $(2); hierarchy -check -top $(1) $(3); proc; flatten; opt_clean; rename -top $(1); \
	    write_verilog -noattr $(@D)/read.v" > $(@D)/read.log 2>&1 || { cat $(@D)/read.log; exit 1; }
endef
LOCKSTEP_READ_SHAPES := 2_16_16_4_0
LOCKSTEP_READ := $(LOCKSTEP_READ_SHAPES:%=$(B)/lockstep/%.read/lockstep)
$(LOCKSTEP_READ): $(B)/lockstep/%.read/lockstep: $(LOCKSTEP_NEEDS)
	@mkdir -p $(@D)
	$(call yosys_read,ofr_lockstep,-Irtl/regs $(LOCKSTEP_V),$(call lockstep_parameters,$*,-chparam ,$(space)))
	$(call lockstep_build,-Wno-fatal,OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2,$(@D)/read.v)

# With the modules' properties (`ifdef OFR_CHECK, rtl/router/README.md) looked at in every cycle: the shapes
# that are in the soak only, and one with `ofr_deep_buffer`, which the others are too small for. Built
# without optimisation, which takes longer than the run.
LOCKSTEP_CHECKED_SHAPES := 2_32_64_8_1 $(filter-out $(LOCKSTEP_SHAPES),$(LOCKSTEP_SOAK_SHAPES))
LOCKSTEP_CHECKED := $(LOCKSTEP_CHECKED_SHAPES:%=$(B)/checked/%/lockstep)
$(LOCKSTEP_CHECKED): $(B)/checked/%/lockstep: $(LOCKSTEP_NEEDS)
	$(call lockstep_build,--assert -DOFR_CHECK,OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0)

LOCKSTEP_CHECKED_TESTS := $(LOCKSTEP_CHECKED_SHAPES:%=$(B)/tests/lockstep_checked_%)
TESTS += $(LOCKSTEP_CHECKED_TESTS)
$(LOCKSTEP_CHECKED_TESTS): $(B)/tests/lockstep_checked_%: $(B)/checked/%/lockstep sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --total 250000 --cycles 40000 --seed "$${SEED:-1}"\n' $< > $@
	@chmod +x $@

# At least 20 million router-cycles over the 5 shapes. SEED replays.
LOCKSTEP_TOTAL ?= 4000000
LOCKSTEP_TOTAL_2_16_16_4_0.read := 1000000
LOCKSTEP_TESTS := $(LOCKSTEP_SHAPES:%=$(B)/tests/lockstep_%) $(LOCKSTEP_READ_SHAPES:%=$(B)/tests/lockstep_%.read)
TESTS += $(LOCKSTEP_TESTS)
$(LOCKSTEP_TESTS): $(B)/tests/lockstep_%: $(B)/lockstep/%/lockstep sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --total %s --seed "$${SEED:-1}"\n' $< $(or $(LOCKSTEP_TOTAL_$*),$(LOCKSTEP_TOTAL)) > $@
	@chmod +x $@

# --- The same over reliable links ------------------------------------------------------------------
# Router's shape and its link's (link.mk): build/lockstep/SHAPE/linked, of what both have verilated
LINKED_SHAPES := 2_32_8_8_1 3_16_16_2_1
LINKED_2_32_8_8_1 := 2_32_8_8_0_1_8_16
LINKED_3_16_16_2_1 := 3_16_16_2_1_0_8_16
# For heal's soak only (link.mk)
LINKED_SOAKED := 3_32_8_3_1
LINKED_3_32_8_3_1 := 3_32_8_3_0_1_8_16
LINKED := $(LINKED_SHAPES:%=$(B)/lockstep/%/linked)
LINKED_ALL := $(LINKED) $(LINKED_SOAKED:%=$(B)/lockstep/%/linked)
$(foreach s,$(LINKED_SHAPES) $(LINKED_SOAKED),$(eval $(B)/lockstep/$(s)/linked: $(B)/link/$(LINKED_$(s))/lockstep))
$(foreach s,$(LINKED_SHAPES) $(LINKED_SOAKED),$(eval LINKED_V_$(s) := $(B)/lockstep/$(s)/v/rtl_router.o \
    $(B)/lockstep/$(s)/v/verilated*.o \
    $(B)/lockstep/$(s)/v/Vofr_lockstep__ALL.a $(B)/link/$(LINKED_$(s))/v/link_rtl.o \
    $(B)/link/$(LINKED_$(s))/v/Vofr_link__ALL.a $(B)/liblockstep.a $(B)/libofr.a -lpthread -lm))
$(LINKED_ALL): $(B)/lockstep/%/linked: $(B)/lockstep/%/lockstep $(B)/sim/cosim/lockstep_links.o
	$(CXX) -o $@ $(B)/sim/cosim/lockstep_links.o $(LINKED_V_$*)

LINKED_TOTAL ?= 2500000
LINKED_TESTS := $(LINKED_SHAPES:%=$(B)/tests/linked_%)
TESTS += $(LINKED_TESTS) sim/cosim/linked_test.sh
sim/cosim/linked_test.sh: $(B)/lockstep/2_32_8_8_1/linked
$(LINKED_TESTS): $(B)/tests/linked_%: $(B)/lockstep/%/linked sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --total %s --seed "$${SEED:-1}"\n' $< $(LINKED_TOTAL) > $@
	@chmod +x $@

# 200 million router-cycles
SOAK += $(B)/tests/linked_soak
$(B)/tests/linked_soak: $(LINKED)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nset -e\nfor s in $(LINKED_SHAPES); do\n    %s %s\ndone\n' \
	    '$(B)/lockstep/$$s/linked' '--total 100000000 --seed "$${SEED:-100000}"' > $@ && chmod +x $@

# --- The golden model alone -----------------------------------------------------------------------
GOLDEN_O := $(B)/sim/cosim/golden.o $(B)/sim/cosim/fabric.o
$(B)/bin/bench: $(B)/sim/cosim/bench.o $(B)/sim/cosim/gamma.o $(GOLDEN_O) $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

BENCH += $(B)/bin/bench

# Derouting at work, on a small torus: butterfly bit by bit
TESTS += $(B)/tests/bench_phases
$(B)/tests/bench_phases: $(B)/bin/bench sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --phases --torus 8x8 --tie plus --messages 4 --jobs 1\n' $< > $@
	@chmod +x $@

# Which class streams travel in (rtl/channel/README.md): make bench, or by itself
$(B)/bin/stream_class: $(B)/sim/cosim/stream_class.o $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)
BENCH += $(B)/bin/stream_class
TESTS += $(B)/tests/stream_class
$(B)/tests/stream_class: $(B)/bin/stream_class sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --check "$${SEED:-1}"\n' $< > $@ && chmod +x $@

$(B)/bin/overload: $(B)/sim/cosim/overload.o $(GOLDEN_O) $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

TESTS += sim/cosim/teeth.sh
sim/cosim/teeth.sh $(B)/tests/teeth_soak: $(B)/lockstep/2_32_8_8_1/lockstep $(B)/bin/overload
$(B)/tests/teeth_soak:
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFULL=1 exec sh sim/cosim/teeth.sh\n' > $@ && chmod +x $@

# One test a torus, so that they run side by side; `make soak` runs them whole, and 8x8. A cycle of 4x4x4
# costs as much as four of 4x4.
OVERLOAD_4x4 := 50000
OVERLOAD_4x4x4 := 20000
OVERLOAD_TESTS := $(B)/tests/overload_4x4 $(B)/tests/overload_4x4x4
TESTS += $(OVERLOAD_TESTS)
$(OVERLOAD_TESTS): $(B)/tests/overload_%: $(B)/bin/overload sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --torus %s --cycles $(OVERLOAD_$*)\n' $< $* > $@
	@chmod +x $@

# All x+ cables of a column pulled: nothing waits for ever
TESTS += $(B)/tests/overload_pulled
$(B)/tests/overload_pulled: $(B)/bin/overload sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --pulled --torus 4x4 --cycles $(OVERLOAD_4x4)\n' $< > $@
	@chmod +x $@

# All to one node, in order, over slow links: nobody waits for ever. Twin: what RING_WAIT is at reset
OVERLOAD_ONE := --one --torus 4x2 --cycles 300000
TESTS += $(B)/tests/overload_one
$(B)/tests/overload_one: $(B)/bin/overload sim/cosim/cosim.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\n%s $(OVERLOAD_ONE) | sed "s/^1\\.\\./# 1../"\n' $< > $@
	@printf '%s $(OVERLOAD_ONE) --run 1 --ring-wait 8 | grep -q "^not ok 1 - .* C=2 " || printf "not "\n' $< >> $@
	@printf 'echo "ok 4 - twin: RING_WAIT 8: starves"\necho 1..4\n' >> $@
	@chmod +x $@

# Rate and latency on the RTL, at every W, with the Verilated routers of lockstep
RATE_TESTS := $(B)/tests/rate_2_16_16_4_0 $(B)/tests/rate_2_32_8_8_1 $(B)/tests/rate_2_64_8_5_1
TESTS += $(RATE_TESTS)
$(RATE_TESTS): $(B)/tests/rate_%: $(B)/lockstep/%/lockstep $(B)/sim/cosim/rate.o $(B)/libofr.a
	@mkdir -p $(@D)
	$(CXX) -o $@ $(B)/sim/cosim/rate.o $(B)/lockstep/$*/v/rtl_router.o \
	    $(B)/lockstep/$*/v/verilated*.o $(B)/lockstep/$*/v/Vofr_lockstep__ALL.a \
	    $(B)/libofr.a -lpthread

SOAK += sim/cosim/soak.sh
SOAK += $(B)/tests/teeth_soak
# What gets a slot in turn (soak.sh): routers, with links beside (below, and link.mk, phy.mk)
SOAKED := $(LOCKSTEP) $(LINKED) $(foreach t,4x4 8x8 4x4x4,$(B)/bin/overload:$(t))
soak: export PROGRAMS = $(SOAKED:$(B)/%=%)
TESTS += sim/cosim/soak_test.sh
sim/cosim/soak_test.sh: $(B)/lockstep/2_32_8_8_1/lockstep
sim/cosim/soak.sh: $(LOCKSTEP) $(LINKED) $(B)/bin/overload
