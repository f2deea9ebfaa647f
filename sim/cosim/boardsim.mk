# SPDX-License-Identifier: Apache-2.0
# boardsim: one Verilated board for two and one for three dimensions, instantiated as often as the
# torus needs.
BS      := $(B)/cosim/board
BS_V    := $(wildcard rtl/board/*.v rtl/router/*.v rtl/ofr/*.v rtl/local/*.v rtl/soc/*.v) \
           rtl/core/rv32i.v
BS_W    := 32
BS_L    := 16
BS_C    := 8
BS_SHIM := sim/cosim/rtl_board.cpp
BS_HDR  := sim/cosim/rtl_board.h sim/cosim/verilated_bits.h $(wildcard sim/model/*.h)
VERILATOR_INC = $(shell verilator --getenv VERILATOR_ROOT)/include

PROGRAMS += $(B)/bin/boardsim
LINT_V += $(wildcard rtl/board/*.v)
LINT_TOPS += ofr_board ofr_board:N=3

# Verilated board of $* dimensions, with what wraps it for C.
$(BS)%/board.a: $(BS_V) rtl/regs/ofr_defs.vh $(BS_SHIM) $(BS_HDR) $(B)/firmware/fw.hex
	@mkdir -p $(@D)
	verilator --cc --build -O3 --language 1800-2017 --x-assign fast --x-initial fast \
	    --noassert -Irtl/regs --prefix Vboard$* --top-module ofr_board -GN=$* -GW=$(BS_W) \
	    -GL=$(BS_L) -GC=$(BS_C) -GRAM_BYTES=32768 -GUART_DIVISOR=4 \
	    '-GINIT="$(abspath $(B)/firmware/fw.hex)"' --Mdir $(@D)/v -CFLAGS "-O3 -std=gnu++17" \
	    -MAKEFLAGS "OBJCACHE=$(shell command -v ccache)" $(BS_V) > $(@D)/log 2>&1 || \
	    (cat $(@D)/log; false)
	$(CXX) -O2 -std=gnu++17 -Isim/model -Ifirmware -Isim/cosim -I$(@D)/v -isystem $(VERILATOR_INC) \
	    -isystem $(VERILATOR_INC)/vltstd -DRTL_TOP=Vboard$* -DRTL_HEADER='"Vboard$*.h"' \
	    -DSHAPE_N=$* -DSHAPE_W=$(BS_W) -DSHAPE_L=$(BS_L) -DSHAPE_C=$(BS_C) -DSHAPE_MUL=1 \
	    -DOPS=rtl_board_$*d -c -o $(@D)/shim.o $(BS_SHIM)
	cp $(@D)/v/Vboard$*__ALL.a $@
	ar rs $@ $(@D)/shim.o 2>/dev/null

$(BS)/%.o: sim/cosim/%.c sim/cosim/board.h $(BS_HDR) firmware/fw.h firmware/protocol.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -Isim/cosim -c -o $@ $<

$(BS)/verilated.o $(BS)/verilated_threads.o: $(BS)/%.o:
	@mkdir -p $(@D)
	$(CXX) -O2 -std=gnu++17 -isystem $(VERILATOR_INC) -isystem $(VERILATOR_INC)/vltstd -c -o $@ \
	    $(VERILATOR_INC)/$*.cpp

$(B)/bin/boardsim: $(BS)/boardsim.o $(BS)/board.o $(BS)2/board.a $(BS)3/board.a $(BS)/verilated.o $(BS)/verilated_threads.o \
    $(B)/libofr.a $(B)/libfw.a
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ $(BS)2/board.a -lpthread -latomic

INSTALL_BIN += $(B)/bin/boardsim
