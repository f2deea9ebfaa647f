# SPDX-License-Identifier: Apache-2.0
# Decoded bitstreams: `make bitstream-test BOARD=name` (README.md), and in `make soak`.
SOAK += $(B)/tests/bitstream_soak sim/bitstream/pins_test.sh
TESTS += sim/bitstream/ice40_test.sh
FLIPS := $(B)/sim/flips
ECP5_NETLIST := $(B)/sim/ecp5_netlist
export ECP5_NETLIST

$(FLIPS): sim/bitstream/flips.c sim/bitstream/ice40.c sim/bitstream/ice40_run.c sim/bitstream/ice40_map.c sim/cosim/spi_flash.c \
    $(wildcard sim/bitstream/*.h) sim/cosim/spi_flash.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Isim/bitstream -Isim/cosim -o $@ $(filter %.c,$^)

sim/bitstream/ice40_test.sh: $(FLIPS)

sim/bitstream/pins_test.sh: $(BOARD_FACTS) $(B)/firmware/fw.hex $(B)/bin/torusctl

$(ECP5_NETLIST): sim/bitstream/ecp5_netlist.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< -ljansson

.PHONY: bitstream-test
BITSTREAM_TEST := $(BOARD_FACTS) $(PATCH) $(FLIPS) $(ECP5_NETLIST) $(B)/firmware/flash.bin $(B)/firmware/fw.hex \
    $(B)/bin/torusctl $(B)/bin/boardsim
bitstream-test: $(BITSTREAM_TEST)
	@$(BOARD_FACTS) facts '$(BOARD)' > /dev/null
	@$(MAKE) -s $(B)/ecp5/$(if $(ICE40),ice40,stamp)
	@sh sim/bitstream/bitstream_test.sh '$(BOARD)'

$(B)/tests/bitstream_soak: $(BITSTREAM_TEST) $(B)/ecp5/ice40
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFLIPS=100 exec sh sim/bitstream/bitstream_test.sh ice40hx8k-b-evn\n' > $@ && chmod +x $@
