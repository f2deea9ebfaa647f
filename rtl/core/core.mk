# SPDX-License-Identifier: Apache-2.0
# The core's tests: the same bench around the core and around mutants of it, each of which it must
# find.
CORE_V   := rtl/core/rv32i.v
LINT_V   += $(CORE_V)
LINT_TOPS += rv32i

CORE_B   := $(B)/rtl/core
CORE_T   := rtl/core/test
CORE_OBJ := $(addprefix $(CORE_B)/,test_rv32i.o core_bench.o program.o)
CORE_VERILATE := OBJCACHE=ccache verilator --cc --exe --build --language 1800-2017 -O3 --x-initial unique \
    -CFLAGS "-O2 -I$(CURDIR)/$(CORE_T) -I$(CURDIR)/tests/lib" -Irtl/regs --top-module rv32i --prefix Vrv32i \
    -GRESET_ADDR=2147483648

TESTS += $(B)/tests/core_rv32i $(B)/tests/core_mutants

$(CORE_B)/%.o: $(CORE_T)/%.c $(CORE_T)/core_bench.h $(CORE_T)/program.h firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(CORE_B)/test_rv32i: $(CORE_V) rtl/regs/ofr_defs.vh $(CORE_T)/core_shim.cpp tests/lib/random_state.h $(CORE_T)/core_bench.h \
    $(CORE_OBJ)
	$(CORE_VERILATE) --Mdir $(CORE_B)/v -o $(CURDIR)/$@ $(CORE_V) \
	    $(CURDIR)/$(CORE_T)/core_shim.cpp $(addprefix $(CURDIR)/,$(CORE_OBJ)) >$@.log || (cat $@.log; false)

$(CORE_B)/mix.bin: $(CORE_T)/mix.c $(CORE_T)/mix_start.S $(CORE_T)/mix.ld
	@mkdir -p $(@D)
	riscv64-unknown-elf-gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -O2 -ffreestanding -nostdlib \
	    -fno-tree-loop-distribute-patterns -Wall -Wextra -Werror -T $(CORE_T)/mix.ld \
	    -o $(@:.bin=.elf) $(CORE_T)/mix_start.S $(CORE_T)/mix.c -lgcc
	riscv64-unknown-elf-objcopy -O binary $(@:.bin=.elf) $@

$(B)/tests/core_rv32i: $(CORE_B)/test_rv32i $(CORE_B)/mix.bin
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s/test_rv32i %s/mix.bin "$$@"\n' $(CORE_B) $(CORE_B) >$@
	@chmod +x $@

# Mutants: one line each in mutants.txt, "name|sed expression". Each must change the core and must
# make the tests fail.
$(B)/tests/core_mutants: $(CORE_T)/mutants.sh $(CORE_T)/mutants.txt $(CORE_B)/test_rv32i \
    $(CORE_B)/mix.bin
	@mkdir -p $(@D)
	sh $(CORE_T)/mutants.sh build $(CORE_B) $(CORE_T)/mutants.txt '$(CORE_VERILATE)' \
	    '$(addprefix $(CURDIR)/,$(CORE_OBJ))'
	@printf '#!/bin/sh\nexec sh %s run %s %s\n' $(CORE_T)/mutants.sh $(CORE_B) \
	    $(CORE_T)/mutants.txt >$@
	@chmod +x $@
