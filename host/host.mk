# SPDX-License-Identifier: Apache-2.0
# libtorus (static and shared: only torus_* is visible in either) and torusctl.

# Lower layers first (lib/README.md).
HOST_C   := $(patsubst %,host/lib/%.c,handle names holders tty socket share usb list transport exchange board faults links \
            layout shift twist cables recognise discover session bert channel messages collective tree tree_run datagram user follow table destinations around staging changes program pattern counters one_time snapshot traffic streams run flow)
HOST_O   := $(HOST_C:%.c=$(B)/%.o)
HOST_H   := $(patsubst %,host/lib/%.h,libtorus handle stream request boards moves parts tree layout tables measure) \
            firmware/protocol.h firmware/aggregate.h firmware/ofr_regs.h
TORUS_SO := libtorus.so.1

# The command line: a file a command, and what they share. manual, a program that writes the manual
# page and the completion, is of the same tables.
COMMANDS := discover link info program run bench counters snapshot time monitor diff ping \
            trace bandwidth latency bert channel datagram collective load start console b_eff osu list reg key serve stop flash
CTL_SHARED := $(patsubst %,$(B)/host/torusctl/%.o,$(COMMANDS) commands options output places users sweep \
              streams sizes counter_set thresholds table file draw svg bench_plot \
              debug interrupt reg_map token relay tenant names topology seconds) $(patsubst %,$(B)/sim/net/output/%.o,gnuplot child)
CTL_O    := $(B)/host/torusctl/torusctl.o $(CTL_SHARED)
MANUAL_O := $(B)/host/torusctl/manual.o $(CTL_SHARED)
CTL_H    := $(wildcard host/torusctl/*.h) sim/net/output/gnuplot.h
PROGRAMS += $(B)/bin/torusctl $(B)/libtorus.a $(B)/libtorus.so

$(B)/host/lib/around.o $(B)/host/lib/tree.o $(B)/host/lib/tree_run.o: $(MODEL_H)
$(HOST_O) $(filter-out %/reg_map.o,$(filter $(B)/host/%,$(sort $(CTL_O) $(MANUAL_O)))): $(B)/%.o: %.c $(HOST_H) $(CTL_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

# For libtorus alone: Debian's libftdi1, which brings libusb-1.0.
USB_LIBS := -lftdi1 -lusb-1.0
$(B)/host/lib/usb.o: CPPFLAGS += $(shell pkg-config --cflags libftdi1 2>/dev/null)

# One object, in which everything but the API is local; libofr's decision tables are in it.
$(B)/host/libtorus.o: $(HOST_O) $(B)/libofr.a
	ld -r -o $@ $^
	objcopy --wildcard --keep-global-symbol='torus_*' $@

$(B)/libtorus.a: $(B)/host/libtorus.o
	@rm -f $@
	ar rcs $@ $<

$(B)/$(TORUS_SO).1: $(HOST_O) $(B)/libofr.a
	$(CC) $(CFLAGS) -shared -Wl,-soname,$(TORUS_SO) -Wl,--exclude-libs,ALL -Wl,-z,defs -o $@ $^ \
	    $(USB_LIBS)

$(B)/$(TORUS_SO): $(B)/$(TORUS_SO).1
	ln -sf $(<F) $@

$(B)/libtorus.so: $(B)/$(TORUS_SO)
	ln -sf $(<F) $@

CTL_LIBS := -ljansson -lncurses -lm $(USB_LIBS)
$(B)/bin/torusctl: $(CTL_O) $(B)/libtorus.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(CTL_LIBS) $(LDLIBS)

# The register map as it is, for reg.
$(B)/host/torusctl/reg_map.o: rtl/regs/outflank.json
	@mkdir -p $(@D)
	@{ echo 'const char reg_map[] ='; sed 's/[\\"]/\\&/g; s/.*/"&"/' $<; echo ';'; } > $(@:.o=.c)
	$(CC) $(CFLAGS) -c -o $@ $(@:.o=.c)

$(B)/host/manual: $(MANUAL_O) $(B)/libtorus.a
	$(CC) $(CFLAGS) -o $@ $^ $(CTL_LIBS) $(LDLIBS)
$(B)/torusctl.1 $(B)/torusctl.bash: $(B)/%: $(B)/host/manual
	$< $(if $(filter %.1,$@),page,bash) > $@

# A page a group of functions, made of the header.
LIB_PAGES := $(addprefix $(B)/host/man/,$(shell sh host/lib/pages/pages.sh))
$(LIB_PAGES) &: host/lib/libtorus.h $(wildcard host/lib/pages/*)
	@mkdir -p $(@D)
	@sh host/lib/pages/pages.sh $(@D)

INSTALL_BIN += $(B)/bin/torusctl
INSTALL_LIB += $(B)/libtorus.a $(B)/$(TORUS_SO).1 $(B)/$(TORUS_SO) $(B)/libtorus.so
INSTALL_INCLUDE += host/lib/libtorus.h firmware/ofr_regs.h
INSTALL_PC += host/lib/torus.pc.in
INSTALL_MAN1 += $(B)/torusctl.1
INSTALL_MAN3 += host/lib/libtorus.3 $(LIB_PAGES)
INSTALL_UDEV += host/lib/70-outflank.rules
INSTALL_BASH += $(B)/torusctl.bash
INSTALL_DOC += $(wildcard host/examples/*.c)

# Tests: the real firmware, compiled for the host, on a fabric of fake boards (test/fake.c)
# in a time of its own (test/fake_time.c).
HOST_TESTS := $(patsubst %,$(B)/tests/test_%,firmware torus destinations mend cables snapshot cancel interleave commands)
TESTS += $(HOST_TESTS) host/test/torusctl_test.sh host/test/file_test.sh host/test/options_test.sh host/test/flash_test.sh host/test/lib_test.sh host/test/fabric_test.sh \
         host/test/stream_test.sh host/test/serve_test.sh host/test/trace_test.sh host/test/places_test.sh host/test/turns_test.sh \
         host/test/layers_test.sh

# Against the objects: what a library hides is tested too.
$(HOST_TESTS): $(B)/tests/%: host/test/%.c host/test/fake.c host/test/fake_time.c \
        host/test/fake.h $(HOST_H) firmware/fw.h firmware/hal.h $(HOST_O) \
        $(B)/libfw.a $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -o $@ $< host/test/fake.c host/test/fake_time.c $(HOST_TEST_MORE) \
	    $(HOST_O) $(HOST_TEST_FW) $(B)/libofr.a $(HOST_TEST_LIBS) -lcmocka $(USB_LIBS) $(LDLIBS)
HOST_TEST_FW := $(B)/libfw.a
INTERLEAVE_TESTS := $(B)/tests/test_interleave $(B)/tests/test_commands
$(INTERLEAVE_TESTS): HOST_TEST_MORE := host/test/interleave.c
$(INTERLEAVE_TESTS): host/test/interleave.c host/test/interleave.h
$(B)/tests/test_commands: HOST_TEST_MORE += -Ihost/torusctl $(CTL_SHARED)
$(B)/tests/test_commands: HOST_TEST_LIBS := -ljansson -lncurses -lm
$(B)/tests/test_commands: $(CTL_SHARED) $(B)/libfw.commands.a
# Of the firmware and of torusctl either has a function of that name.
$(B)/tests/test_commands: HOST_TEST_FW := $(B)/libfw.commands.a
$(B)/libfw.commands.a: $(B)/libfw.a
	objcopy --redefine-sym table_drop=firmware_table_drop $< $@

# Cables at the pins of boardsim's boards.
TESTS += host/test/bert_test.sh
host/test/bert_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl

# $(call calls,NAME,TWINS): libtorus' calls on boardsim's boards, NAME_calls.c, run by NAME_test.sh; a twin is the
# library with one of its files as sed leaves it: CALLS_NAME_TWIN := FILE SCRIPT, the shell's word.
define calls
TESTS += host/test/$1_test.sh
host/test/$1_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/host/$1_calls $(2:%=$(B)/twin/$1_%/calls)
$(call calls_program,$1)
$(foreach twin,$2,$(call calls_twin,$1,$(twin),$(firstword $(CALLS_$1_$(twin)))))
endef
define calls_program

$(B)/host/$1_calls: host/test/$1_calls.c host/test/calls.h host/test/left.h host/test/now.h firmware/ofr_regs.h host/lib/libtorus.h $(B)/libtorus.a
	$$(CC) $$(CPPFLAGS) -Ihost/lib $$(CFLAGS) -o $$@ $$< $(B)/libtorus.a $$(USB_LIBS)
endef
define calls_twin

$(B)/twin/$1_$2/calls: $(B)/host/$1_calls host/lib/$3.c host/host.mk
	@mkdir -p $$(@D)
	@sed $$(wordlist 2,99,$$(CALLS_$1_$2)) host/lib/$3.c > $$(@D)/twin.c && ! cmp -s host/lib/$3.c $$(@D)/twin.c
	@$$(CC) $$(CPPFLAGS) -Ihost/lib $$(CFLAGS) -w -o $$@ host/test/$1_calls.c $$(@D)/twin.c \
	    $$(filter-out %/lib/$3.o,$$(HOST_O)) $(B)/libofr.a $$(USB_LIBS) $$(LDLIBS)
endef

# Channels.
CALLS_channel_looks  := channel 's/want_sending(t, e, .*)/TORUS_OK/'
CALLS_channel_border := channel 's/whole = moved.last .. .moved.broken/whole = true/'
CALLS_channel_anew   := exchange 's/if (q->state == WAITING) {$$/if (1) {/'
CALLS_channel_frames := exchange 's/if (!is_whole(.*)/if (0)/'
CALLS_channel_pins   := channel 's/_user.==.TORUS_SOFTWARE.?/_user<=TORUS_PINS?/;s/end,.&s,.0,/end,\&s,1,/'
CALLS_channel_owner  := channel 's/i < before->taken/0/'
$(eval $(call calls,channel,looks border anew frames pins owner))
host/test/channel_test.sh: $(B)/twin/cut/torusctl $(B)/twin/endless/torusctl $(B)/host/nobody_takes.so
$(B)/host/nobody_takes.so: host/test/nobody_takes.c sim/cosim/logic.h
	@mkdir -p $(@D)
	$(CC) -Isim/cosim $(CFLAGS) -fPIC -shared -o $@ $<

# With a board missing.
TESTS += host/test/missing_test.sh
host/test/missing_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/twin/gaps/torusctl

# b_eff and osu, likewise.
TESTS += host/test/b_eff_test.sh
host/test/b_eff_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/twin/rings/torusctl $(B)/twin/short/torusctl

# Messages and collectives.
CALLS_message_same  := messages 's/want_same(t,.p,.before).:/error:/'
CALLS_message_room  := messages 's/before.+.i.<.part_bytes(p)/1/'
CALLS_message_held  := messages 's/.p->waits.||.p->held/p->waits/'
CALLS_message_abort := collective '/^static.int.broken/,/^}/s/abort_all(g)/TORUS_OK/'
CALLS_message_turns := channel 's/error.!=.TORUS_E_BUSY/1/'
$(eval $(call calls,message,same room held abort turns))

# Collectives in hardware.
CALLS_tree_verdict := tree_run 's/if (FIELD(rx, OFR_COLLECTIVE_RX_FAILED))/if (0)/'
CALLS_tree_taken   := tree '/are_free(g)/,/;/s/are_free(g)/TORUS_OK/'
CALLS_tree_order   := tree_run 's/g->place.whose..order/whose/'
CALLS_tree_more    := tree_run 's/a->messages > 1 /0 /'
CALLS_tree_type    := tree_run 's/(uint32_t)type.operation./(uint32_t)operation/'
$(eval $(call calls,tree,verdict taken order more type))

# Cables and boards lost in the middle of both kinds.
CALLS_fault_left := collective 's/else.if.(g->left)/else if (0)/'
CALLS_fault_drop := tree '/^static.int.clear_board/,/^}/s/error.=.torus_channel_abort.*/(void)end;/'
$(eval $(call calls,fault,left drop))

# Each call behind each, and messages of all sizes.
CALLS_pair_left   := channel '/^API.int.torus_channel_abort/,/^}/s/error = throw_away(t, end)/(void)throw_away/'
CALLS_pair_counts := messages 's/if (!p->take) .. what.is.broken.*/if (0)/'
CALLS_pair_group  := collective '/^API.int.torus_group_close/,/^}/s/error = torus_channel_close.*/(void)s;/'
CALLS_pair_tree   := $(CALLS_fault_drop)
CALLS_pair_more   := tree 's/torus_write(t, at, OFR_COLLECTIVE_TX_OP, 0)/TORUS_OK/'
$(eval $(call calls,pair,left counts group tree more))
$(eval $(call calls_program,size))
host/test/pair_test.sh: $(B)/host/size_calls

# Users' programs, likewise, on RTL boards; twins that load over a program that
# runs, make half of one look whole, leave its ends, or start what is not loaded.
TESTS += host/test/user_test.sh
TWIN_user_holds := user '/torus_user_load/,/free_ends/s/write_each(.c,.OFR_USER_CONTROL,.0,.0)/TORUS_OK/;/free_ends(struct/,/^}/s/torus_write(t,.at,.OFR_USER_CONTROL,.[^)]*)/TORUS_OK/'
TWIN_user_first := user 's/n.?.word_of(from,.bytes,.n).:.0/word_of(from,bytes,n)/'
TWIN_user_ends  := user 's/error.=.free_ends(.*/;/'
TWIN_user_starts := user 's/error.=.want_program(.*/;/'
USER_CALL_TWINS := $(patsubst %,$(B)/twin/user_%/torusctl,holds first ends starts)
host/test/user_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/host/user_calls $(USER_CALL_TWINS) \
    $(foreach p,hello jacobi,$(B)/firmware/user/$p.bin $(B)/firmware/user/$p.elf)
$(eval $(call calls_program,user))
$(USER_CALL_TWINS): $(B)/twin/%/torusctl: $(B)/bin/torusctl host/lib/user.c host/host.mk
	@mkdir -p $(@D)
	@sed $(word 2,$(TWIN_$*)) host/lib/user.c > $(@D)/twin.c && ! cmp -s host/lib/user.c $(@D)/twin.c
	@$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -w -o $@ $(@D)/twin.c $(CTL_O) \
	    $(filter-out %/lib/user.o,$(HOST_O)) $(B)/libofr.a $(CTL_LIBS)

# Datagrams.
CALLS_datagram_count := datagram 's/now.illegal.!=.before->illegal/0/;s/now.sent.!=.before->sent/1/'
CALLS_datagram_rest  := datagram 's/bool inside = false/bool inside = true/'
CALLS_datagram_first := datagram '/^API.int.torus_datagram_send/,/^}/s/error = swallow.*/(void)swallow;/'
$(eval $(call calls,datagram,count rest first))

# The Python module, on boardsim's boards.
INSTALL_SHARE += host/python/outflank.py
TESTS += host/test/python_test.sh
host/test/python_test.sh: $(B)/bin/boardsim $(B)/libtorus.so $(B)/host/python_layout
$(B)/host/python_layout: host/test/python_layout.c host/lib/libtorus.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -o $@ $<

# What serve passes on, and its twins without a protection each.
TESTS += $(B)/tests/test_relay $(patsubst %,$(B)/tests/relay_%,number known shares ends turns)
RELAY_TWIN_number := s/new_number(r, frame);/word(frame, 2);/
RELAY_TWIN_known  := s/= find(c, frame);/= NULL;/
RELAY_TWIN_shares := s/c->under_way < most/true/
RELAY_TWIN_ends   := s/if (r->collective->slice < .*/if (true)/
RELAY_TWIN_turns  := s/is_collective(frame) && r->collective/false/
$(B)/tests/test_relay: host/test/test_relay.c host/torusctl/relay.c host/torusctl/relay.h firmware/protocol.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/torusctl $(CFLAGS) -o $@ $(filter %.c,$^) -lcmocka
$(B)/tests/relay_%: $(B)/tests/test_relay host/host.mk
	@sed '$(RELAY_TWIN_$*)' host/torusctl/relay.c > $@.c && ! cmp -s host/torusctl/relay.c $@.c
	@$(CC) $(CPPFLAGS) -Ihost/torusctl $(CFLAGS) -w -o $@.twin $@.c host/test/test_relay.c -lcmocka
	@printf '#!/bin/sh\n! %s > %s.out 2>&1 && grep -q "^not ok" %s.out &&\n' $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@

# Without a protection each, a file of the firmware or the library as sed leaves it: test_interleave
# finds each of them out, by the operation named.
INTERLEAVE_TWIN_anybody  := program firmware/lease s/fw->lease == session_of(m)/1/
INTERLEAVE_TWIN_told     := write firmware/lease s/fw->owner | (sec/fw->lease | (sec/
INTERLEAVE_TWIN_number   := counters firmware/read s/number != fw->snapshot/0/
INTERLEAVE_TWIN_on       := counters host/lib/counters s/TORUS_COUNTERS : 0;/TORUS_COUNTERS : r->have[node];/
INTERLEAVE_TWIN_end      := run host/lib/traffic s/lease_verify(w->t)/TORUS_OK/
INTERLEAVE_TWIN_flow     := flows host/lib/traffic s/lease_verify(w->t)/TORUS_OK/
INTERLEAVE_TWIN_anew     := run host/lib/run s/again = t->status;/again = OFR_LATE;/
INTERLEAVE_TWIN_survey   := resume host/lib/program /^static int mend/,/^}/s/lease_begin(t, 0)/(t->lease.depth++, TORUS_OK)/
INTERLEAVE_TWIN_gone     := histogram host/lib/run s/start != result->start/0/
INTERLEAVE_TWINS := $(patsubst INTERLEAVE_TWIN_%,$(B)/tests/interleave_%,$(sort $(filter INTERLEAVE_TWIN_%,$(.VARIABLES))))
$(INTERLEAVE_TWINS): $(B)/tests/interleave_%: $(B)/tests/test_interleave host/host.mk
	@sed '$(wordlist 3,99,$(INTERLEAVE_TWIN_$*))' $(word 2,$(INTERLEAVE_TWIN_$*)).c > $@.c
	@! cmp -s $(word 2,$(INTERLEAVE_TWIN_$*)).c $@.c
	@$(CC) $(CPPFLAGS) -I$(dir $(word 2,$(INTERLEAVE_TWIN_$*))) -Ihost/lib $(CFLAGS) -w -o $@.twin $@.c \
	    host/test/test_interleave.c host/test/interleave.c host/test/fake.c host/test/fake_time.c \
	    $(filter-out $(B)/$(word 2,$(INTERLEAVE_TWIN_$*)).o,$(HOST_O)) \
	    $(filter-out $(B)/$(word 2,$(INTERLEAVE_TWIN_$*)).host.o,$(FW_C:%=$(FW)/%.host.o)) \
	    $(B)/libofr.a -lcmocka $(USB_LIBS) $(LDLIBS)
	@printf '#!/bin/sh\n! ONLY=$(firstword $(INTERLEAVE_TWIN_$*)) %s > %s.out && grep -q "not so" %s.out &&\n' \
	    $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@
TESTS += $(INTERLEAVE_TWINS)

# The same of whole commands of torusctl.
COMMANDS_TWIN_bench  := bench host/torusctl/bench s/error = torus_lease(t, 0);/error = TORUS_OK;/
COMMANDS_TWINS := $(B)/tests/commands_bench
$(COMMANDS_TWINS): $(B)/tests/commands_%: $(B)/tests/test_commands host/host.mk
	@sed '$(wordlist 3,99,$(COMMANDS_TWIN_$*))' $(word 2,$(COMMANDS_TWIN_$*)).c > $@.c
	@! cmp -s $(word 2,$(COMMANDS_TWIN_$*)).c $@.c
	@$(CC) $(CPPFLAGS) -Ihost/torusctl -Ihost/lib $(CFLAGS) -w -o $@.twin $@.c host/test/test_commands.c \
	    host/test/interleave.c host/test/fake.c host/test/fake_time.c \
	    $(filter-out $(B)/$(word 2,$(COMMANDS_TWIN_$*)).o,$(CTL_SHARED) $(HOST_O)) \
	    $(B)/libfw.commands.a $(B)/libofr.a -ljansson -lncurses -lm -lcmocka $(USB_LIBS) $(LDLIBS)
	@printf '#!/bin/sh\n! ONLY=$(firstword $(COMMANDS_TWIN_$*)) %s > %s.out && grep -q "not so" %s.out &&\n' \
	    $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@
TESTS += $(COMMANDS_TWINS)

# The same of other tests: each is found out by the program and the test in it that are named. No blank in what sed does.
CANCEL_TWIN_looks   := cancel anywhere host/lib/exchange 's/look_cancelled(t)/TORUS_OK/;s/is_cancelled(t);/0;/'
CANCEL_TWIN_stops   := cancel anywhere host/lib/session 's/t->uncut++/(void)0/'
CANCEL_TWIN_commits := cancel anywhere host/lib/program 's/t->uncut++/(void)0/;s/t->uncut--/(void)0/'
CANCEL_TWIN_started := cancel close_stops host/lib/traffic 's/t->started.|=.*//'
CANCEL_TWIN_behind  := cancel close_stops host/lib/session 's/t->lease.behind.=.error.*/;/'
CANCEL_TWIN_size    := cancel options host/lib/handle 's/bytes\[i\]/0/'
CANCEL_TWIN_often   := cancel progress host/lib/handle 's/now.<.t->progressed.+.0.1/0/'
CANCEL_TWIN_renewed := destinations keyed host/lib/program 's/error.=.lease_keep(t);/;/'
CANCEL_TWIN_unanimous := torus disagreeing host/lib/recognise 's/kept.||.votes.best..==.said/1/'
CANCEL_TWIN_anybody := firmware commit firmware/table 's/!fw->begun.||.changes/changes/'
CANCEL_TWIN_another := firmware commit firmware/table 's/m.5..!=.fw->staged_crc.||//'
CANCEL_TWIN_generation := firmware commit firmware/table 's/generation.!=.(fw->staged...0xffff).||//'
CANCEL_TWIN_wrong   := firmware commit firmware/table 's/crc.!=.m.5./0/'
CANCEL_TWIN_hole    := firmware commit firmware/table 's/table_drop(fw);.*it.has.*/;/'
CANCEL_TWIN_written := firmware commit firmware/write 's/table_drop(fw);/;/'
CANCEL_TWIN_plain   := firmware commit firmware/write 's/offset.>=.OFR_BLOCK_PINS/0/'
CANCEL_TWIN_old     := firmware commit firmware/table 's/idn.&&.clearing(fw))/idn\&\&(node_write(fw,OFR_PINS_CONTROL,0),clearing(fw)))/'
CANCEL_TWIN_halves  := destinations killed firmware/table 's/node_write(fw,.OFR_PINS_CONTROL,.on)/;/'
CANCEL_TWIN_drops   := cancel anywhere host/lib/program 's/drop(t,.p,.i).!=.TORUS_OK/0/'
CANCEL_TWIN_links   := mend unheard host/lib/around 's/q.i..r.5..!=.t->boards.i..links/0/'
CANCEL_TWIN_cabled  := mend cables host/lib/around 's/peer.p..>=.0/peer[p]>=-9/'
CANCEL_TWIN_deaf    := mend cables host/lib/exchange 's/t->reported.=.true.*/;/'
CANCEL_TWIN_old_news := mend cables host/lib/exchange 's/.board.>=.0.&&.t->boards.board..links.==.m.5../0/'
CANCEL_TWIN_twice   := firmware move firmware/operations 's/same_request(fw->stored,.m)/op!=OFR_OP_MOVE\&\&same_request(fw->stored,m)/'
CANCEL_TWIN_storm   := firmware watch firmware/watch 's/now.-.fw->reported.<.fw->report_gap/0/'
CANCEL_TWIN_once    := firmware watch firmware/watch 's/now.-.fw->reported.<.fw->report_gap/1/'
CANCEL_TWIN_unbegun := firmware change firmware/table 's/fw->begun.!=.CHANGES/0/'
CANCEL_TWIN_remains := firmware change firmware/table 's/if.(fw->shadow.!=.shadow)/if(0)/'
CANCEL_TWIN_mixes   := firmware change_copy firmware/table 's/if.(fw->shadow.!=.shadow)/if(0)/'
CANCEL_TWIN_all_off := firmware change_copy firmware/table 's/fw->shadow.==.COPY.&&.was_on/0/'
CANCEL_TWIN_base    := mend second host/lib/changes 's/q->r.5..==.c->crc/1/'
CANCEL_TWIN_all_anew := mend second host/lib/changes 's/on.&&.was_on.&&.changed/0\&\&changed/'
CANCEL_TWIN_changed := firmware change firmware/table 's/m.5..!=.fw->staged_crc.||//'
CANCEL_TWIN_room    := firmware change firmware/table 's/hop_count(m).>.OFR_WIDE_HOPS/0/'
CANCEL_TWIN_more    := mend second host/lib/changes 's/2U.<<.more.<=.run/0/'
CANCEL_TWIN_rows    := mend followed firmware/table 's/(at.&.15).==.(size.&.31)/0/'
CANCEL_TWIN_planes  := mend second firmware/table 's/(at.>>.4.&.15).==.(size.>>.8.&.31)/0/'
CANCEL_TWIN_ends    := mend more host/lib/follow 's/.known.&=.*/;/'
CANCEL_TWIN_ways    := mend followed host/lib/follow 's/.known.=.find_ways.*/*known=true;/'
CANCEL_TWIN_stranger := mend others host/lib/changes 's/q->r.3..==.t->active/1/'
CANCEL_TWIN_moved   := mend others host/lib/changes 's/q->r.4..==.*/1;/'
CANCEL_TWIN_away    := mend board host/lib/counters 's/t->absent...TORUS_COUNTERS.:.0/0/'
CANCEL_TWIN_thrown  := mend board host/lib/run 's/seen->arrived.+=.*;/;/'
CANCEL_TWIN_those   := mend board host/lib/run 's/there(/node_count(/'
CANCEL_TWIN_start   := mend board host/lib/exchange 's/start_at(q.i..m,.*/;/'
CANCEL_TWIN_both    := mend followed host/lib/follow 's/forget_known(t);/;/'
CANCEL_TWIN_vacant  := mend board host/lib/recognise 's/.+.t->absent//'
CANCEL_TWIN_tree    := mend board host/lib/exchange 's/t->absent/0/'
CANCEL_TWIN_safe    := destinations missing_cable host/lib/program 's/torus_table_safe(t,.p)/destinations_fit(t,p)/'
CANCEL_TWIN_left    := torus leaves_in_lease host/lib/session 's/if.(left.&&.!t->board_count)/if(0)/'
CANCEL_TWIN_told    := torus message_cut host/lib/channel 's/TORUS_E_LEASE.&&.q->resent/0/'
CANCEL_TWIN_rest    := torus message_cut host/lib/channel 's/TORUS_E_TIMEOUT...TORUS_E_FAILED/0?0/'
CANCEL_TWIN_latched := snapshot jumps host/lib/snapshot 's/last.-.first.+.LATCH/LATCH/'
CANCEL_TWIN_waits   := snapshot refused host/lib/one_time 's/return.time_wait(t)/return(TORUS_OK)/'
CANCEL_TWIN_day     := torus bit_errors_of_a_day host/lib/bert 's/.||.!out->was_up//'
CANCEL_TWIN_vain    := torus in_vain host/lib/exchange 's/note_vain(t,.&q.i.,.true);/;/'
CANCEL_TWIN_two     := torus reset_board_named host/lib/exchange 's/k.==.2.?.ahead.&&.from.dim..:.//'
CANCEL_TWINS := $(patsubst CANCEL_TWIN_%,$(B)/tests/cancel_%,$(sort $(filter CANCEL_TWIN_%,$(.VARIABLES))))
$(CANCEL_TWINS): $(B)/tests/cancel_%: $(B)/tests/test_cancel $(B)/tests/test_destinations $(B)/tests/test_torus \
        $(B)/tests/test_firmware $(B)/tests/test_mend $(B)/tests/test_snapshot host/host.mk
	@sed $(word 4,$(CANCEL_TWIN_$*)) $(word 3,$(CANCEL_TWIN_$*)).c > $@.c
	@! cmp -s $(word 3,$(CANCEL_TWIN_$*)).c $@.c
	@$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -w -o $@.twin $@.c host/test/test_$(firstword $(CANCEL_TWIN_$*)).c host/test/fake.c \
	    host/test/fake_time.c $(filter-out $(B)/$(word 3,$(CANCEL_TWIN_$*)).o,$(HOST_O)) \
	    $(filter-out $(B)/$(word 3,$(CANCEL_TWIN_$*)).host.o,$(FW_C:%=$(FW)/%.host.o)) \
	    $(B)/libofr.a -lcmocka $(USB_LIBS) $(LDLIBS)
	@printf '#!/bin/sh\n! ONLY=$(word 2,$(CANCEL_TWIN_$*)) %s > %s.out && grep -q "^not ok" %s.out &&\n' \
	    $@.twin $@ $@ > $@
	@printf 'echo "ok 1 - twin $*: found out"; s=$$?; [ $$s = 0 ] || echo "not ok 1 - twin $*"\n' >> $@
	@printf 'echo 1..1; exit $$s\n' >> $@ && chmod +x $@
TESTS += $(CANCEL_TWINS)

host/test/torusctl_test.sh host/test/options_test.sh host/test/flash_test.sh host/test/layers_test.sh host/test/file_test.sh: $(B)/bin/torusctl $(B)/torusctl.1 \
    $(B)/torusctl.bash $(B)/bin/torussim
host/test/fabric_test.sh: $(B)/bin/torusctl $(B)/bin/boardsim
host/test/lib_test.sh: $(B)/libtorus.a $(B)/libtorus.so

# Over USB: torusctl as it is, on boardsim's USB/IP and a machine that umockdev makes up.
USB_TESTS := $(B)/tests/test_usb $(B)/tests/test_usb_faults
TESTS += $(USB_TESTS)
USB_TEST_C := $(addprefix host/test/,mock_usb.c mock_device.c usb_rig.c)
# usb_machine: torusctl on such a machine, for make demo VIA=usb.
DEMO_usb += $(B)/tests/usb_machine
$(USB_TESTS) $(B)/tests/usb_machine: $(B)/tests/%: host/test/%.c $(USB_TEST_C) $(USB_TEST_C:.c=.h) \
        host/test/usbip_wire.h host/test/now.h $(B)/bin/torusctl $(B)/bin/boardsim
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(shell pkg-config --cflags umockdev-1.0 2>/dev/null) -o $@ $< $(USB_TEST_C) \
	    -lumockdev -lgobject-2.0 -lglib-2.0 -lpthread

# Twins of torusctl without a protection, $(B)/twin/NAME/torusctl: what sed does to a file of
# libtorus.
TWIN_status  := usb s/STATUS_BYTES = 2/STATUS_BYTES = 0/
TWIN_halt    := usb s/libusb_clear_halt(.*endpoint)/0/
TWIN_unplug  := usb s/return -1;/return 0;/
TWIN_channel := usb s/0x6010, INTERFACE_B/0x6010, INTERFACE_A/
TWIN_packet  := usb s/said ? said : 64/said/
# keeps: the board, while it rests.
TWIN_keeps   := transport s,bool others =,bool others = false \&\&,
REST_TWINS  := $(B)/twin/keeps/torusctl
TWINS := $(patsubst %,$(B)/twin/%/torusctl,status halt unplug channel packet)
$(TWINS) $(REST_TWINS): $(B)/twin/%/torusctl: host/lib/usb.c host/lib/transport.c $(CTL_O) $(HOST_O) \
        $(B)/libofr.a host/host.mk
	@mkdir -p $(@D)
	@sed '$(wordlist 2,99,$(TWIN_$*))' host/lib/$(firstword $(TWIN_$*)).c > $(@D)/twin.c
	@! cmp -s host/lib/$(firstword $(TWIN_$*)).c $(@D)/twin.c
	@$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -w $(shell pkg-config --cflags libftdi1 2>/dev/null) -o $@ \
	    $(@D)/twin.c $(filter-out $(B)/host/lib/$(firstword $(TWIN_$*)).o,$(CTL_O) $(HOST_O)) \
	    $(B)/libofr.a $(CTL_LIBS)
$(USB_TESTS): $(TWINS)
host/test/turns_test.sh host/test/serve_test.sh: $(REST_TWINS)

# The same of a file of torusctl.
TWIN_turns := counter_set s/about > low/0/
TWIN_reset := counter_set s/return true;/return false;/
# escapes: takes management's packets for the stream's.
TWIN_escapes := trace s/flits - packets . r->mgmt/flits/
# idle: takes options that do nothing.
TWIN_idle := torusctl s/if (why)/if (0)/
# rings: leaves its channels open. short: no twin, takes the first size for too long already.
TWIN_rings := b_eff s/error = torus_channel_close.*/(void)a;/
TWIN_short := sizes s/cycles.<.1U.<<.30/false/
# cut: does not look whether the ends are free again.
TWIN_cut   := channel s/torus_channel_abort(t, end.i.) != TORUS_OK/torus_channel_abort(t, end[i]) > 99/
# endless: reads a file to its end.
TWIN_endless := file s/ \&\& .bytes <= most//
# over: takes a byte more of a file than its bound.
TWIN_over := file s/= (size_t)take.mib << 20;/= ((size_t)take.mib << 20) + 1;/
# gaps: takes all nodes for boards that are there.
TWIN_gaps := places s/!torus_gaps(t)/1/
CTL_TWINS := $(patsubst %,$(B)/twin/%/torusctl,turns reset escapes idle rings short cut endless over gaps)
$(CTL_TWINS): $(B)/twin/%/torusctl: $(wildcard host/torusctl/*.c) $(CTL_O) $(B)/libtorus.a host/host.mk
	@mkdir -p $(@D)
	@sed '$(wordlist 2,99,$(TWIN_$*))' host/torusctl/$(firstword $(TWIN_$*)).c > $(@D)/twin.c
	@! cmp -s host/torusctl/$(firstword $(TWIN_$*)).c $(@D)/twin.c
	@$(CC) $(CPPFLAGS) -Ihost/lib -Ihost/torusctl $(CFLAGS) -w -o $@ $(@D)/twin.c \
	    $(filter-out $(B)/host/torusctl/$(firstword $(TWIN_$*)).o,$(CTL_O)) $(B)/libtorus.a $(CTL_LIBS)
host/test/fabric_test.sh host/test/trace_test.sh host/test/options_test.sh host/test/file_test.sh: $(CTL_TWINS)
host/test/trace_test.sh host/test/places_test.sh host/test/turns_test.sh: $(B)/bin/torusctl $(B)/bin/boardsim

# libFuzzer (clang 14) with its sanitizers, from a kept corpus: what a board may send to the
# library, a host or another board to the firmware, clients and a board to serve. $(B)/fuzz/NAME, and
# NAME.twin, a file of it as sed leaves it, without a check.
FUZZ_SECONDS ?= 30
FUZZ_SHORT   := 10# seconds in make test
FUZZ_FLAGS = -g -O1 -w -std=gnu11 -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all -Isim/model -Ifirmware -Ihost/lib -Ihost/torusctl -Ihost/test \
    $(shell pkg-config --cflags libftdi1 2>/dev/null)
FUZZ_NAMES := host firmware relay
FUZZ_TESTS := $(FUZZ_NAMES:%=$(B)/tests/fuzz_%)
TESTS += $(FUZZ_TESTS) host/test/fuzz_test.sh
FUZZ_C_host     := host/test/fuzz_calls.c host/torusctl/debug.c $(HOST_C)
FUZZ_C_firmware := host/test/fake.c $(FW_C:%=firmware/%.c)
FUZZ_C_relay    := host/torusctl/relay.c
FUZZ_TWIN_host     := host/lib/counters.c s/r->have\[node\] + count > TORUS_COUNTERS/0/
FUZZ_TWIN_firmware := firmware/wire.c s/from = 1, left/from = fw->rx_count, left/
FUZZ_TWIN_relay    := host/torusctl/relay.c s/if (r->client.client.\.known.i.\.number)/if (0)/
# In a time of its own, fuzz_host.c's.
FUZZ_FLAGS_host := -Dclock_gettime=fuzz_clock -Dnanosleep=fuzz_sleep
FUZZ_LIBS_host  := $(B)/libofr.a $(USB_LIBS)
FUZZ_LIBS_firmware := $(B)/libofr.a

$(foreach n,$(FUZZ_NAMES),$(eval $(B)/fuzz/$n: $(FUZZ_C_$n)))
$(FUZZ_NAMES:%=$(B)/fuzz/%): $(B)/fuzz/%: host/test/fuzz_%.c $(HOST_H) $(CTL_H) $(FW_H) \
        host/test/fake.h host/test/fuzz_calls.h $(B)/libofr.a host/host.mk
	@mkdir -p $(@D)
	clang-14 $(FUZZ_FLAGS) $(FUZZ_FLAGS_$*) -o $@ $< $(FUZZ_C_$*) $(FUZZ_LIBS_$*)
$(FUZZ_NAMES:%=$(B)/fuzz/%.twin): $(B)/fuzz/%.twin: $(B)/fuzz/%
	@sed '$(wordlist 2,99,$(FUZZ_TWIN_$*))' $(firstword $(FUZZ_TWIN_$*)) > $@.c
	@! cmp -s $(firstword $(FUZZ_TWIN_$*)) $@.c
	clang-14 $(FUZZ_FLAGS) $(FUZZ_FLAGS_$*) -I$(dir $(firstword $(FUZZ_TWIN_$*))) -o $@ host/test/fuzz_$*.c $@.c \
	    $(filter-out $(firstword $(FUZZ_TWIN_$*)),$(FUZZ_C_$*)) $(FUZZ_LIBS_$*)

# What fake boards answer to every call, as inputs of the fuzzer.
$(B)/fuzz/seeds: host/test/fuzz_seeds.c host/test/fuzz_calls.c host/test/fuzz_calls.h host/test/fake.c \
        host/test/fake_time.c host/test/fake.h $(HOST_H) $(HOST_O) $(B)/libfw.a $(B)/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Ihost/lib $(CFLAGS) -o $@ $(filter %.c,$^) $(HOST_O) $(B)/libfw.a $(B)/libofr.a \
	    $(USB_LIBS)
$(B)/fuzz/host.seeds: $(B)/fuzz/seeds
	@rm -rf $@ && mkdir -p $@
	$< $@
$(B)/tests/fuzz_host host/test/fuzz_test.sh: $(B)/fuzz/host.seeds
host/test/fuzz_test.sh: $(B)/libtorus.so

$(FUZZ_TESTS): $(B)/tests/fuzz_%: $(B)/fuzz/% $(B)/fuzz/%.twin host/test/fuzz.sh host/host.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec sh host/test/fuzz.sh %s "$${FUZZ_SECONDS:-$(FUZZ_SHORT)}"\n' $* > $@
	@chmod +x $@

SOAK += $(B)/tests/fuzz_soak
$(B)/tests/fuzz_soak: $(FUZZ_TESTS)
	@printf '#!/bin/sh\nset -e\nfor t in $(FUZZ_TESTS); do FUZZ_SECONDS=600 "$$t"; done\n' > $@ && chmod +x $@

.PHONY: fuzz
fuzz: $(FUZZ_TESTS)
	@for t in $(FUZZ_TESTS); do FUZZ_SECONDS=$(FUZZ_SECONDS) $$t || exit 1; done

# A real kernel: what the tests in it need is fetched, 100 MB; where it cannot be had they are
# skipped.
TESTS += host/test/guest_test.sh
SOAK += host/test/guest_test.sh
GUEST_TESTS := host/test/guest_test.sh tests/demo_test.sh $(B)/tests/whole_soak
host/test/guest_test.sh: $(B)/bin/torusctl $(B)/bin/boardsim
$(GUEST_TESTS): $(B)/tests/usb_attach | $(B)/guest
$(B)/guest: host/test/guest.sh
	@sh $< || echo 'make: tests in a real kernel will be skipped'
$(B)/tests/usb_attach: host/test/usb_attach.c host/test/usbip_wire.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -static -o $@ $<

.PHONY: guest guest-files
guest-files:
	@sh host/test/guest.sh
DEMO_guest += $(B)/tests/usb_attach guest-files

guest: host/test/guest_test.sh guest-files
	@sh host/test/guest_test.sh
