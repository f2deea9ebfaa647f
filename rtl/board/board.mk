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
