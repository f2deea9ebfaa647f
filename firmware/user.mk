# SPDX-License-Identifier: Apache-2.0
# Programs for the user's core: NAME.c and the library become NAME.elf, and NAME.bin, which is loaded
# from address 0 on. USER_RAM: bytes of memory that the core has.

USER     := $(B)/firmware/user
USER_RAM ?= 16384
USER_H   := $(addprefix firmware/user/,outflank_user.h jacobi.h) firmware/ofr_regs.h
# The calls: a program has in it those that it uses
USER_LIB := $(USER)/user.a
PROGRAMS += $(USER)/jacobi.bin $(USER)/hello.bin $(USER)/sums.bin

$(USER)/%.o: firmware/user/%.c $(USER_H)
	@mkdir -p $(@D)
	$(RV)gcc $(RVFLAGS) -O2 -c -o $@ $<

$(USER_LIB): $(USER)/user.o $(USER)/collective.o
	@rm -f $@
	$(RV)ar rcs $@ $^

$(USER)/start.o: firmware/user/start.S
	@mkdir -p $(@D)
	$(RV)gcc $(RVFLAGS) -c -o $@ $<

$(USER)/%.elf: firmware/user/user.ld $(USER)/start.o $(USER)/%.o $(USER_LIB)
	$(FW_LINK) -Wl,--defsym=_ram_bytes=$(USER_RAM) -T $^ -lgcc -Wl,--no-warn-rwx-segments -o $@

$(USER)/%.bin: $(USER)/%.elf
	$(RV)objcopy -O binary $< $@
