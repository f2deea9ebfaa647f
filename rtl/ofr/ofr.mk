# SPDX-License-Identifier: Apache-2.0
# The OFR unit: lint, and the same bench around its five builds (N = 2, 3; without and with
# multipliers; N = 2 without for C up to 4 and above). test_unit SEED COUNT replays.

OFR_V := $(sort $(wildcard rtl/ofr/*.v))
LINT_V += $(OFR_V)
LINT_TOPS += ofr_unit:N=2:MUL=0:C=4 ofr_unit:N=2:MUL=0:C=8 ofr_unit:N=2:MUL=1 ofr_unit:N=3:MUL=0 ofr_unit:N=3:MUL=1

OFR_T := rtl/ofr/test
OFR_B := $(B)/rtl/ofr
OFR_MODEL := $(addprefix $(B)/sim/model/,torus.o decide.o ofr_unit.o)
OFR_BUILDS := n2_c4_mul0 n2_c8_mul0 n2_c8_mul1 n3_c8_mul0 n3_c8_mul1
TESTS += $(OFR_BUILDS:%=$(B)/tests/ofr_unit_%)

TESTS += $(B)/tests/test_logs
$(B)/tests/test_logs: $(OFR_T)/test_logs.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< -lm

$(OFR_B)/test_unit.o: $(OFR_T)/test_unit.c $(OFR_T)/unit_shim.h sim/model/test/exact.h \
    $(wildcard sim/model/*.h) firmware/ofr_regs.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isim/model/test $(CFLAGS) -c -o $@ $<

$(OFR_B)/exact_random.o: sim/model/test/exact_random.c sim/model/test/exact.h sim/model/decide.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# $(1): N; $(2): C; $(3): MUL
define OFR_BUILD
$$(B)/tests/ofr_unit_n$(1)_c$(2)_mul$(3): $$(OFR_V) rtl/regs/ofr_defs.vh $$(OFR_T)/unit_shim.cpp \
    $$(OFR_T)/unit_shim.h tests/lib/random_state.h $$(OFR_B)/test_unit.o $$(OFR_B)/exact_random.o $$(OFR_MODEL)
	@mkdir -p $$(@D)
	@rm -f $$@ # Verilator's own makefile does not see that the objects are newer
	+verilator --cc --exe --build --language 1800-2017 -O3 --x-initial unique \
	    -CFLAGS "-O2 -I$$(CURDIR)/tests/lib -DUNIT_N=$(1) -DUNIT_C=$(2) -DUNIT_MUL=$(3)" -Irtl/regs \
	    -GN=$(1) -GC=$(2) -GMUL=$(3) --top-module ofr_unit --Mdir $$(OFR_B)/n$(1)_c$(2)_mul$(3) \
	    -o $$(CURDIR)/$$@ $$(OFR_V) $$(CURDIR)/$$(OFR_T)/unit_shim.cpp \
	    $$(addprefix $$(CURDIR)/,$$(OFR_B)/test_unit.o $$(OFR_B)/exact_random.o $$(OFR_MODEL)) \
	    >$$(OFR_B)/n$(1)_c$(2)_mul$(3).log || (cat $$(OFR_B)/n$(1)_c$(2)_mul$(3).log; false)
endef
$(eval $(call OFR_BUILD,2,4,0))
$(eval $(call OFR_BUILD,2,8,0))
$(eval $(call OFR_BUILD,2,8,1))
$(eval $(call OFR_BUILD,3,8,0))
$(eval $(call OFR_BUILD,3,8,1))
