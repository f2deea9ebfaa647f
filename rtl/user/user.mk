# SPDX-License-Identifier: Apache-2.0
# The user's core: lint, four of it Verilated in a ring with programs, and broken twins of it.

USER_V := $(addprefix rtl/user/,ofr_user.v ofr_user_ends.v ofr_user_console.v)
USER_T := rtl/user/test
USER_B := $(B)/rtl/user
USER_C := $(addprefix $(USER_T)/,test_user.c nodes.c)
LINT_TOPS += ofr_user ofr_user:W=16:ENDS=1:RAM_BYTES=1024:CONSOLE=8 \
    ofr_user:W=64:ENDS=16:RAM_BYTES=131072:CONSOLE=1024:TIMER_BITS=33
USER_SRC := $(USER_V) $(CORE_V) rtl/soc/ofr_ram.v rtl/soc/ofr_timer.v

# One Verilated ofr_user per shape: W_ENDS; make test has the first
USER_SHAPES := 32_4 16_2 64_2
USER_TESTS := $(USER_SHAPES:%=$(B)/tests/user_%)
TESTS += $(firstword $(USER_TESTS)) $(USER_T)/parameters.sh

user_flags = -DW=$(word 1,$(subst _, ,$(1))) -DENDS=$(word 2,$(subst _, ,$(1)))
user_verilate = $(SHORT_VERILATOR) -O3 --cc --exe --build -j 1 --language 1800-2017 --x-assign unique \
    --x-initial unique -Irtl/regs --top-module ofr_user $(patsubst -D%,-G%,$(call user_flags,$(1))) \
    -GCONSOLE=64 -CFLAGS "-O2 $(call user_flags,$(1)) -I$(CURDIR)/$(USER_T) -I$(CURDIR)/tests/lib \
    -I$(CURDIR)/sim/cosim"

$(USER_B)/%/bench.o: $(USER_C) $(USER_T)/nodes.h $(USER_T)/user_shim.h sim/cosim/rng.h $(MODEL_H) \
        firmware/user/jacobi.h $(USER_T)/collectives.h
	@mkdir -p $(@D)
	for f in $(USER_C); do $(CC) $(CPPFLAGS) $(CFLAGS) -Isim/cosim -Ifirmware/user $(call user_flags,$*) \
	    -c -o $(@D)/$$(basename $$f .c).o $$f || exit 1; done
	$(LD) -r -o $@ $(patsubst $(USER_T)/%.c,$(@D)/%.o,$(USER_C))

USER_EXE = $(CURDIR)/$(USER_T)/user_shim.cpp $(CURDIR)/$(USER_B)/$(1)/bench.o \
    $(CURDIR)/$(B)/sim/model/channel.o $(CURDIR)/$(B)/sim/model/channels.o
$(USER_SHAPES:%=$(USER_B)/%/test_user): $(USER_B)/%/test_user: $(USER_B)/%/bench.o $(USER_SRC) \
        $(B)/sim/model/channel.o $(B)/sim/model/channels.o $(USER_T)/user_shim.cpp \
        $(USER_T)/user_shim.h tests/lib/clocked_rtl.h tests/lib/random_state.h \
        sim/cosim/verilated_bits.h rtl/regs/ofr_defs.vh
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(call user_verilate,$*) --Mdir $(@D)/v -o $(CURDIR)/$@ $(USER_SRC) $(call USER_EXE,$*) \
	    > $(@D)/verilator.log || { cat $(@D)/verilator.log; exit 1; }

$(USER_B)/programs/%.o: $(USER_T)/%.c firmware/user/outflank_user.h $(USER_T)/collectives.h
	@mkdir -p $(@D)
	$(RV)gcc $(RVFLAGS) -Ifirmware/user -O2 -c -o $@ $<
$(addprefix $(USER_B)/programs/,messages.bin collectives.bin): %.bin: firmware/user/user.ld \
        $(USER)/start.o %.o $(USER_LIB)
	$(FW_LINK) -T $^ -lgcc -Wl,--no-warn-rwx-segments -o $(@:.bin=.elf)
	$(RV)objcopy -O binary $(@:.bin=.elf) $@
$(USER_B)/programs/jacobi.bin: $(USER)/jacobi.bin
	@mkdir -p $(@D)
	@cp $< $@

# Broken twins of the collectives: a barrier that is once round only; a minimum that is the maximum;
# members that do not look whether the others do the same.
USER_TWIN_once := /torus_barrier/,/^}/s/if (c.state == TORUS_MORE)$$/if (0)/
USER_TWIN_min  := s/return a < b/return a > b/
USER_TWIN_same := s/ && !same(/ \&\& false \&\& !same(/
USER_TWINS := $(patsubst %,$(USER_B)/programs/%.bin,once min same)
$(USER_TWINS): $(USER_B)/programs/%.bin: firmware/user/collective.c firmware/user/user.ld \
        $(USER)/start.o $(USER_B)/programs/collectives.o $(USER_LIB) rtl/user/user.mk
	@mkdir -p $(@D)
	@sed '$(USER_TWIN_$*)' $< > $(@D)/$*_twin.c
	@! cmp -s $< $(@D)/$*_twin.c
	$(RV)gcc $(RVFLAGS) -Ifirmware/user -O2 -c -o $(@D)/$*_twin.o $(@D)/$*_twin.c
	$(FW_LINK) -T firmware/user/user.ld $(USER)/start.o $(USER_B)/programs/collectives.o \
	    $(@D)/$*_twin.o $(USER_LIB) -lgcc -Wl,--no-warn-rwx-segments -o $(@:.bin=.elf)
	$(RV)objcopy -O binary $(@:.bin=.elf) $@

USER_PROGRAMS := $(addprefix $(USER_B)/programs/,jacobi.bin messages.bin collectives.bin) $(USER_TWINS)
$(USER_TESTS): $(B)/tests/user_%: $(USER_B)/%/test_user $(USER_PROGRAMS)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s %s "$$@"\n' $< $(USER_B)/programs > $@ && chmod +x $@

# Mutants, "name|file|sed expression" in mutants.txt, each of which must be caught; and more rounds.
SOAK += $(B)/tests/user_mutants $(B)/tests/user_soak
$(B)/tests/user_mutants: $(USER_T)/mutants.sh $(USER_T)/mutants.txt $(USER_B)/32_4/test_user \
        $(USER_PROGRAMS)
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst -O2,-O1,$(call user_verilate,32_4))' > $(USER_B)/mutants.command
	@printf '%s\n' '#!/bin/sh' 'exec sh $(USER_T)/mutants.sh $(USER_B)/mutants $(USER_B)/programs \' \
	    '"$$(cat $(USER_B)/mutants.command)" "$(USER_SRC)" "$(call USER_EXE,32_4)"' > $@
	@chmod +x $@
$(B)/tests/user_soak: $(USER_TESTS)
	@printf '#!/bin/sh\ns=0\nfor t in $(USER_TESTS); do $$t 200 "$${SEED:-$$(date +%%s)}" || s=1; done\nexit $$s\n' \
	    > $@ && chmod +x $@
