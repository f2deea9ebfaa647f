# SPDX-License-Identifier: Apache-2.0
# Bitstreams: `make bitstream BOARD=name`, README.md. SERIAL: the board's serial number, 16 hex
# digits. RECORD=1: the figures go into README.md.
BOARD_FACTS := $(B)/constraints/board
PATCH := $(B)/constraints/patch
export BOARD_FACTS PATCH
ICE40 = $(filter ice40%,$(BOARD))
BITSTREAM = $(B)/bitstream/$(BOARD)
# In a recipe: the image's name, or the refusal of a SERIAL
IMAGE = serial=$$(sh constraints/serial.sh "$$SERIAL") && image=$(BITSTREAM)/flash$${serial:+-$$serial}.bin

TESTS += constraints/board_test.sh constraints/seeds_test.sh constraints/release_test.sh

$(BOARD_FACTS): constraints/board.c constraints/header.c constraints/header.h \
    tests/verilog_inputs.c tests/verilog_inputs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -o $@ $(filter %.c,$^) -ljansson

# Pictures of headers with cables: make docs draws them, the test says whether they are of the records.
DRAWING := $(B)/constraints/drawing
HEADERS := $(patsubst %.json,%,$(shell grep -l '^  "header"' constraints/*.json))
DOCS += $(HEADERS:%=%.svg)
$(HEADERS:%=%.svg): %.svg: %.json $(HEADERS:%=%.json) $(DRAWING)
	$(DRAWING) $(*F) > $@.new && mv $@.new $@

$(DRAWING): constraints/drawing.c constraints/header.c constraints/header.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $(filter %.c,$^) -ljansson

$(PATCH): constraints/patch.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< -ljansson

constraints/board_test.sh constraints/release_test.sh: $(BOARD_FACTS) $(PATCH) $(DRAWING) $(B)/firmware/flash.bin

.PHONY: bitstream
bitstream: $(BOARD_FACTS)
	@$(BOARD_FACTS) facts "$$BOARD" > /dev/null
	@$(IMAGE)
	@$(MAKE) -s $(B)/ecp5/$(if $(ICE40),ice40,stamp) $(PATCH) $(B)/firmware/flash.bin $(B)/firmware/fw.hex
	@sh constraints/bitstream.sh '$(BOARD)' '$(BITSTREAM)'
	@$(BOARD_FACTS) result '$(BOARD)' '$(BITSTREAM)' $(if $(RECORD),record)
	@FIRMWARE=$(B)/firmware/flash.bin FIRMWARE_HEX=$(B)/firmware/fw.hex \
	    sh constraints/image.sh '$(BOARD)' '$(BITSTREAM)' "$$SERIAL"
	@$(IMAGE) && echo "bitstream: $$image"

# What the boards' clocks come to, or those of BOARDS, with SEEDS placements each: ten minutes for one.
.PHONY: report-boards
SEEDS_TABLE := $(B)/constraints/seeds
$(SEEDS_TABLE): constraints/seeds.c tests/verilog_inputs.c tests/verilog_inputs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -o $@ $(filter %.c,$^) -ljansson

constraints/seeds_test.sh: $(BOARD_FACTS) $(SEEDS_TABLE)

report-boards: $(BOARD_FACTS) $(SEEDS_TABLE)
	@for board in $(BOARDS); do \
	    case $$board in ice40*) tools=ice40 ;; *) tools=stamp ;; esac; \
	    $(MAKE) -s $(B)/ecp5/$$tools && ALL='$(ALL)' SEEDS_TABLE=$(SEEDS_TABLE) \
	    sh constraints/seeds.sh $$board $(B)/bitstream/$$board $$(seq $(SEEDS)) || exit; done

# How far apart the wires of a cable may be, from the bitstream that is there.
.PHONY: pin-times
pin-times: $(BOARD_FACTS)
	@sh constraints/pin_times.sh "$$BOARD" '$(BITSTREAM)'

# All boards' bitstreams in one package, or those of BOARDS.
.PHONY: release
BOARDS ?= $(sort $(basename $(notdir $(wildcard constraints/*.json))))
release: $(BOARD_FACTS)
	@for board in $(BOARDS); do $(BOARD_FACTS) facts $$board > /dev/null || exit; done
	@for board in $(BOARDS); do $(MAKE) --no-print-directory bitstream BOARD=$$board SERIAL= || exit; done
	@BITSTREAMS=$(B)/bitstream FIRMWARE=$(B)/firmware/flash.bin FIRMWARE_HEX=$(B)/firmware/fw.hex \
	    sh constraints/release.sh $(B)/release $(BOARDS)

# Onto a board that is plugged in: what was built.
.PHONY: flash
flash: $(BOARD_FACTS)
	@$(BOARD_FACTS) facts "$$BOARD" > /dev/null
	@$(IMAGE) || exit 2; why=; \
	    sh constraints/made.sh "$$BOARD" '$(BITSTREAM)' || why='of other inputs than there are now'; \
	    [ -e "$$image" ] || why='not there'; \
	    [ -z "$$why" ] || { echo "flash: $$image is $$why; first:" \
	    "make bitstream BOARD=$$BOARD$${serial:+ SERIAL=$$serial}" >&2; exit 2; }
	@$(MAKE) -s $(B)/bin/torusctl
	@$(IMAGE) && $(B)/bin/torusctl flash --board "$$BOARD" "$$image"
