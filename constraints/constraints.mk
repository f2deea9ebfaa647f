# SPDX-License-Identifier: Apache-2.0
# Bitstreams: `make bitstream BOARD=name`, README.md. SERIAL: the board's serial number, 16 hex
# digits; such a bitstream has a folder of its own. RECORD=1: the figures go into README.md.
BOARD_FACTS := $(B)/constraints/board
export BOARD_FACTS
BITSTREAM = $(B)/bitstream/$(BOARD)$(addprefix -,$(SERIAL))

TESTS += constraints/board_test.sh

$(BOARD_FACTS): constraints/board.c tests/verilog_inputs.c tests/verilog_inputs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -o $@ $(filter %.c,$^) -ljansson

constraints/board_test.sh: $(BOARD_FACTS)

.PHONY: bitstream
bitstream: $(BOARD_FACTS) $(B)/firmware/flash.bin
	@FIRMWARE=$(B)/firmware/flash.bin sh constraints/bitstream.sh '$(BOARD)' '$(BITSTREAM)' $(SERIAL)
	@$(BOARD_FACTS) result '$(BOARD)' '$(BITSTREAM)' $(if $(RECORD),record)
	@echo 'bitstream: $(BITSTREAM)/flash.bin'
