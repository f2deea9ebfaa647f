# SPDX-License-Identifier: Apache-2.0
# Applications on the torus: a host program each and, but for sort, a kernel at the pins of the boards'
# channels, Verilated into a shared object for boardsim --logic. make example-NAME runs one.

EXAMPLES   := jacobi sort gradients
EX         := $(B)/examples
EX_KERNELS := jacobi gradients
EX_BIN     := $(foreach e,$(EXAMPLES),$(EX)/$e)
EX_SO      := $(EX_KERNELS:%=$(EX)/%.so)
EX_H       := host/examples/common/example.h host/lib/libtorus.h firmware/ofr_regs.h
LINT_V     += $(wildcard host/examples/*/*.v)
LINT_TOPS  += jacobi jacobi:LOG=6:LINE=3 gradients gradients:LOG=4
LINT_C     += $(wildcard host/examples/*/*.c)
LINT_CFLAGS += -Ihost/examples/common

$(EX)/common/%.o: host/examples/common/%.c $(EX_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -c -o $@ $<

EX_C = $(CC) $(CPPFLAGS) -Ihost/lib -Ihost/examples/common $(CFLAGS)
EX_LIBS := $(EX)/common/example.o $(B)/libtorus.a $(B)/libofr.a
$(EX_BIN): $(EX)/%: host/examples/%/main.c $(EX_H) $(EX_LIBS)
	@mkdir -p $(@D)
	$(EX_C) -o $@ $< $(EX_LIBS) $(USB_LIBS) $(LDLIBS)

# Verilator's own part, the same in all of them.
EX_VERILATED := $(EX)/common/verilated.o $(EX)/common/verilated_threads.o
$(EX_VERILATED): $(EX)/common/%.o: host/examples.mk
	@mkdir -p $(@D)
	$(OBJCACHE) $(CXX) -O1 -std=gnu++17 -fPIC -isystem $(VERILATOR_INC) -isystem $(VERILATOR_INC)/vltstd -c -o $@ \
	    $(VERILATOR_INC)/$*.cpp

# FILE.so of what the module named before the first - in FILE is, with what it needs.
EX_NEEDS_gradients := $(patsubst %,rtl/collective/ofr_collective%.v,_up _down _word) rtl/collective/ofr_collective.v
ex_logic = mkdir -p $(@D)/$(*F).made && { MAKEFLAGS= verilator --cc --build -j 1 -O3 --language 1800-2017 \
    --x-assign unique --x-initial unique --top-module $(1) --prefix V$(1) --Mdir $(@D)/$(*F).made/v \
    -MAKEFLAGS "OPT_FAST=-O1 OPT_SLOW=-O0 VM_PARALLEL_BUILDS=0" -CFLAGS "-fPIC" $(2) > $(@D)/$(*F).made/log 2>&1 || \
    { cat $(@D)/$(*F).made/log; exit 1; }; } && \
    echo '{ global: outflank_logic; local: *; };' > $(@D)/$(*F).made/map && \
    $(CXX) -O1 -std=gnu++17 -fPIC -shared -Wl,-z,defs -Wl,--version-script=$(@D)/$(*F).made/map -Isim/cosim -Itests/lib \
    -I$(@D)/$(*F).made/v -isystem $(VERILATOR_INC) -isystem $(VERILATOR_INC)/vltstd -DTOP=V$(1) \
    -DHEADER='"V$(1).h"' -o $@ sim/cosim/logic_rtl.cpp $(@D)/$(*F).made/v/V$(1)__ALL.a $(EX_VERILATED)
EX_SHIM := sim/cosim/logic_rtl.cpp sim/cosim/logic.h sim/cosim/verilated_bits.h tests/lib/random_state.h \
    $(EX_VERILATED)
$(EX)/jacobi.so: host/examples/jacobi/jacobi.v
$(EX)/gradients.so: host/examples/gradients/gradients.v $(EX_NEEDS_gradients)
$(EX_SO): $(EX)/%.so: $(EX_SHIM) host/examples.mk
	@echo 'verilator: kernel $*'
	@rm -f $@ && $(call ex_logic,$*,$(filter %.v,$^))

# The stencil as a program for the boards' user cores, and a twin that drops the halo's right column.
EX_SOFT := $(EX)/soft/jacobi.bin $(EX)/twin/soft/jacobi.bin
EX_RV    = $(RV)gcc $(RVFLAGS) -Ifirmware/user -Os -c -o $@
$(EX)/soft/jacobi.o: host/examples/jacobi/soft.c $(USER_H)
	@mkdir -p $(@D)
	$(EX_RV) $<
$(EX)/twin/soft/jacobi.o: host/examples/jacobi/soft.c $(USER_H) host/examples.mk
	@mkdir -p $(@D)
	@sed 's/else if (sides >> side/else if (!side \&\& sides >> side/' $< > $(@:.o=.c) && ! cmp -s $< $(@:.o=.c)
	@$(EX_RV) $(@:.o=.c)
$(EX_SOFT): $(EX)/%.bin: firmware/user/user.ld $(USER)/start.o $(EX)/%.o $(USER_LIB)
	$(FW_LINK) -Wl,--defsym=_ram_bytes=$(USER_RAM) -T $^ -lgcc -Wl,--no-warn-rwx-segments -o $(@:.bin=.elf)
	$(RV)objcopy -O binary $(@:.bin=.elf) $@

# Twins: a kernel that drops the halo's right column; a host that asks for the wrong reduction; one that
# does not sort what has come.
EX_TWINS := $(EX)/twin/jacobi.so $(EX)/twin/gradients $(EX)/twin/sort
$(EX)/twin/jacobi.so: $(EX)/twin/%.so: host/examples/jacobi/jacobi.v $(EX_SHIM) host/examples.mk
	@mkdir -p $(@D)
	@sed 's/write    = halo;/write    = halo \&\& !pick[1];/' $< > $(@D)/jacobi.v && ! cmp -s $< $(@D)/jacobi.v
	@rm -f $@ && $(call ex_logic,jacobi,$(@D)/jacobi.v)
EX_TWIN_gradients := s/= OFR_COLLECTIVE_SUM/= OFR_COLLECTIVE_MAX/
EX_TWIN_sort      := s/qsort(s->part.m., .*by_key)/(void)by_key/
$(EX)/twin/gradients $(EX)/twin/sort: $(EX)/twin/%: host/examples/%/main.c $(EX_H) $(EX_LIBS) host/examples.mk
	@mkdir -p $(@D)
	@sed '$(EX_TWIN_$*)' $< > $@.c && ! cmp -s $< $@.c
	@$(EX_C) -w -o $@ $@.c $(EX_LIBS) $(USB_LIBS) $(LDLIBS)

# Kernels that are given what cannot be.
$(EX)/test/kernel_calls: host/examples/test/kernel_calls.c $(EX_H) $(EX_LIBS)
	@mkdir -p $(@D)
	$(EX_C) -o $@ $< $(EX_LIBS) $(USB_LIBS) $(LDLIBS)

EX_ALL := $(B)/bin/boardsim $(B)/bin/torusctl $(B)/libtorus.so $(EX_BIN) $(EX_SO) $(EX_SOFT) $(EX_TWINS) \
    $(EX)/test/kernel_calls
TESTS += host/examples/test/examples_test.sh
host/examples/test/examples_test.sh: $(EX_ALL)
SOAK += $(B)/tests/examples_soak
$(B)/tests/examples_soak: host/examples/test/examples_test.sh
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFULL=1 exec sh host/examples/test/examples_test.sh\n' > $@ && chmod +x $@

.PHONY: $(EXAMPLES:%=example-%) $(EXAMPLES:%=example-plot-%)
# KERNEL=soft: of jacobi, on the boards' user cores.
$(EXAMPLES:%=example-%): example-%: $(B)/bin/boardsim $(EX)/% $(EX_SO) $(EX)/soft/jacobi.bin
	@KERNEL='$(KERNEL)' sh host/examples/example.sh $* run
# The picture in its README.
$(EXAMPLES:%=example-plot-%): example-plot-%: $(B)/bin/boardsim $(EX)/% $(EX_SO)
	@sh host/examples/example.sh $* plot
