# SPDX-License-Identifier: Apache-2.0
# What a board does after reset must not depend on what it woke up with. The Verilated boards are
# those of boardsim (sim/cosim/boardsim.mk).
POWER_UP := $(B)/rtl/board/test_power_up
POWER_UP_BOARDS := $(foreach b,2 3 small,$(B)/cosim/board$(b)/board.a)
TESTS += $(B)/tests/board_power_up

$(POWER_UP).o: rtl/board/test/test_power_up.c sim/cosim/rtl_board.h $(wildcard sim/model/*.h) \
    firmware/protocol.h firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isim/cosim $(CFLAGS) -c -o $@ $<

$(POWER_UP): $(POWER_UP).o $(POWER_UP_BOARDS) $(B)/cosim/board/verilated.o \
    $(B)/cosim/board/verilated_threads.o
	$(CXX) -o $@ $^ $(firstword $(POWER_UP_BOARDS)) -lpthread -latomic

# Boards with their firmware in RAM read fw.hex in the present folder.
$(B)/tests/board_power_up: $(POWER_UP) $(B)/firmware/fw.hex
	@mkdir -p $(@D)
	@printf '#!/bin/sh\ncd $(B)/firmware && exec $(abspath $(POWER_UP)) "$$@"\n' > $@
	@chmod +x $@

# The node against its golden model, with random register accesses. Lint of node and board is in
# sim/cosim/boardsim.mk.

NODE_V := rtl/board/ofr_node.v rtl/board/ofr_link_regs.v rtl/board/ofr_time.v $(wildcard rtl/router/*.v rtl/ofr/*.v rtl/local/*.v rtl/channel/*.v rtl/datagram/*.v rtl/collective/*.v rtl/user/*.v) \
    rtl/core/ofr_core.v rtl/core/rv32i.v rtl/soc/ofr_ram.v rtl/soc/ofr_timer.v
NODE_SHAPE := -DSHAPE_N=2 -DSHAPE_W=16 -DSHAPE_L=32 -DSHAPE_C=4

TESTS += $(B)/tests/test_node rtl/board/test/teeth.sh rtl/board/test/link_regs_test.sh \
    rtl/board/test/parameters.sh
rtl/board/test/teeth.sh: $(B)/tests/test_node
$(B)/tests/test_node: rtl/board/test/test_node.c rtl/board/test/node_shim.cpp \
        rtl/board/test/node_shim.h sim/cosim/port_pins.h sim/cosim/verilated_bits.h tests/lib/random_state.h $(NODE_V) rtl/regs/ofr_defs.vh \
        $(MODEL_H) $(B)/libofr.a
	@mkdir -p $(@D) $(B)/node
	@echo "verilator: node"
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	@$(CC) $(CPPFLAGS) -Irtl/board/test $(CFLAGS) -c -o $(B)/node/test_node.o $<
	@$(SHORT_VERILATOR) --cc --exe --build -j 1 -O3 --language 1800-2017 \
	    --x-assign unique --x-initial unique -Irtl/regs --top-module ofr_node \
	    -GN=2 -GW=16 -GL=32 -GC=4 -GMUL=0 -GLINKS=1 -GTIME=1 -GBITS=5 -GCHANNELS=3 -GDATAGRAMS=2 -GCOLLECTIVES=2 \
	    --Mdir $(B)/node/v \
	    -CFLAGS "-O2 -std=gnu++17 $(NODE_SHAPE) -I$(CURDIR)/rtl/board/test \
	        -I$(CURDIR)/sim/cosim -I$(CURDIR)/sim/model -I$(CURDIR)/firmware \
	        -I$(CURDIR)/tests/lib" \
	    $(NODE_V) $(CURDIR)/rtl/board/test/node_shim.cpp $(abspath $(B)/node/test_node.o) \
	    $(abspath $(B)/libofr.a) -o $(abspath $@) > $(B)/node/log 2>&1 || \
	    { cat $(B)/node/log; exit 1; }

# The same node with a user's core, and a program on it.
TESTS += $(B)/tests/node_user
NODE_USER_VERILATE = $(SHORT_VERILATOR) --cc --exe --build -j 1 -O3 --language 1800-2017 --x-assign unique \
    --x-initial unique -Irtl/regs --top-module ofr_node -GN=2 -GW=16 -GL=32 -GC=4 -GMUL=0 -GLINKS=1 -GTIME=1 \
    -GBITS=5 -GCHANNELS=3 -GDATAGRAMS=2 -GCOLLECTIVES=2 -GUSER=2 -CFLAGS "-O1 -std=gnu++17 $(NODE_SHAPE) \
    -I$(CURDIR)/rtl/board/test -I$(CURDIR)/sim/cosim -I$(CURDIR)/sim/model -I$(CURDIR)/firmware \
    -I$(CURDIR)/tests/lib"
NODE_USER_O = $(CURDIR)/rtl/board/test/node_shim.cpp $(abspath $(B)/node/test_node_user.o)
$(B)/node/test_node_user: rtl/board/test/test_node_user.c rtl/board/test/node_shim.cpp \
        rtl/board/test/node_shim.h sim/cosim/port_pins.h sim/cosim/verilated_bits.h tests/lib/random_state.h \
        $(NODE_V) rtl/regs/ofr_defs.vh $(MODEL_H)
	@mkdir -p $(@D)
	@echo "verilator: node with a user's core"
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	@$(CC) $(CPPFLAGS) -Irtl/board/test $(CFLAGS) -c -o $(B)/node/test_node_user.o $<
	@$(NODE_USER_VERILATE) --Mdir $(B)/node/v_user -o $(abspath $@) $(NODE_V) $(NODE_USER_O) \
	    > $(B)/node/log_user 2>&1 || { cat $(B)/node/log_user; exit 1; }
$(B)/tests/node_user: $(B)/node/test_node_user $(B)/rtl/user/programs/messages.bin
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s %s/rtl/user/programs/messages.bin "$$@"\n' $< $(B) > $@ && chmod +x $@

# Twins of its wiring.
SOAK += $(B)/tests/node_user_twins
$(B)/tests/node_user_twins: rtl/board/test/user_twins.sh $(B)/tests/node_user
	@printf '%s\n' '$(NODE_USER_VERILATE)' > $(B)/node/user_twins.command
	@printf '%s\n' '#!/bin/sh' 'exec sh rtl/board/test/user_twins.sh $(B)/node/user_twins \' \
	    '$(B)/rtl/user/programs/messages.bin "$$(cat $(B)/node/user_twins.command)" "$(NODE_V)" "$(NODE_USER_O)"' \
	    > $@ && chmod +x $@
