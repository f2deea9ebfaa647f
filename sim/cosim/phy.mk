# SPDX-License-Identifier: Apache-2.0
# Links at the pins of their cables: link and physical layer in RTL, one program a shape,
# build/phy/N_W_L_C_SHARED_SERIAL_TICK_CRC_WIRES, TIME as SERIAL, or that and _CELLS_TAPS_HALF,
# and _mixed: with ends that are one of four (ofr_link_mixed.v); with .TWIN behind it, of RTL that phy_twin.sh has broken.

PHY_SHAPES := 3_32_128_8_0_1_8_16_8 2_16_32_4_1_0_10_16_3 2_16_16_4_0_1_11_16_1 \
    3_32_64_8_0_1_8_16_32 3_32_128_8_0_1_8_16_4_1_8_4 2_16_16_2_0_0_10_16_2_0_1_1_mixed
# Double data rate without delays at the pins
PHY_SOAKED := 2_16_32_4_1_0_10_16_3_1_1_1
PHY_CABLE := $(PHY_SHAPES:%=$(B)/phy/%/link_cable)
PHY_SOAKED_CABLE := $(PHY_SOAKED:%=$(B)/phy/%/link_cable)
PHY_TWINS := $(patsubst %,$(B)/phy/3_32_128_8_0_1_8_16_8.%/link_cable,align skew retrain track) \
    $(B)/phy/3_32_64_8_0_1_8_16_32.overrun/link_cable \
    $(patsubst %,$(B)/phy/3_32_128_8_0_1_8_16_4_1_8_4.%/link_cable,slip eye) \
    $(B)/phy/2_16_16_2_0_0_10_16_2_0_1_1_mixed.slide/link_cable
PHY_V := $(LINK_V) $(sort $(wildcard rtl/link/phy/*.v)) sim/cosim/ofr_link_mixed.v
PHY_O := $(patsubst %,$(B)/sim/cosim/%.o,link_cable link_bench link_report link_port pin_cable noise fabric)

phy_word = $(word $(2),$(subst _, ,$(basename $(1))))
$(PHY_CABLE) $(PHY_SOAKED_CABLE) $(PHY_TWINS): $(B)/phy/%/link_cable: $(PHY_V) rtl/link/ofr_link.vh rtl/link/phy/ofr_link_phy.vh \
        sim/cosim/phy_rtl.cpp sim/cosim/phy_rtl.h sim/cosim/link_pins.h sim/cosim/verilated_bits.h \
        tests/lib/random_state.h $(PHY_O) $(B)/libofr.a sim/cosim/phy.mk \
        sim/cosim/phy_twin.sh
	@mkdir -p $(@D)
	@echo "verilator: link at its pins $*"
	@rm -f $@
	@sh sim/cosim/phy_twin.sh $* $(PHY_V) > $(@D)/files
	@verilator --cc --exe --build -O3 --language 1800-2017 \
	    --x-assign unique --x-initial unique -Irtl/link -Irtl/link/phy \
	    -GN=$(call phy_word,$*,1) -GW=$(call phy_word,$*,2) -GL=$(call phy_word,$*,3) \
	    -GC=$(call phy_word,$*,4) -GSHARED=$(call phy_word,$*,5) \
	    -GSERIAL=$(call phy_word,$*,6) -GTIME=$(call phy_word,$*,6) -GTICK=$(call phy_word,$*,7) \
	    -GCRC_CHECK=$(call phy_word,$*,8) -GWIRES=$(call phy_word,$*,9) \
	    -GCELLS=$(or $(call phy_word,$*,10),0) -GTAPS=$(or $(call phy_word,$*,11),1) \
	    -GHALF=$(or $(call phy_word,$*,12),1) \
	    --top-module ofr_link_$(if $(call phy_word,$*,13),mixed,cabled) --Mdir $(@D)/v \
	    -CFLAGS "-O2 -std=gnu++17 -I$(CURDIR)/sim/cosim -I$(CURDIR)/sim/model \
	        -I$(CURDIR)/firmware -I$(CURDIR)/tests/lib \
	        -DSHAPE_N=$(call phy_word,$*,1) -DSHAPE_W=$(call phy_word,$*,2) \
	        -DSHAPE_L=$(call phy_word,$*,3) -DSHAPE_C=$(call phy_word,$*,4) \
	        -DSHAPE_SHARED=$(call phy_word,$*,5) -DSHAPE_SERIAL=$(call phy_word,$*,6) \
	        -DSHAPE_TICK=$(call phy_word,$*,7) -DSHAPE_CRC=$(call phy_word,$*,8) \
	        -DSHAPE_WIRES=$(call phy_word,$*,9) -DSHAPE_CELLS=$(or $(call phy_word,$*,10),0) \
        -DSHAPE_TAPS=$(or $(call phy_word,$*,11),1) -DSHAPE_HALF=$(or $(call phy_word,$*,12),1) \
        -DSHAPE_MIXED=$(if $(call phy_word,$*,13),1,0)" \
	    $$(cat $(@D)/files) $(CURDIR)/sim/cosim/phy_rtl.cpp $(abspath $(PHY_O) $(B)/libofr.a) \
	    -LDFLAGS -lm -MAKEFLAGS "OPT_FAST=-O3 OPT_SLOW=-O1 OPT_GLOBAL=-O2" -o ../link_cable \
	    > $(@D)/log 2>&1 || { cat $(@D)/log; rm -f $@; exit 1; }

# Random cables; SEED replays
PHY_RUNS ?= 10
PHY_TESTS := $(PHY_SHAPES:%=$(B)/tests/phy_%)
TESTS += $(PHY_TESTS) sim/cosim/phy_test.sh
sim/cosim/phy_test.sh: $(PHY_CABLE) $(PHY_TWINS)
$(PHY_TESTS): $(B)/tests/phy_%: $(B)/phy/%/link_cable sim/cosim/phy.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s --runs $(PHY_RUNS) --cycles 60000 --seed "$${SEED:-1}"\n' $< > $@
	@chmod +x $@

SOAK += $(B)/tests/phy_soak
SOAKED += $(PHY_CABLE)
sim/cosim/soak.sh: $(PHY_CABLE)
$(B)/tests/phy_soak: $(PHY_CABLE) $(PHY_SOAKED_CABLE)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nset -e\nfor s in $(PHY_SHAPES) $(PHY_SOAKED); do\n    %s %s\ndone\n' \
	    '$(B)/phy/$$s/link_cable' \
	    '--runs 1000 --cycles 300000 --seed "$${SEED:-100000}"' > $@ && chmod +x $@
