# SPDX-License-Identifier: Apache-2.0
# libofr.a: every .c here (freestanding C11, no allocation, no I/O), and its tests in test/: each
# test/test_NAME.c is one cmocka program; test/exact.c is the independent evaluation they share.

MODEL_C := $(sort $(wildcard sim/model/*.c))
MODEL_O := $(MODEL_C:%.c=$(B)/%.o)

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

# Without a protection each, a file as sed leaves it: found out by the program and the test in it, and
# with the words, that are named.
ESCAPE_TWIN_slot    := escape presets one.slot credit.h 's/goes_on ? 1U : 2U/1U/'
ESCAPE_TWIN_network := escape presets a.cycle route.h 's/leg ? OFR_VC_VS2 : OFR_VC_VS1/leg ? OFR_VC_VS2 : OFR_VC_VS2/'
ESCAPE_TWIN_same    := escape presets one.slot route.h 's/ & (in_vc == vc)//'
ESCAPE_TWIN_detours := escape dead_links dead.link around.c 's/ || !is_safe(x, q.i., t, ADAPTIVE_SAFE)//'
ESCAPE_TWIN_boxes   := escape dead_links dead.link around.c 's/safe &= ~/safe |= 0*/'
ESCAPE_TWIN_strict  := around every_one should.be around.c 's/if (is_safe(x, s, t, ADAPTIVE_SAFE))/if (0)/'
ESCAPE_TWIN_legs    := around every_one Failure around.c 's/ || !is_safe(x, q, t, INORDER_SAFE)//'
ESCAPE_TWINS := $(patsubst %,$(B)/tests/escape_%,slot network same detours boxes strict legs)
$(ESCAPE_TWINS): $(B)/tests/escape_%: $(B)/tests/test_escape $(B)/tests/test_around sim/model/model.mk
	@rm -rf $@.d && mkdir -p $@.d && cp $(MODEL_C) $(wildcard sim/model/*.h) $@.d
	@cd $@.d && cp $(word 4,$(ESCAPE_TWIN_$*)) before && \
	    sed -i $(wordlist 5,99,$(ESCAPE_TWIN_$*)) $(word 4,$(ESCAPE_TWIN_$*)) && \
	    ! cmp -s before $(word 4,$(ESCAPE_TWIN_$*))
	@$(CC) -I$@.d -Isim/model/test $(CPPFLAGS) $(CFLAGS) -w -o $@.twin $(addprefix $@.d/,$(notdir $(MODEL_C))) \
	    sim/model/test/test_$(firstword $(ESCAPE_TWIN_$*)).c $(wildcard sim/model/test/exact*.c) -lcmocka -lgmp \
	    $(LDLIBS)
	@printf '#!/bin/sh\n! ONLY=$(word 2,$(ESCAPE_TWIN_$*)) %s > %s.out 2>&1 && grep -q "$(word 3,$(ESCAPE_TWIN_$*))" %s.out &&\n' \
	    $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@
TESTS += $(ESCAPE_TWINS)

SOAK += $(B)/tests/escape_soak
$(B)/tests/escape_soak: $(B)/tests/test_escape
	@printf '#!/bin/sh\nFULL=1 exec $<\n' > $@ && chmod +x $@
