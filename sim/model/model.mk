# SPDX-License-Identifier: Apache-2.0
# libofr.a: every .c here (freestanding C11, no allocation, no I/O), and its tests in test/: each
# test/test_NAME.c is one cmocka program; test/exact.c is the independent evaluation they share.

MODEL_C := $(sort $(wildcard sim/model/*.c))
MODEL_O := $(MODEL_C:%.c=$(B)/%.o)
MODEL_H := $(wildcard sim/model/*.h) firmware/ofr_regs.h

$(MODEL_O): $(B)/%.o: %.c $(MODEL_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -O3 -fPIC -ffreestanding -c -o $@ $<

$(B)/libofr.a: $(MODEL_O)
	@rm -f $@
	ar rcs $@ $^

MODEL_TESTS := $(patsubst sim/model/test/%.c,$(B)/tests/%,$(wildcard sim/model/test/test_*.c))
TESTS += $(MODEL_TESTS)

$(MODEL_TESTS): $(B)/tests/%: sim/model/test/%.c $(wildcard sim/model/test/*.h) \
        $(wildcard sim/model/test/exact*.c) $(MODEL_H) $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< $(wildcard sim/model/test/exact*.c) $(B)/libofr.a \
	    -lcmocka -lgmp $(LDLIBS)
