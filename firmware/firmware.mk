# SPDX-License-Identifier: Apache-2.0
# The soft core's images: fw.hex (RAM, for $readmemh), flash.bin and flash.hex (runs from SPI
# flash); libfw.a is the same source for the host, for golden boards and tests.

RV      ?= riscv64-unknown-elf-
RVFLAGS := -march=rv32i -misa-spec=2.2 -mabi=ilp32 -ffreestanding -DOFR_TARGET -std=c11 -g \
           -Wall -Wextra -Werror -Ifirmware -ffunction-sections -fdata-sections
FW_C    := fw wire collective operations lease read table watch write channel
FW_H    := firmware/fw.h firmware/fw_parts.h firmware/hal.h firmware/protocol.h firmware/aggregate.h firmware/ring_wait.h \
           firmware/ofr_regs.h
FW      := $(B)/firmware

PROGRAMS += $(FW)/fw.hex $(FW)/flash.bin $(FW)/flash.hex

# One translation unit: image.c includes them all.
FW_IMAGE := firmware/image.c firmware/main.c $(FW_C:%=firmware/%.c) $(FW_H)
RV_WHOLE := $(RVFLAGS) -Os -fno-thread-jumps -fwhole-program -fcallgraph-info=su

$(FW)/image.rv.o: $(FW_IMAGE)
	@mkdir -p $(@D)
	$(RV)gcc $(RV_WHOLE) -DOFR_IN_RAM -msave-restore -c -o $@ $<

$(FW)/flash/image.rv.o: $(FW_IMAGE)
	@mkdir -p $(@D)
	$(RV)gcc $(RV_WHOLE) -c -o $@ $<

$(FW)/start.rv.o $(FW)/flash.rv.o: $(FW)/%.rv.o: firmware/%.S
	@mkdir -p $(@D)
	$(RV)gcc $(RVFLAGS) -c -o $@ $<

FW_LINK = $(RV)gcc $(RVFLAGS) -nostdlib -Wl,--gc-sections -Wl,--build-id=none

$(FW)/fw.elf: firmware/ram.ld $(FW)/start.rv.o $(FW)/image.rv.o
	$(FW_LINK) -T $^ -lgcc -Wl,--no-warn-rwx-segments -o $@

$(FW)/flash.elf: firmware/flash.ld $(FW)/flash.rv.o $(FW)/start.rv.o $(FW)/flash/image.rv.o
	$(FW_LINK) -T $^ -lgcc -Wl,--no-warn-rwx-segments -o $@

$(FW)/fw.hex: $(FW)/fw.elf
	$(RV)objcopy -O verilog --verilog-data-width=4 $< $@

$(FW)/flash.bin: $(FW)/flash.elf
	$(RV)objcopy -O binary $< $@

# From word 0 on, as the flash's model reads it.
$(FW)/flash.hex: $(FW)/flash.elf
	$(RV)objcopy -O verilog --verilog-data-width=4 --change-addresses=-0x20000000 $< $@

$(FW)/%.host.o: firmware/%.c $(FW_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -c -o $@ $<

$(B)/libfw.a: $(FW_C:%=$(FW)/%.host.o)
	@rm -f $@
	ar rcs $@ $^

LINT_C += $(FW_C:%=firmware/%.c)
TESTS += firmware/test/size_test.sh

firmware/test/size_test.sh: $(FW)/fw.hex $(FW)/flash.bin
