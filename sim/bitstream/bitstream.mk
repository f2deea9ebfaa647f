# SPDX-License-Identifier: Apache-2.0
# Decoded bitstreams: `make bitstream-test BOARD=name` (README.md), and in `make soak`.
SOAK += $(B)/tests/bitstream_soak
TESTS += sim/bitstream/ice40_test.sh
FLIPS := $(B)/sim/flips

$(FLIPS): sim/bitstream/flips.c sim/bitstream/ice40.c sim/bitstream/ice40_map.c sim/cosim/spi_flash.c \
    $(wildcard sim/bitstream/*.h) sim/cosim/spi_flash.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Isim/bitstream -Isim/cosim -o $@ $(filter %.c,$^)

sim/bitstream/ice40_test.sh: $(FLIPS)

.PHONY: bitstream-test
BITSTREAM_TEST := $(B)/constraints/board $(FLIPS) $(B)/firmware/flash.bin $(B)/bin/torusctl
bitstream-test: $(BITSTREAM_TEST)
	@$(B)/constraints/board facts '$(BOARD)' > /dev/null && \
	    sh sim/bitstream/bitstream_test.sh '$(BOARD)'

$(B)/tests/bitstream_soak: $(BITSTREAM_TEST)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFLIPS=100 exec sh sim/bitstream/bitstream_test.sh ice40hx8k-b-evn\n' > $@ && chmod +x $@
