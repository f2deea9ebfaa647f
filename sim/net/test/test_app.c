// SPDX-License-Identifier: Apache-2.0
// Applications: what the readers take and refuse, what a replay makes of them: times by hand, and
// on random programs none sooner than its longest chain. test_app [seed]
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/application.h"
#include "app/collective.h"
#include "exact.h"
#include "run/engine.h"
#include "topo/name.h"

static uint64_t seed;
static char folder[] = "/tmp/test_app.XXXXXX", path[64];

static void write_file(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// From the text of a file; the test fails where it is refused.
static struct net_application *read_text(const char *text)
{
    char wrong[400] = "";
    write_file("app", text);
    struct net_application *app = net_application_read(path, wrong, sizeof wrong);
    if (!app)
        fail_msg("%s", wrong);
    return app;
}

static void refuses(const char *text, const char *why)
{
    char wrong[400] = "";
    write_file("app", text);
    struct net_application *app = net_application_read(path, wrong, sizeof wrong);
    net_application_free(app);
    if (app || !strstr(wrong, why))
        fail_msg("%s: `%s' instead of `%s'", text, app ? "taken" : wrong, why);
}

static struct net_config config_for(const struct net_application *app, const char *torus)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, NET_ABR);
    char wrong[200];
    assert_true(net_torus_parse(torus, &c.torus));
    c.application = app;
    c.pipelined = true;
    assert_null(net_config_check(&c, wrong, sizeof wrong));
    return c;
}

// When the last operation ends, ns.
static double solution(const struct net_config *c)
{
    struct net_result r = net_run(c, 0, NULL, NULL);
    assert_int_equal(r.end, NET_DRAINED);
    assert_int_equal(r.consumed, r.generated);
    double ns = (double)r.solution / NET_UNITS_PER_NS;
    net_result_free(&r);
    return ns;
}

// One packet over one hop, and over each further one: Table 1's delays.
#define ONE_HOP (64 + 80 + 204.8 + 200 + 64 + 80)
#define PER_HOP (204.8 + 200)

static void assert_solution(const char *text, const char *torus, double ns)
{
    struct net_application *app = read_text(text);
    struct net_config c = config_for(app, torus);
    double got = solution(&c);
    if (got < ns - 1e-6 || got > ns + 1e-6)
        fail_msg("%s: %.3f ns instead of %.3f", text, got, ns);
    net_application_free(app);
}

static void by_hand(void **state)
{
    (void)state;
    // There and back again, with computation between.
    assert_solution("torussim-application 1\nranks 2\nrank 0\ncalc 1000\nsend 1 512 7\nrecv 1 8\n"
                    "rank 1\nrecv 0 7\ncalc 500.5\nsend 0 1 8\n",
                    "4", 1500.5 + 2 * ONE_HOP);
    // What was begun before goes on beside: the send does not wait for the computation behind it.
    assert_solution("torussim-application 1\nranks 2\nrank 0\nsend 1 512 0\ncalc 5000 after\n"
                    "rank 1\nrecv 0 0\n",
                    "4", 5000);
    // A receive of what has long arrived ends at once, one that comes first waits.
    assert_solution("torussim-application 1\nranks 2\nrank 0\nsend 1 0 0\nrank 1\ncalc 4000\n"
                    "recv 0 0\ncalc 10\n",
                    "4", 4010);
    // The same with irequires: the computation begins with the receive, and lasts longer or
    // shorter.
    assert_solution("num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3\n}\nrank 1 {\n"
                    "l1: recv 8b from 0 tag 3\nl2: calc 2000 cpu 0\nl3: calc 100\n"
                    "l2 irequires l1\nl3 requires l2\nl3 requires l1\n}\n",
                    "4", 2100);
    assert_solution(
        "num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 8b to 1 tag 3\nl2 requires l1\n}\n"
        "rank 1 {\nl1: recv 8b from 0 tag 3\nl2: calc 2000\nl3: calc 100\n"
        "l2 irequires l1\nl3 requires l2\nl3 requires l1\n}\n",
        "4", 5000 + ONE_HOP + 100);
    // A message to itself goes by the own node's sink.
    assert_solution("torussim-application 1\nranks 1\nrank 0\nsend 0 9 0\nrecv 0 0\ncalc 1\n", "4",
                    64 + 80 + 64 + 80 + 1);
    // Four packets follow each other on the link.
    assert_solution("torussim-application 1\nranks 2\nrank 0\nsend 1 2048 0\nrank 1\nrecv 0 0\n",
                    "4", ONE_HOP + 3 * 204.8);
    // Later messages that are born sooner are not held up by the one whose birth is known.
    assert_solution("torussim-application 1\nranks 2\nrank 0\ncalc 9000\nsend 1 8 1\n"
                    "recv 1 5 after\nsend 1 8 2\n"
                    "rank 1\nsend 0 8 5\nrecv 0 2\nrecv 0 1 after\n",
                    "4", 9000 + ONE_HOP);
    struct net_application *app = read_text("torussim-application 1\nranks 2\nrank 0\ncalc 1000\n"
                                            "send 1 8 0\nrank 1\nrecv 0 0\n");
    struct net_config c = config_for(app, "4");
    c.pace = 0.5;
    assert_true(solution(&c) == 500 + ONE_HOP);
    net_application_free(app);
}

static void own_format(void **state)
{
    (void)state;
#define HEAD "torussim-application 1\nranks 2\n"
    refuses("", "no operation");
    refuses("what\n", "line 1: neither");
    refuses("torussim-application 2\n", "line 1: must be `torussim-application 1'");
    refuses("torussim-application 1\n", "there is no `ranks NUMBER'");
    refuses("torussim-application 1\nranks 0\n", "line 2: must be `ranks NUMBER'");
    refuses("torussim-application 1\nranks 2 3\n", "line 2: must be `ranks NUMBER'");
    refuses(HEAD, "no operation");
    refuses(HEAD "calc 1\n", "line 3: must be `rank R'");
    refuses(HEAD "rank 2\n", "line 3: the rank must be 0 to 1");
    refuses(HEAD "rank 0\nrank 1\nrank 0\n", "line 5: rank 0 begins a second time");
    refuses(HEAD "rank 0\ncalc -1\n", "line 4: calc: NS");
    refuses(HEAD "rank 0\ncalc nan\n", "line 4: calc: NS");
    refuses(HEAD "rank 0\ncalc 1x\n", "line 4: calc: NS");
    refuses(HEAD "rank 0\nsend 2 8 0\n", "line 4: the rank must be 0 to 1");
    refuses(HEAD "rank 0\nsend 1 2147483648 0\n", "line 4: BYTES");
    refuses(HEAD "rank 0\nsend 1 8\n", "line 4: TAG");
    refuses(HEAD "rank 0\nrecv 1\n", "line 4: TAG");
    refuses(HEAD "rank 0\njump 1\n", "line 4: must be rank, calc, send or recv");
    refuses(HEAD "rank 0\ncalc 1\ncalc 1 before 0\n", "line 5: `before 0' instead of `after'");
    refuses(HEAD "rank 0\ncalc 1\ncalc 1 after 1\n", "line 5: after: must be numbers");
    refuses(HEAD "rank 0\nsend 1 8 0\n",
            "line 4: rank 0 sends 1 messages of tag 0 to rank 1, which "
            "receives 0");
    refuses(HEAD "rank 0\nsend 1 8 0\nrank 1\nrecv 0 1\n", "receives 0");
    refuses(HEAD "rank 0\nrecv 1 0\nrank 1\nsend 0 1 0\nrecv 0 0\n", "sends 0 messages");
    refuses(HEAD "rank 0\nrecv 1 0\nsend 1 8 0\nrank 1\nrecv 0 0\nsend 0 8 0\n",
            "waits for itself");
    refuses(HEAD "rank 0\nrecv 0 0\nsend 0 8 0\n", "waits for itself");
#undef HEAD
}

static void goal_format(void **state)
{
    (void)state;
#define HEAD "num_ranks 2\nrank 0 {\n"
    struct net_application *a = read_text("// a comment\nnum_ranks 2\n\nrank 1 { // rank\n"
                                          "l2: recv 16b from 0 tag 5 cpu 0 nic 0\n}\nrank 0 {\n"
                                          "l2 requires l1\n/* a longer\n one */ l1: calc 7\r\n"
                                          "l2: send 16b to 1 tag 5\n}\n");
    struct net_application *b = read_text("torussim-application 1\nranks 2\nrank 1\nrecv 0 5\n"
                                          "rank 0\ncalc 7\nsend 1 16 5\n");
    assert_int_equal(a->messages, 1);
    assert_int_equal(a->bytes, 16);
    assert_int_equal(a->ops, b->ops);
    a->op[0].amount = 0; // GOAL has it
    struct net_config c = config_for(a, "4"), d = config_for(b, "4");
    assert_true(solution(&c) == solution(&d));
    net_application_free(a);
    net_application_free(b);
    refuses("num_ranks 0\n", "line 1: must be `num_ranks N'");
    refuses("num_ranks 2\nrank 2 {\n", "line 2: must be `rank R {'");
    refuses("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "line 4: rank 0 begins a second time");
    refuses(HEAD "l1: calc 1\n", "there is no } at the end of rank 0");
    refuses(HEAD "l1: calc x\n}\n", "line 3: calc: must be ns");
    refuses(HEAD "l1: send 8 to 1\n}\n", "must be a number of bytes");
    refuses(HEAD "l1: send 8b from 1\n}\n", "there must be `to RANK'");
    refuses(HEAD "l1: send 8b to 2\n}\n", "the rank must be 0 to 1");
    refuses(HEAD "l1: recv 8b from -1 tag 1\n}\n", "a receive from any rank");
    refuses(HEAD "l1: recv 8b from 1 tag -1\n}\n", "any tag");
    refuses(HEAD "l1: calc 1 nic 1\n}\n", "behind the operation");
    refuses(HEAD "l1: calc 1\nl1: calc 2\n}\n", "line 4: label l1 is there twice");
    refuses(HEAD "l1: calc 1\nl1 requires l2\n}\n", "line 4: there is no label l2");
    refuses(HEAD "l1: calc 1\nl1 requires\n}\n", "line 4: there must be one label behind");
    refuses(HEAD "l1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n}\n", "waits for itself");
    refuses(HEAD "fly 1\n}\n", "line 3: must be calc, send or recv");
#undef HEAD
}

static void allprof_format(void **state)
{
    (void)state;
#define OTHER(rank)                                                                                \
    "# htor's PMPI Tracer 0.9 Output File\n\nMPI_Init:-:1:2:1000000\n"                             \
    "MPI_Comm_rank:1000001:99," #rank ",2:3:1000002\n"
#define REST(rank)                                                                                 \
    "MPI_Waitall:1000014:2:500:0:1000020\n"                                                        \
    "MPI_Allreduce:1000030:1:2:1:10,8,8:3:99," #rank ",2:1000040\nMPI_Finalize:1000050:-\n"
    char wrong[400] = "";
    write_file("t-1.txt", OTHER(1) "MPI_Isend:1000010:7:1:1,4,4:0:0:99,1,2:500:1000011\n"
                                   "MPI_Irecv:1000012:7:1:1,4,4:0:0:99,1,2:508:1000013\n" REST(1));
    write_file("t-0.txt", OTHER(0) "MPI_Isend:1000010:7:1:1,4,4:1:0:99,0,2:500:1000011\n"
                                   "MPI_Irecv:1000012:7:1:1,4,4:1:0:99,0,2:508:1000013\n" REST(0));
    struct net_application *app = net_application_read(path, wrong, sizeof wrong);
    if (!app) {
        fail_msg("%s", wrong);
        return;
    }
    assert_int_equal(app->ranks, 2);
    assert_int_equal(app->messages, 4);
    assert_int_equal(app->bytes, 2 * 4 + 2 * 8);
    struct net_config c = config_for(app, "4");
    // 2 us, 8 us, 1 us, 1 us of computation, the messages, 10 us, the allreduce, 10 us. The send
    // comes 10 us after the start, the receive 1 us later.
    assert_true(solution(&c) == 2000 + 8000 + 1000 + 1000 + 10000 + ONE_HOP + 10000);
    net_application_free(app);
    static const struct {
        const char *line, *why;
    } bad[] = {
        {"MPI_Alltoallv:1:2:3\n", "MPI_Alltoallv is not among the calls"},
        {"MPI_Send:1000010:7:1:1,4,4:1:0:99,0,2\n", "MPI_Send with 7 fields"},
        {"MPI_Send:1000010:7:1:1,4,4:1:0:99,0,3:1000011\n", "is not one of all 2 ranks"},
        {"MPI_Send:1000010:7:1:1,4,4:2:0:99,0,2:1000011\n", "there is no rank 2"},
        {"MPI_Send:1000010:7:1:1:1:0:99,0,2:1000011\n", "should be NUMBER,SIZE"},
        {"MPI_Recv:1000010:7:1:1,4,4:-1:0:99,0,2:0:1000011\n", "both must be known"},
        {"MPI_Barrier:1000000:99,0,2:1000011\n", "do not go on"},
        {"MPI_Isend:1000010:7:1:1,4,4:1:0:99,0,2:500:1000011\n", "never waited for"},
        {"MPI_Send:1000010:7:8589934592:6,8589934592:1:0:99,0,2:1000011\n", "should be a number"},
        {"MPI_Send:1000010:7:2000000000:6,2000000000:1:0:99,0,2:1000011\n", "2147483647 bytes"},
        {"MPI_Send:1000010:7:-5:6,-1:1:0:99,0,2:1000011\n", "`-5' should be a number"},
        {"MPI_Send:1000010:7:1:6,x:1:0:99,0,2:1000011\n", "`x' should be a number"},
        {"MPI_Send:1000010:7:1:6,4:1,9:0:99,0,2:1000011\n", "`1,9' should be a number"},
        {"MPI_Send:1000010:7:1:6,4:1:2147483648:99,0,2:1000011\n", "should be a number up to"},
        {"MPI_Send:1000010:7:1:6,4:1:0:99,1,2:1000011\n", "this is the file of rank 0"},
        {"MPI_Send:1000010abc:7:1:6,4:1:0:99,0,2:1000011\n", "should be numbers"},
        {"MPI_Send:1000010:7:1:6,4:1:0:99,0,2:1000011zzz\n", "should be numbers"},
        {"MPI_Bcast:1000010:7:1:6,4:4294967296:99,0,2:1000011\n", "there is no rank 4294967296"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s", OTHER(0), bad[i].line);
        write_file("t-0.txt", text);
        app = net_application_read(path, wrong, sizeof wrong);
        if (app || !strstr(wrong, bad[i].why))
            fail_msg("%s: `%s' instead of `%s'", bad[i].line, app ? "taken" : wrong, bad[i].why);
    }
    refuses("MPI_Init:-:1:2:3\n", "name the file of rank 0");
    write_file("t-1.txt", "");
    unlink(path);
#undef OTHER
#undef REST
}

// ---- Collectives: everybody's sends are somebody's receives, step by step they come to an end,
// and what is to reach whom does.

enum { MEMBERS = 40 };

struct member {
    struct net_application *app;
    uint32_t rank, first, last;
    unsigned step;
    uint64_t sent;
};

static void on_step(void *context, unsigned step, bool receive, unsigned peer, uint64_t bytes)
{
    struct member *m = context;
    assert_true(peer != m->rank && peer < m->app->ranks);
    assert_true(step >= m->step);
    if (step != m->step) {
        m->last = m->app->ops;
        m->step = step;
    }
    uint32_t o =
        net_application_op(m->app, (struct net_op){.kind = receive ? NET_OP_RECV : NET_OP_SEND,
                                                   .rank = m->rank,
                                                   .peer = peer,
                                                   .amount = receive ? 0 : bytes});
    m->sent += receive ? 0 : bytes;
    for (uint32_t before = m->first; before < m->last; before++)
        assert_true(net_application_after(m->app, o, before, false));
}

static void collectives(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= MEMBERS; n++)
        for (unsigned kind = NET_BARRIER; kind <= NET_SCAN; kind++) {
            struct net_application *app = net_application_new(n);
            uint64_t bytes[MEMBERS], sent = 0, expected = 0;
            uint32_t root = (uint32_t)(exact_random(&seed) % n);
            for (unsigned i = 0; i < MEMBERS; i++)
                bytes[i] = 100;
            for (unsigned i = 0; i < n; i++) {
                struct member m = {.app = app, .rank = i, .first = app->ops, .last = app->ops};
                bool same = exact_random(&seed) & 1;
                struct net_collective_call call = {
                    (enum net_collective)kind, i, n, root, bytes, bytes, same};
                net_collective(&call, on_step, &m);
                sent += m.sent;
            }
            char wrong[200];
            if (n > 1 && !net_application_finish(app, wrong, sizeof wrong))
                fail_msg("kind %u, %u members, root %u: %s", kind, n, root, wrong);
            unsigned power = 1, far = 0;
            while (2 * power <= n)
                power *= 2;
            for (unsigned f = 1; f < n; f *= 2)
                far += n - f;
            switch (kind) {
            case NET_BARRIER:
                break;
            case NET_ALLREDUCE:
                for (unsigned f = 1; f < power; f *= 2)
                    expected += power;
                expected = 100 * (expected + 2 * (n - power));
                break;
            case NET_ALLGATHER:
            case NET_ALLTOALL:
                expected = 100 * (uint64_t)n * (n - 1);
                break;
            case NET_SCAN:
                expected = 100 * far;
                break;
            default:
                expected = 100 * (n - 1);
                break;
            }
            assert_int_equal(sent, expected);
            net_application_free(app);
        }
}

// ---- Random programs

static void random_programs(void **state)
{
    (void)state;
    enum { OPS = 300 };
    for (unsigned round = 0; round < 40; round++) {
        uint32_t ranks = 2 + (uint32_t)(exact_random(&seed) % 15);
        struct net_application *app = net_application_new(ranks);
        double ends[OPS + 1];
        uint32_t last[17];
        memset(last, 0xff, sizeof last);
        struct ofr_torus torus;
        assert_true(net_torus_parse("4x4", &torus));
        double longest = 0;
        while (app->ops < OPS - 2) {
            uint32_t r = (uint32_t)(exact_random(&seed) % ranks), s = r;
            bool calc = exact_random(&seed) % 3 == 0;
            uint32_t bytes = (uint32_t)(exact_random(&seed) % 3000);
            if (!calc)
                s = (uint32_t)(exact_random(&seed) % ranks);
            // In this order nothing waits for itself.
            for (int half = 0; half < (calc ? 1 : 2); half++) {
                uint32_t rank = half ? s : r;
                struct net_op op = {.kind = (uint8_t)(calc   ? NET_OP_CALC
                                                      : half ? NET_OP_RECV
                                                             : NET_OP_SEND),
                                    .rank = rank,
                                    .peer = half ? r : s,
                                    .amount = calc   ? bytes * 60
                                              : half ? 0
                                                     : bytes};
                uint32_t o = net_application_op(app, op);
                double start = 0;
                if (last[rank] != NET_NO_OP && exact_random(&seed) % 8) {
                    assert_true(net_application_after(app, o, last[rank], false));
                    start = ends[last[rank]];
                }
                if (half) { // the send is the one before it
                    struct ofr_coord a = ofr_node_coord(&torus, r), b = ofr_node_coord(&torus, s);
                    unsigned hops = ofr_distance(&torus, &a, &b);
                    double there = ends[o - 1] + 64 + 80 + hops * PER_HOP;
                    // The send's own start, not its end, counts; its end is put at its start.
                    start = there > start ? there : start;
                }
                ends[o] = start + (calc ? bytes : 0);
                longest = ends[o] > longest ? ends[o] : longest;
                last[rank] = o;
            }
        }
        char wrong[200];
        assert_true(net_application_finish(app, wrong, sizeof wrong));
        struct net_config c = config_for(app, "4x4");
        c.pipelined = round & 1;
        c.routing = (enum net_routing)(exact_random(&seed) % 5);
        c.oidn = c.routing == NET_OFR;
        c.widn = c.routing == NET_OFR || c.routing == NET_POR;
        double ns = solution(&c), again = solution(&c);
        assert_true(ns == again);
        if (ns < longest - 1)
            fail_msg("round %u: %g ns, the longest chain takes %g", round, ns, longest);
        net_application_free(app);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),     cmocka_unit_test(own_format),
        cmocka_unit_test(goal_format), cmocka_unit_test(allprof_format),
        cmocka_unit_test(collectives), cmocka_unit_test(random_programs),
    };
    seed = exact_seed(argc, argv, 1);
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"app", "t-0.txt", "t-1.txt"};
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    return failed;
}
