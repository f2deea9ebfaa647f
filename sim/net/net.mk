# SPDX-License-Identifier: Apache-2.0
# torussim: every .c of its rooms; its tests in test/: each test/test_NAME.c is one cmocka program.

NET_ROOMS := topo config app traffic route packet flit dragonfly measure limit study run output cli
NET_C := $(sort $(wildcard $(addprefix sim/net/,$(NET_ROOMS:%=%/*.c))))
NET_O := $(NET_C:%.c=$(B)/%.o) $(B)/sim/net/study/experiments.o
NET_H := $(wildcard $(addprefix sim/net/,$(NET_ROOMS:%=%/*.h))) $(MODEL_H)
NET_LIB_O := $(filter-out $(B)/sim/net/cli/torussim.o,$(NET_O))

# Tori have more dimensions here, so it has a libofr of its own.
NET_INCLUDES := -Isim/net -include sim/net/topo/dims.h
NET_MODEL_O := $(MODEL_C:%.c=$(B)/net/%.o)
$(NET_MODEL_O): $(B)/net/%.o: %.c $(MODEL_H) sim/net/topo/dims.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(NET_INCLUDES) $(CFLAGS) -c -o $@ $<

$(B)/net/libofr.a: $(NET_MODEL_O)
	ar rcs $@ $^

PROGRAMS += $(B)/bin/torussim
LINT_CFLAGS += $(NET_INCLUDES)

$(NET_C:%.c=$(B)/%.o): $(B)/%.o: %.c $(NET_H)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(NET_INCLUDES) -D_GNU_SOURCE $(CFLAGS) -O3 -c -o $@ $<

# With MPI where Open MPI's development files are: one file is built with it.
MPI_CFLAGS = $$(pkg-config --exists ompi-c 2>/dev/null && echo -DNET_MPI $$(pkg-config --cflags ompi-c))
MPI_LIBS = $$(pkg-config --libs ompi-c 2>/dev/null)

# Made anew where Open MPI has come since (make demo does without it, make test installs it).
$(B)/sim/net/mpi: FORCE
	@mkdir -p $(@D)
	@pkg-config --cflags ompi-c > $@.new 2>/dev/null || :
	@cmp -s $@.new $@ || cp $@.new $@

$(B)/sim/net/run/ranks.o: $(B)/sim/net/mpi
$(B)/sim/net/run/ranks.o: CPPFLAGS += $(MPI_CFLAGS)

# The built-in experiments
NET_EXPERIMENTS := $(sort $(wildcard sim/net/study/experiments/*.json))

$(B)/sim/net/study/experiments.c: sim/net/study/experiments.awk $(NET_EXPERIMENTS)
	@mkdir -p $(@D)
	@awk -f sim/net/study/experiments.awk $(NET_EXPERIMENTS) > $@

$(B)/sim/net/study/experiments.o: $(B)/sim/net/study/experiments.c $(NET_H)
	$(CC) $(CPPFLAGS) $(NET_INCLUDES) $(CFLAGS) -c -o $@ $<

# Its version is libtorus's.
$(B)/sim/net/cli/torussim.o: host/lib/libtorus.h
$(B)/sim/net/cli/torussim.o: CPPFLAGS += -DTORUSSIM_VERSION='"$(shell sh tests/version.sh)"'

$(B)/bin/torussim: $(B)/sim/net/cli/torussim.o $(NET_LIB_O) $(B)/net/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ -ljansson -lm -lpthread $(MPI_LIBS) $(LDLIBS)

# The recorder of MPI programs, and examples of such; without Open MPI's development files: empty.
NET_EXAMPLES := $(patsubst sim/net/app/examples/%.c,$(B)/net/examples/%,$(wildcard sim/net/app/examples/*.c))
$(B)/lib/torussim-record.so: sim/net/app/mpi/record.c sim/net/app/collective.c $(NET_H) $(B)/sim/net/mpi
	@mkdir -p $(@D)
	if pkg-config --exists ompi-c; then $(CC) $(CPPFLAGS) $(NET_INCLUDES) -D_GNU_SOURCE $(MPI_CFLAGS) \
	    $(CFLAGS) -fPIC -shared -o $@ $(filter %.c,$^) $(MPI_LIBS); else : > $@; fi
$(NET_EXAMPLES): $(B)/net/examples/%: sim/net/app/examples/%.c $(B)/sim/net/mpi
	@mkdir -p $(@D)
	if pkg-config --exists ompi-c; then $(CC) -D_GNU_SOURCE $(MPI_CFLAGS) $(CFLAGS) -o $@ $< \
	    $(MPI_LIBS) -lm; else : > $@; fi
PROGRAMS += $(B)/lib/torussim-record.so

# What `torussim reproduce applications` replays: each example on 64 ranks.
NET_APPLICATIONS := $(addprefix $(B)/applications/,halo transpose sort)
.PHONY: applications
applications: $(NET_APPLICATIONS)
$(B)/applications/halo: RUN = halo 8 20
$(B)/applications/transpose: RUN = transpose 64 1
$(B)/applications/sort: RUN = sort 8192
$(NET_APPLICATIONS): $(B)/applications/%: $(B)/net/examples/% $(B)/bin/torussim $(B)/lib/torussim-record.so
	@mkdir -p $(@D)
	@rm -f $@
	@OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $(B)/bin/torussim record --out $@ \
	    mpirun --oversubscribe --bind-to none -np 64 $(B)/net/examples/$(RUN)
INSTALL_LIB += $(B)/lib/torussim-record.so

INSTALL_BIN += $(B)/bin/torussim
INSTALL_MAN1 += $(B)/torussim.1

# The options come from the program's table.
$(B)/torussim.1: sim/net/cli/torussim.1.in $(B)/bin/torussim
	@$(B)/bin/torussim --manual > $@.settings
	@sed -e '/@SETTINGS@/r $@.settings' -e '/@SETTINGS@/d' $< > $@

sim/net/test/cli_test.sh: $(B)/torussim.1

NET_TESTS := $(patsubst sim/net/test/%.c,$(B)/tests/%,$(wildcard sim/net/test/test_*.c))
TESTS += $(NET_TESTS)

$(NET_TESTS): $(B)/tests/%: sim/net/test/%.c sim/net/test/random_net.h sim/model/test/exact.h $(NET_H) $(NET_LIB_O) \
        $(B)/net/libofr.a sim/model/test/exact_random.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(NET_INCLUDES) -Isim/model/test $(CFLAGS) -o $@ $< \
	    sim/model/test/exact_random.c $(NET_LIB_O) $(B)/net/libofr.a -lcmocka -ljansson -lm \
	    -lpthread $(MPI_LIBS) $(LDLIBS)

NET_SCRIPTS := $(addprefix sim/net/test/,cli_test.sh limit_test.sh app_test.sh record_test.sh sweep_test.sh steady_test.sh view_test.sh reproduce_test.sh rdr_test.sh ranks_test.sh flit_test.sh dragonfly_test.sh threads_test.sh)
TESTS += $(NET_SCRIPTS)
$(NET_SCRIPTS): $(B)/bin/torussim

# Against the author's data: the highest loads in `make test`, all and gamma* in `make soak`.
$(B)/net/author: sim/net/test/author.c $(NET_H) $(NET_LIB_O) $(B)/net/libofr.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(NET_INCLUDES) $(CFLAGS) -o $@ $< $(NET_LIB_O) $(B)/net/libofr.a -ljansson -lm -lpthread \
	    $(MPI_LIBS) $(LDLIBS)

$(B)/tests/author: $(B)/net/author
	@printf '#!/bin/sh\nexec $(B)/net/author\n' > $@.new && chmod +x $@.new && mv $@.new $@
TESTS += $(B)/tests/author

$(B)/net/author_all: $(B)/net/author
	@printf '#!/bin/sh\nexec $(B)/net/author all\n' > $@.new && chmod +x $@.new && mv $@.new $@
SOAK += $(B)/net/author_all sim/net/test/threads_soak.sh
sim/net/test/threads_soak.sh: $(B)/bin/torussim

BENCH += sim/net/test/bench.sh
sim/net/test/bench.sh: $(B)/bin/torussim $(B)/net/round_trip
$(B)/net/round_trip: sim/net/test/round_trip.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -D_GNU_SOURCE $(CFLAGS) -o $@ $< -lpthread

# Under mpirun, by ranks_test.sh.
$(B)/net/ranks_nets: sim/net/test/ranks_nets.c sim/net/test/random_net.h sim/model/test/exact.h $(NET_H) \
        $(NET_LIB_O) $(B)/net/libofr.a sim/model/test/exact_random.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(NET_INCLUDES) -Isim/model/test $(CFLAGS) -o $@ $< sim/model/test/exact_random.c \
	    $(NET_LIB_O) $(B)/net/libofr.a -lcmocka -ljansson -lm -lpthread $(MPI_LIBS) $(LDLIBS)
sim/net/test/ranks_test.sh: $(B)/net/ranks_nets

sim/net/test/record_test.sh: $(B)/lib/torussim-record.so $(NET_EXAMPLES)
