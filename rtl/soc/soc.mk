# SPDX-License-Identifier: Apache-2.0
# The SoC and its tests: one monitor program, from RAM and from a model of an SPI flash; and mutants
# of the SoC, each of which the tests must find.
SOC_V   := $(sort $(wildcard rtl/soc/*.v))
LINT_V  += $(SOC_V)
LINT_TOPS += ofr_soc ofr_soc:FLASH=1:RAM_BYTES=2048 ofr_soc:FLASH=1:RAM_BYTES=2048:SMALL=1 ofr_uart ofr_timer ofr_ram ofr_flash

SOC_B   := $(B)/rtl/soc
SOC_T   := rtl/soc/test
SOC_RV  := riscv64-unknown-elf-
SOC_VERILATE := verilator --cc --exe --build --language 1800-2017 -O3 \
    --x-initial unique -CFLAGS "-O2 -I$(CURDIR)/$(SOC_T) -I$(CURDIR)/tests/lib" -Irtl/regs --top-module ofr_soc \
    --prefix Vofr_soc -GUART_DIVISOR=4
SOC_RAM   := -GRAM_BYTES=8192 -GINIT=\"$(SOC_B)/monitor.hex\"
SOC_FLASH := -GRAM_BYTES=2048 -GFLASH=1
SOC_QUIET := $(if $(filter picorv32,$(CORE)),-q)
SOC_AHEAD := $(SOC_FLASH) -GCORE=1
SOC_SMALL := $(SOC_FLASH) -GSMALL=1

TESTS += $(B)/tests/soc_ram $(B)/tests/soc_flash $(B)/tests/soc_ahead $(B)/tests/soc_small
SOAK  += $(B)/tests/soc_mutants
TESTS += rtl/soc/test/parameters.sh

$(SOC_B)/test_soc.o: $(SOC_T)/test_soc.c $(SOC_T)/soc_shim.h firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(SOC_B)/%.elf: $(SOC_T)/monitor.c $(SOC_T)/monitor_start.S $(SOC_T)/monitor.ld firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(SOC_RV)gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -Os -ffreestanding -nostdlib -Ifirmware \
	    -Wall -Wextra -Werror -Wl,--build-id=none -Wl,--no-warn-rwx-segments -T $(SOC_T)/monitor.ld \
	    $(SOC_LD) -o $@ $(SOC_T)/monitor_start.S $(SOC_T)/monitor.c -lgcc
$(SOC_B)/monitor.elf:       SOC_LD := -Wl,--defsym,rom=0,--defsym,ram=4096
$(SOC_B)/monitor_flash.elf: SOC_LD := -Wl,--defsym,rom=0x20040000,--defsym,ram=1024

$(SOC_B)/%.hex: $(SOC_B)/%.elf
	$(SOC_RV)objcopy -O verilog --verilog-data-width=4 $< $@
$(SOC_B)/%.bin: $(SOC_B)/%.elf
	$(SOC_RV)objcopy -O binary $< $@

SOC_DEPS := $(SOC_V) $(CORE_SRC) $(SOC_T)/picorv32.v rtl/regs/ofr_defs.vh $(SOC_T)/soc_shim.cpp \
    $(SOC_T)/soc_shim.h tests/lib/random_state.h $(SOC_B)/test_soc.o $(SOC_B)/monitor.hex
SOC_SRC := $(SOC_V) $(CORE_SRC)
# A core that fetches ahead, whatever CORE is
SOC_AHEAD_SRC := $(SOC_V) $(CORE_V) $(SOC_T)/picorv32.v
SOC_EXE := $(CURDIR)/$(SOC_T)/soc_shim.cpp $(CURDIR)/$(SOC_B)/test_soc.o

$(SOC_B)/test_ram: $(SOC_DEPS)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SOC_VERILATE) $(SOC_RAM) $(CORE_G) --Mdir $(SOC_B)/v_ram -o $(CURDIR)/$@ $(SOC_SRC) $(SOC_EXE) \
	    >$@.log || (cat $@.log; false)

$(SOC_B)/test_flash: $(SOC_DEPS)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SOC_VERILATE) $(SOC_FLASH) $(CORE_G) --Mdir $(SOC_B)/v_flash -o $(CURDIR)/$@ $(SOC_SRC) $(SOC_EXE) \
	    >$@.log || (cat $@.log; false)

$(SOC_B)/test_ahead: $(SOC_DEPS)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SOC_VERILATE) $(SOC_AHEAD) --Mdir $(SOC_B)/v_ahead -o $(CURDIR)/$@ $(SOC_AHEAD_SRC) \
	    $(SOC_EXE) >$@.log || (cat $@.log; false)

# rv32i whatever CORE is, as nothing else has it
$(SOC_B)/test_small: $(SOC_DEPS)
	@rm -f $@ # Verilator's own makefile does not see that the objects are newer
	$(SOC_VERILATE) $(SOC_SMALL) --Mdir $(SOC_B)/v_small -o $(CURDIR)/$@ $(SOC_V) $(CORE_V) \
	    $(SOC_EXE) >$@.log || (cat $@.log; false)

$(B)/tests/soc_ram: $(SOC_B)/test_ram
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s %s ram "$$@"\n' $< '$(SOC_QUIET)' >$@
	@chmod +x $@

$(B)/tests/soc_flash $(B)/tests/soc_ahead $(B)/tests/soc_small: $(B)/tests/soc_%: $(SOC_B)/test_% \
    $(SOC_B)/monitor_flash.bin
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec %s %s flash %s "$$@"\n' $< '$(SOC_QUIET)' $(SOC_B)/monitor_flash.bin >$@
	@chmod +x $@

$(B)/tests/soc_ahead: SOC_QUIET := -q
$(B)/tests/soc_small: SOC_QUIET := -b

# Mutants: "name|file|test (ram, flash, ahead or small)|sed expression" in mutants.txt.
$(B)/tests/soc_mutants: $(SOC_T)/mutants.sh $(SOC_T)/mutants.txt $(SOC_B)/test_ram \
    $(SOC_B)/test_flash $(SOC_B)/monitor_flash.bin
	@mkdir -p $(@D)
	SOC_RAM='$(SOC_RAM)' SOC_FLASH='$(SOC_FLASH)' SOC_AHEAD='$(SOC_AHEAD)' SOC_SMALL='$(SOC_SMALL)' sh $(SOC_T)/mutants.sh build \
	    $(SOC_B) '$(SOC_VERILATE)' '$(SOC_AHEAD_SRC)' '$(SOC_EXE)'
	@printf '#!/bin/sh\nexec sh %s run %s\n' $(SOC_T)/mutants.sh $(SOC_B) >$@
	@chmod +x $@

TESTS += $(B)/tests/soc_timer
$(B)/tests/soc_timer: $(SOC_T)/timer_tb.v rtl/soc/ofr_timer.v rtl/regs/ofr_defs.vh
	@mkdir -p $(@D) $(SOC_B)
	iverilog -g2012 -Wall -Irtl/regs -s timer_tb -o $(SOC_B)/timer_tb $(SOC_T)/timer_tb.v \
	    rtl/soc/ofr_timer.v
	@printf '#!/bin/sh\nexec vvp -N %s\n' $(SOC_B)/timer_tb >$@
	@chmod +x $@
