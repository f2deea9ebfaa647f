# SPDX-License-Identifier: Apache-2.0
# Decoded bitstreams: `make bitstream-test BOARD=name [FLIPS=100]` (README.md), and in `make soak`.
SOAK += $(B)/tests/bitstream_soak $(B)/tests/wrong_bits_soak sim/bitstream/pins_test.sh
TESTS += sim/bitstream/ice40_test.sh sim/bitstream/stir_test.sh sim/bitstream/boards_test.sh
FLIP_BITS := $(B)/sim/flips
ECP5_NETLIST := $(B)/sim/ecp5_netlist
STIR := $(B)/sim/stir
CHATTER := $(B)/sim/chatter
GOLDEN := $(B)
export ECP5_NETLIST STIR GOLDEN

$(FLIP_BITS): sim/bitstream/flips.c sim/bitstream/ice40.c sim/bitstream/ice40_run.c sim/bitstream/ice40_map.c sim/cosim/spi_flash.c \
    $(wildcard sim/bitstream/*.h) sim/cosim/spi_flash.h sim/cosim/rng.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Isim/bitstream -Isim/cosim -o $@ $(filter %.c,$^) -lpthread

sim/bitstream/ice40_test.sh: $(FLIP_BITS) $(BOARD_FACTS)

sim/bitstream/pins_test.sh: $(BOARD_FACTS) $(B)/firmware/fw.hex $(B)/bin/torusctl $(B)/libofr.a $(B)/libfw.a

TESTS += sim/bitstream/golden_test.sh
sim/bitstream/golden_test.sh: $(BOARD_FACTS) $(B)/bin/torusctl $(B)/libofr.a $(B)/libfw.a

$(ECP5_NETLIST): sim/bitstream/ecp5_netlist.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< -ljansson

$(CHATTER): sim/bitstream/chatter.c sim/bitstream/number.h sim/cosim/rng.h firmware/protocol.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isim/cosim $(CFLAGS) -o $@ $<

$(STIR): sim/bitstream/stir.c sim/bitstream/number.h sim/cosim/rng.h $(HOST_O) $(HOST_H) $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/lib -Isim/cosim $(CFLAGS) -o $@ $< $(HOST_O) $(B)/libofr.a $(USB_LIBS)

sim/bitstream/boards_test.sh: $(B)/bin/boardsim $(BOARD_FACTS) $(PATCH) $(ECP5_NETLIST)

sim/bitstream/stir_test.sh: $(STIR) $(CHATTER) $(B)/bin/boardsim $(B)/bin/torusctl

.PHONY: bitstream-test
BITSTREAM_TEST := $(BOARD_FACTS) $(PATCH) $(FLIP_BITS) $(ECP5_NETLIST) $(STIR) $(B)/firmware/flash.bin $(B)/firmware/fw.hex \
    $(B)/bin/torusctl $(B)/bin/boardsim
bitstream-test: $(BOARD_FACTS)
	@$(BOARD_FACTS) facts "$$BOARD" > /dev/null
	@sh sim/bitstream/settings.sh "$$BOARD"
	@$(MAKE) -s $(B)/ecp5/$(if $(ICE40),ice40,stamp) $(BITSTREAM_TEST)
	@[ -z '$(FLIPS)' ] || FLIPS='$(FLIPS)' sh sim/bitstream/wrong_bits_test.sh '$(BOARD)'
	@sh sim/bitstream/bitstream_test.sh '$(BOARD)'

# One placement of the HX8K: the bytes of the table, which decoded answer a ping. Placed before the tests, which
# have a limit; what is wrong with it the test says.
TESTS += $(B)/tests/bitstream_ping
$(B)/tests/bitstream_ping: $(BITSTREAM_TEST) $(B)/bitstream/ice40hx8k-b-evn/placed
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nBRIEF=1 exec sh sim/bitstream/bitstream_test.sh ice40hx8k-b-evn\n' > $@ && chmod +x $@
.PHONY: $(B)/bitstream/ice40hx8k-b-evn/placed
$(B)/bitstream/ice40hx8k-b-evn/placed: $(BOARD_FACTS) $(B)/ecp5/ice40
	@sh constraints/bitstream.sh ice40hx8k-b-evn $(@D) || :

$(B)/tests/bitstream_soak $(B)/tests/wrong_bits_soak: $(B)/tests/%_soak: $(BITSTREAM_TEST) $(B)/ecp5/ice40
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec sh sim/bitstream/$*_test.sh ice40hx8k-b-evn\n' > $@ && chmod +x $@
