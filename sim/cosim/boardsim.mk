# SPDX-License-Identifier: Apache-2.0
# boardsim: one Verilated board for two and one for three dimensions and a small one, each with plain
# links and with reliable ones, and one with their physical layer, instantiated as often as the torus needs.
BS      := $(B)/cosim/board
BS_V    := $(wildcard rtl/board/*.v rtl/router/*.v rtl/ofr/*.v rtl/local/*.v rtl/soc/*.v \
           rtl/link/*.v rtl/link/phy/*.v rtl/channel/*.v rtl/datagram/*.v rtl/collective/*.v rtl/user/*.v) $(CORE_SRC)
BS_SHIM := sim/cosim/rtl_board.cpp
BS_HDR  := tests/lib/random_state.h sim/cosim/rtl_board.h sim/cosim/serial_line.h sim/cosim/spi_flash.h sim/cosim/port_pins.h \
           sim/cosim/verilated_bits.h \
           $(wildcard sim/model/*.h)
VERILATOR_INC = $(shell verilator --getenv VERILATOR_ROOT)/include

# N W L C MUL, OFR_WITHOUT_* of what is left out, FLASH, and parameters of the SoC
BOARD_2 := 2 32 16 8 1 0 0 RAM_BYTES=32768
BOARD_3 := 3 32 16 8 1 0 0 RAM_BYTES=32768
BOARD_small := 2 16 16 4 0 27 1 RAM_BYTES=2048 GEN=0 CHECK=0 COUNT=0 TIMER_BITS=40 SMALL=1 RX_DEPTH=512
# With ends of reliable links, words at the pins
BOARD_2_link := $(BOARD_2) LINK=1 TIME=1
BOARD_3_link := $(BOARD_3) LINK=1 TIME=1
# Without the OFR unit, besides
BOARD_small_link := 2 16 16 4 0 59 $(wordlist 7,99,$(BOARD_small)) OFR=0 LINK=1 SHARED=1 SERIAL=0
# ... and channels with collectives and datagrams, as BOARD_CHANNELS and its neighbours in board.h say
BOARD_2_channels := $(BOARD_2_link) CHANNELS=8 COLLECTIVES=4 DATAGRAMS=4
# ... and a user's core, which has the first of these, as BOARD_USER of board.h says
BOARD_2_user := $(BOARD_2_channels) USER=4
# With the physical layer, cables of four data wires and a clock each way at the pins
BOARD_2_phy := $(BOARD_2) LINK=2 WIRES=4 TICK=9
bs_word = $(word $(1),$(BOARD_$*))

PROGRAMS += $(B)/bin/boardsim
LINT_V += $(wildcard rtl/board/*.v)
LINT_TOPS += ofr_board ofr_board:N=3 \
    ofr_board:W=16:C=4:MUL=0:GEN=0:CHECK=0:PINS=0:COUNT=0:FLASH=1:RAM_BYTES=2048:TIMER_BITS=33 \
    ofr_board:LINK=1 ofr_board:LINK=1:TIME=1:CHANNELS=8:DATAGRAMS=4:COLLECTIVES=4:USER=4 ofr_board:N=3:LINK=2:TIME=1:WIRES=4 \
    ofr_board:W=16:C=4:MUL=0:OFR=0:FLASH=1:RAM_BYTES=2048:GEN=0:CHECK=0:COUNT=0:LINK=1:SHARED=1:SERIAL=0 \
    ofr_board:W=16:C=4:MUL=0:OFR=0:FLASH=1:RAM_BYTES=2048:GEN=0:CHECK=0:COUNT=0:LINK=3:WIRES=2:SMALL=1

# The Verilated board of each, and what wraps it for C. The headers of the model matter only to the
# latter. Verilator's makefile ends the compiler's flags with OPT_FAST, -Os unless it is given. What
# clang makes of it takes 8% less time than gcc's, so where it is there it is taken.
BS_CLANG = $(shell command -v clang++-14)
BS_ALL := $(foreach b,2 3 small 2_link 3_link small_link 2_channels 2_user 2_phy,$(BS)$(b)/board.a)
$(BS)%/verilated: $(BS_V) rtl/regs/ofr_defs.vh $(wildcard rtl/link/*.vh rtl/link/phy/*.vh) sim/cosim/boardsim.mk
	@mkdir -p $(@D)
	@echo "verilator: board $*"
	@verilator --cc --build --compiler $(if $(BS_CLANG),clang,gcc) -O3 --language 1800-2017 --noassert \
	    --x-assign fast --x-initial unique -Irtl/regs -Irtl/link -Irtl/link/phy \
	    --prefix Vboard$* --top-module ofr_board \
	    -GN=$(call bs_word,1) -GW=$(call bs_word,2) -GL=$(call bs_word,3) \
	    -GC=$(call bs_word,4) -GMUL=$(call bs_word,5) \
	    -GFLASH=$(call bs_word,7) $(CORE_G) $(addprefix -G,$(wordlist 8,99,$(BOARD_$*))) -GUART_DIVISOR=4 \
	    '-GINIT="$(if $(filter 1,$(call bs_word,7)),,fw.hex)"' \
	    --Mdir $(@D)/v -CFLAGS "-std=gnu++17" \
	    -MAKEFLAGS "CXX=$(or $(BS_CLANG),$(CXX)) OPT_FAST=-O2 OPT_SLOW=-O0" \
	    $(BS_V) > $(@D)/log 2>&1 || \
	    (cat $(@D)/log; false)
	@touch $@

$(BS_ALL): $(BS)%/board.a: $(BS)%/verilated $(BS_SHIM) $(BS_HDR)
	$(CXX) -O2 -std=gnu++17 -Isim/model -Ifirmware -Isim/cosim -Itests/lib -I$(@D)/v -isystem $(VERILATOR_INC) \
	    -isystem $(VERILATOR_INC)/vltstd -DRTL_TOP=Vboard$* -DRTL_HEADER='"Vboard$*.h"' \
	    -DSHAPE_N=$(call bs_word,1) -DSHAPE_W=$(call bs_word,2) -DSHAPE_L=$(call bs_word,3) \
	    -DSHAPE_C=$(call bs_word,4) -DSHAPE_MUL=$(call bs_word,5) \
	    -DSHAPE_LINK=$(if $(filter LINK=1,$(BOARD_$*)),true,false) \
	    -DSHAPE_SHARED=$(if $(filter SHARED=1,$(BOARD_$*)),true,false) -DSHAPE_WITHOUT=$(call bs_word,6) -DSHAPE_FLASH=$(call bs_word,7) \
	    -DSHAPE_CHANNELS=$(or $(patsubst CHANNELS=%,%,$(filter CHANNELS=%,$(BOARD_$*))),0) \
	    -DSHAPE_WIRES=$(or $(patsubst WIRES=%,%,$(filter WIRES=%,$(BOARD_$*))),0) \
	    -DOPS=rtl_board_$* -c -o $(@D)/shim.o $(BS_SHIM)
	cp $(@D)/v/Vboard$*__ALL.a $@
	ar rs $@ $(@D)/shim.o 2>/dev/null

# The flash's content goes into the program as it is.
$(BS)/flash.o: $(B)/firmware/flash.bin
	@mkdir -p $(@D)
	cd $(<D) && ld -r -b binary -z noexecstack -o $(abspath $@) $(<F)

$(BS)/%.o: sim/cosim/%.c $(wildcard sim/cosim/*.h) $(BS_HDR) firmware/fw.h firmware/protocol.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Isim/cosim -c -o $@ $<

$(BS)/verilated.o $(BS)/verilated_threads.o: $(BS)/%.o:
	@mkdir -p $(@D)
	$(CXX) -O2 -std=gnu++17 -isystem $(VERILATOR_INC) -isystem $(VERILATOR_INC)/vltstd -c -o $@ \
	    $(VERILATOR_INC)/$*.cpp

# Its version is libtorus's.
$(BS)/options.o: host/lib/libtorus.h
$(BS)/options.o: CPPFLAGS += -DBOARDSIM_VERSION='"$(shell sh tests/version.sh)"'

# Lower layers first (README.md).
BS_C := basics unix_listen spi_flash golden_soc board ftdi_chip usbip options falls cables ledger clocks noise reliable phy_cables times steps control uarts at_pins boardsim
BS_O := $(addprefix $(BS)/,$(BS_C:%=%.o) flash.o verilated.o verilated_threads.o)
# It reads fw.hex when it makes RTL boards: from $(B)/firmware, or where it is installed.
$(B)/bin/boardsim: $(BS_O) $(BS_ALL) $(B)/libofr.a $(B)/libfw.a $(B)/firmware/fw.hex
	@mkdir -p $(@D)
	$(CXX) -o $@ $(filter-out %.hex,$^) $(firstword $(BS_ALL)) -lpthread -latomic -lm

# Its threads under ThreadSanitizer, which sees all but Verilator's and the model's code; and a twin in which
# boards are stepped before there is a stretch.
TWIN_races := s/taken, UINT32_MAX/taken, 0/
BS_RACES := $(B)/races/boardsim $(B)/twin/races/boardsim
$(BS_RACES): %/boardsim: $(B)/bin/boardsim
	@mkdir -p $(@D)
	@for c in $(filter-out steps,$(BS_C)); do $(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -DBOARDSIM_VERSION='"0"' \
	    -Isim/cosim -fsanitize=thread -c -o $(@D)/$$c.o sim/cosim/$$c.c || exit; done
	@sed '$(if $(findstring twin,$@),$(TWIN_races))' sim/cosim/steps.c > $(@D)/steps.c
	@$(if $(findstring twin,$@),! cmp -s sim/cosim/steps.c $(@D)/steps.c)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Isim/cosim -fsanitize=thread -c -o $(@D)/steps.o $(@D)/steps.c
	@$(CXX) -fsanitize=thread -o $@ $(BS_C:%=$(@D)/%.o) $(filter %/flash.o %/verilated.o %/verilated_threads.o,$(BS_O)) \
	    $(BS_ALL) $(B)/libofr.a $(B)/libfw.a $(firstword $(BS_ALL)) -lpthread -latomic -lm
SOAK += sim/cosim/boardsim_soak.sh
sim/cosim/boardsim_soak.sh: $(BS_RACES)

# Its twin whose elastic buffers do not say that they are full.
$(B)/twin/elastic/bin/boardsim: $(B)/bin/boardsim
	@mkdir -p $(@D)
	@sed 's/e->count <= .*;/true;/' sim/cosim/clocks.c > $(@D)/clocks.c && \
	    ! cmp -s sim/cosim/clocks.c $(@D)/clocks.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Isim/cosim -c -o $(@D)/clocks.o $(@D)/clocks.c
	@$(CXX) -o $@ $(filter-out %/clocks.o,$(BS_O)) $(@D)/clocks.o $(BS_ALL) $(B)/libofr.a \
	    $(B)/libfw.a $(firstword $(BS_ALL)) -lpthread -latomic -lm

# Its twin whose links take every frame for good.
$(B)/twin/crc/bin/boardsim: $(B)/bin/boardsim
	@mkdir -p $(@D) $(B)/twin/crc/firmware
	@cp $(B)/firmware/fw.hex $(B)/twin/crc/firmware/ # for RTL boards
	@sed 's/bad = (word ^ r->crc) & looked_at;/bad = false;/' sim/model/link.c > $(@D)/link.c && \
	    ! cmp -s sim/model/link.c $(@D)/link.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $(@D)/link.o $(@D)/link.c
	@$(CXX) -o $@ $(BS_O) $(@D)/link.o $(BS_ALL) $(B)/libofr.a \
	    $(B)/libfw.a $(firstword $(BS_ALL)) -lpthread -latomic -lm

# Its twin whose physical layer sends a word in every cycle.
$(B)/twin/block/bin/boardsim: $(B)/bin/boardsim
	@mkdir -p $(@D)
	@sed 's/!s->clocks || e->block != 0;/!s->clocks || true;/' sim/cosim/reliable.c > $(@D)/reliable.c && \
	    ! cmp -s sim/cosim/reliable.c $(@D)/reliable.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Isim/cosim -c -o $(@D)/reliable.o $(@D)/reliable.c
	@$(CXX) -o $@ $(filter-out %/reliable.o,$(BS_O)) $(@D)/reliable.o $(BS_ALL) $(B)/libofr.a \
	    $(B)/libfw.a $(firstword $(BS_ALL)) -lpthread -latomic -lm

TESTS += sim/cosim/reliable_test.sh
sim/cosim/reliable_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/twin/crc/bin/boardsim \
    $(B)/twin/block/bin/boardsim

# Its twins whose boards' time takes the cable for no part of what it measures; keeps no rate.
TIME_TWINS := $(patsubst %,$(B)/twin/%/bin/boardsim,time_cable time_rate)
TWIN_time_cable := s/(here - there)/(2 * here + 0 * there)/
TWIN_time_rate := s/t->rate += /(void)/
$(TIME_TWINS): $(B)/twin/%/bin/boardsim: $(B)/bin/boardsim
	@mkdir -p $(@D)
	@sed '$(TWIN_$*)' sim/model/node_time.c > $(@D)/node_time.c && \
	    ! cmp -s sim/model/node_time.c $(@D)/node_time.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $(@D)/node_time.o $(@D)/node_time.c
	@$(CXX) -o $@ $(BS_O) $(@D)/node_time.o $(BS_ALL) $(B)/libofr.a \
	    $(B)/libfw.a $(firstword $(BS_ALL)) -lpthread -latomic -lm

TESTS += sim/cosim/times_test.sh
sim/cosim/times_test.sh: $(B)/bin/boardsim $(TIME_TWINS)

# Its twin whose links come up without being re-based.
$(B)/twin/rebase/bin/boardsim: $(B)/bin/boardsim
	@mkdir -p $(@D)
	@sed 's/= l->phase == LINK_TRAINS;/= false;/' sim/cosim/falls.c > $(@D)/falls.c && \
	    ! cmp -s sim/cosim/falls.c $(@D)/falls.c
	@$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Isim/cosim -c -o $(@D)/falls.o $(@D)/falls.c
	@$(CXX) -o $@ $(filter-out %/falls.o,$(BS_O)) $(@D)/falls.o $(BS_ALL) $(B)/libofr.a \
	    $(B)/libfw.a $(firstword $(BS_ALL)) -lpthread -latomic -lm

TESTS += sim/cosim/channels_test.sh
sim/cosim/channels_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl

TESTS += sim/cosim/layers_test.sh
sim/cosim/layers_test.sh: $(B)/bin/boardsim

INSTALL_BIN += $(B)/bin/boardsim
INSTALL_SHARE += $(B)/firmware/fw.hex
INSTALL_MAN1 += sim/cosim/boardsim.1
