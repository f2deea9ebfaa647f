# SPDX-License-Identifier: Apache-2.0
# Network interface, traffic generator and checker: lint, and RTL against model in lockstep.

LOCAL_V := $(addprefix rtl/local/,ofr_local.v ofr_ni.v ofr_gen.v ofr_check.v ofr_pins.v)
LINT_V += $(LOCAL_V)
LINT_TOPS += ofr_local:N=2:W=16 ofr_local:N=2:W=32 ofr_local:N=3:W=32 ofr_local:N=3:W=64 \
    ofr_local:GEN=0:CHECK=0:PINS=0 ofr_local:N=3:PINS=0 ofr_local:CHANNELS=8 \
    ofr_local:N=3:W=64:GEN=0:CHANNELS=3 ofr_local:DATAGRAMS=4 \
    ofr_local:W=16:CHANNELS=2:PINS=0:DATAGRAMS=8 ofr_local:CHANNELS=5:COLLECTIVES=4 \
    ofr_local:W=64:CHANNELS=3:COLLECTIVES=1
LINT_C += rtl/local/test/lockstep.c

# One Verilated ofr_local per shape: N-W-WITHOUT[-CHANNELS[-DATAGRAMS[-COLLECTIVES]]],
# WITHOUT as in struct ofr_shape
LOCAL_SHAPES := 2-16-0 2-32-0 3-32-0 2-32-6 2-16-7 2-32-0-4-0-3 3-16-3-3 2-64-0-3-2-1 3-32-0-0-4
LOCAL_SOAKED := 2-64-0 3-16-0 3-64-0 2-16-1 3-32-3
LOCAL_TESTS := $(patsubst %,$(B)/tests/local-lockstep-%,$(LOCAL_SHAPES) $(LOCAL_SOAKED))
TESTS += $(LOCAL_SHAPES:%=$(B)/tests/local-lockstep-%)
SOAK += $(LOCAL_SOAKED:%=$(B)/tests/local-lockstep-%)
LOCAL_L = $(if $(local_channels),32,40)

LOCAL_O := $(addprefix $(B)/sim/model/,local.o ni.o gen.o check.o pins.o pattern.o torus.o \
    channels.o channel.o datagrams.o datagram.o collectives.o collective.o)
LOCAL_ALL_V := $(LOCAL_V) $(sort $(wildcard rtl/channel/*.v rtl/datagram/*.v rtl/collective/*.v))

local_n = $(firstword $(subst -, ,$*))
local_w = $(word 2,$(subst -, ,$*))
local_without = $(word 3,$(subst -, ,$*))
local_channels = $(word 4,$(subst -, ,$*))
local_datagrams = $(or $(word 5,$(subst -, ,$*)),0)
local_collectives = $(or $(word 6,$(subst -, ,$*)),0)

$(B)/local/%/lockstep.o: rtl/local/test/lockstep.c rtl/local/test/local_shim.h \
        $(wildcard sim/model/*.h) firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DN=$(local_n) -DW=$(local_w) -DL=$(LOCAL_L) \
	    -DWITHOUT=$(local_without) -DCHANNELS=$(or $(local_channels),0) \
	    -DDATAGRAMS=$(local_datagrams) -DCOLLECTIVES=$(local_collectives) -c -o $@ $<

$(LOCAL_TESTS): $(B)/tests/local-lockstep-%: $(B)/local/%/lockstep.o $(LOCAL_ALL_V) \
        rtl/local/test/local_shim.cpp rtl/local/test/local_shim.h tests/lib/clocked_rtl.h tests/lib/random_state.h \
        sim/cosim/user_pins.h sim/cosim/verilated_bits.h rtl/regs/outflank.json $(LOCAL_O)
	@mkdir -p $(@D)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SHORT_VERILATOR) -O3 --cc --exe --build -j 1 --language 1800-2017 --x-assign unique \
	    --x-initial unique -Irtl/regs \
	    --top-module ofr_local -GN=$(local_n) -GW=$(local_w) -GL=$(LOCAL_L) \
	    -GCHANNELS=$(or $(local_channels),0) -GDATAGRAMS=$(local_datagrams) \
	    -GCOLLECTIVES=$(local_collectives) \
	    -GGEN=$(if $(filter 1 3 5 7,$(local_without)),0,1) \
	    -GPINS=$(if $(filter 4 5 6 7,$(local_without)),0,1) \
	    -GCHECK=$(if $(filter 2 3 6 7,$(local_without)),0,1) \
	    -CFLAGS "-O2 -DW=$(local_w) -DCHANNELS=$(or $(local_channels),0) -I$(CURDIR)/rtl/local/test \
	    -I$(CURDIR)/tests/lib -I$(CURDIR)/sim/cosim" --Mdir $(B)/local/$*/v -o $(CURDIR)/$@ \
	    $(LOCAL_ALL_V) $(CURDIR)/rtl/local/test/local_shim.cpp $(CURDIR)/$(B)/local/$*/lockstep.o \
	    $(addprefix $(CURDIR)/,$(LOCAL_O)) \
	    > $(B)/local/$*/verilator.log || { cat $(B)/local/$*/verilator.log; exit 1; }
