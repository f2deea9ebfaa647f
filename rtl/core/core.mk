# SPDX-License-Identifier: Apache-2.0
# The core's tests: the same bench around the core and around mutants of it, each of which it must
# find.
#
# Which core boards have: `make CORE=picorv32 PICORV32=path/to/picorv32.v ...`; rv32i otherwise.
ifeq ($(CORE),picorv32)
ifeq ($(wildcard $(PICORV32)),)
$(error CORE=picorv32 wants PICORV32=path/to/picorv32.v, not '$(PICORV32)')
endif
else ifneq ($(CORE),rv32i)
$(error CORE='$(CORE)' is neither rv32i nor picorv32)
endif
CORE_V   := rtl/core/ofr_core.v rtl/core/rv32i.v
CORE_SRC := $(CORE_V) $(if $(filter picorv32,$(CORE)),$(PICORV32))
CORE_G   := $(if $(filter picorv32,$(CORE)),-GCORE=1 -Wno-fatal)

LINT_V   += $(CORE_V)
LINT_TOPS += ofr_core ofr_core:EARLY=1 ofr_core:SMALL=1

CORE_B   := $(B)/rtl/core
CORE_T   := rtl/core/test
CORE_OBJ := $(addprefix $(CORE_B)/,test_rv32i.o core_bench.o program.o)
CORE_VERILATE := verilator --cc --exe --build --language 1800-2017 -O3 --x-initial unique \
    -CFLAGS "-O2 -I$(CURDIR)/$(CORE_T) -I$(CURDIR)/tests/lib" -Irtl/regs --top-module ofr_core \
    --prefix Vofr_core -GRESET_ADDR=2147483648

TESTS += $(B)/tests/core_rv32i
SOAK  += $(B)/tests/core_mutants
TESTS += $(if $(filter rv32i,$(CORE)),$(B)/tests/core_rv32i_early $(B)/tests/core_rv32i_small)
CORE_EARLY := -GEARLY=1 -CFLAGS -DCORE_EARLY=1
CORE_SMALL := -GSMALL=1 -CFLAGS -DCORE_SMALL=1

$(CORE_B)/%.o: $(CORE_T)/%.c $(CORE_T)/core_bench.h $(CORE_T)/program.h firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(CORE_B)/test_rv32i: $(CORE_SRC) rtl/regs/ofr_defs.vh $(CORE_T)/core_shim.cpp tests/lib/random_state.h $(CORE_T)/core_bench.h \
    $(CORE_OBJ)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(CORE_VERILATE) --Mdir $(CORE_B)/v -o $(CURDIR)/$@ $(CORE_G) $(CORE_SRC) \
	    $(CURDIR)/$(CORE_T)/core_shim.cpp $(addprefix $(CURDIR)/,$(CORE_OBJ)) >$@.log || (cat $@.log; false)

# The same core with its addresses a cycle early, for a memory with a register behind it; and the small one.
$(CORE_B)/test_rv32i_early $(CORE_B)/test_rv32i_small: $(CORE_B)/test_rv32i_%: $(CORE_B)/test_rv32i
	@rm -f $@
	$(CORE_VERILATE) $(CORE_$(if $(filter early,$*),EARLY,SMALL)) --Mdir $(CORE_B)/v_$* -o $(CURDIR)/$@ $(CORE_SRC) \
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

$(B)/tests/core_rv32i_early $(B)/tests/core_rv32i_small: $(B)/tests/core_rv32i_%: $(CORE_B)/test_rv32i_% $(CORE_B)/mix.bin
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s %s/mix.bin "$$@"\n' $< $(CORE_B) >$@
	@chmod +x $@

# Mutants of the core with early addresses: one line each in mutants.txt, "name|sed expression". Each must
# change the core and must make the tests fail.
$(B)/tests/core_mutants: $(CORE_T)/mutants.sh $(CORE_T)/mutants.txt $(CORE_B)/test_rv32i \
    $(CORE_B)/mix.bin
	@mkdir -p $(@D)
	sh $(CORE_T)/mutants.sh build $(CORE_B) $(CORE_T)/mutants.txt '$(CORE_VERILATE) $(CORE_EARLY)' \
	    '$(addprefix $(CURDIR)/,$(CORE_OBJ))'
	@printf '#!/bin/sh\nexec sh %s run %s %s\n' $(CORE_T)/mutants.sh $(CORE_B) \
	    $(CORE_T)/mutants.txt >$@
	@chmod +x $@

# riscv-tests' rv32ui, for whoever has them: make riscv-tests DIR=path/to/riscv-tests
ifneq ($(filter riscv-tests,$(MAKECMDGOALS)),)
ifeq ($(wildcard $(addsuffix /isa/rv32ui/*.S,$(DIR))),)
$(error riscv-tests wants DIR=path/to/riscv-tests, not '$(DIR)': no isa/rv32ui/*.S there)
endif
endif
.PHONY: riscv-tests
riscv-tests: $(CORE_B)/riscv_run
	@sh $(CORE_T)/riscv_run.sh '$(DIR)' $(CORE_B)/riscv $<

# The Verilated core of test_rv32i
$(CORE_B)/riscv_run: $(CORE_B)/riscv_run.o $(CORE_B)/core_bench.o $(CORE_B)/test_rv32i
	$(CXX) -o $@ $(CORE_B)/riscv_run.o $(CORE_B)/core_bench.o $(CORE_B)/v/core_shim.o \
	    $(CORE_B)/v/verilated*.o $(CORE_B)/v/Vofr_core__ALL.a -lpthread

TESTS += rtl/core/test/riscv_tests_test.sh
rtl/core/test/riscv_tests_test.sh: $(CORE_B)/riscv_run

SOAK += rtl/core/test/picorv32.sh
