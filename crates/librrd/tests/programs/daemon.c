/*
 * Calls every rrdc_ function, and others through a daemon: argv[1] is its address, the current directory its own.
 * Prints what comes of it.
 */
#include <rrd.h>
#include <rrd_client.h>
#include <stdlib.h>

#define COUNT(list) ((int) (sizeof(list) / sizeof(*(list))))

/* Prints the answer of a call and the error that it leaves. */
#define SHOW(call)                                                          \
    do {                                                                    \
        long answer_ = (long) (call);                                       \
        printf("%s -> %ld '%s'\n", #call, answer_, rrd_get_error());        \
        rrd_clear_error();                                                  \
    } while (0)

/* The same for a command line. */
#define RUN(function, ...)                                                                  \
    do {                                                                                    \
        char *words_[] = {#function, __VA_ARGS__};                                          \
        long answer_ = (long) function(COUNT(words_), words_);                              \
        printf(#function " " #__VA_ARGS__ " -> %ld '%s'\n", answer_, rrd_get_error());      \
        rrd_clear_error();                                                                  \
    } while (0)

static time_t start = 1000000000, end = 1000001500;
static unsigned long step = 1, columns;
static char **names;
static rrd_value_t *values;
static rrdc_stats_t *stats;
static const char *samples[] = {"1000000100:1:5", "1000000400:2:400"};
static const char *nonsense[] = {"nonsense"};
static const char *definition[] = {"DS:a:GAUGE:600:U:U", "DS:b:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:10",
                                   "RRA:MAX:0.5:2:10"};

#define SERIES &start, &end, &step, &columns, &names, &values

static void unconnected(const char *address)
{
    SHOW(rrdc_is_any_connected());
    SHOW(rrdc_is_connected(address));
    SHOW(rrdc_is_connected(NULL));
    SHOW(rrdc_update("c.rrd", 2, samples));
    SHOW(rrdc_flush("c.rrd"));
    SHOW(rrdc_forget("c.rrd"));
    SHOW(rrdc_info("c.rrd"));
    SHOW(rrdc_last("c.rrd"));
    SHOW(rrdc_first("c.rrd", 0));
    SHOW(rrdc_fetch("c.rrd", "AVERAGE", SERIES));
    SHOW(rrdc_stats_get(&stats));
    SHOW(rrdc_create("c.rrd", 300, 1000000000, 0, 0, NULL));
    SHOW(rrdc_disconnect());
    SHOW(rrdc_connect(NULL));
    SHOW(rrdc_connect(""));
    SHOW(rrdc_connect("unix:/nonexistent"));
    SHOW(rrdc_connect("127.0.0.1:1"));
}

static void connect_and_write(const char *address)
{
    static const char *sources[] = {"c.rrd", NULL};
    SHOW(rrdc_connect(address));
    SHOW(rrdc_connect(address));
    SHOW(rrdc_is_any_connected());
    SHOW(rrdc_is_connected(address));
    SHOW(rrdc_is_connected("unix:/x"));
    SHOW(rrdc_is_connected(NULL));
    SHOW(rrdc_create("c.rrd", 300, 1000000000, 0, 4, definition));
    SHOW(rrdc_create("c.rrd", 300, 1000000000, 1, 4, definition));
    SHOW(rrdc_create("nix.rrd", 300, 1000000000, 1, 1, definition));
    SHOW(rrdc_create_r2("copy.rrd", 300, 1000000000, 0, sources, NULL, 4, definition));
    SHOW(rrdc_update("c.rrd", 2, samples));
    SHOW(rrdc_update("c.rrd", 2, samples));
    SHOW(rrdc_update("c.rrd", 0, NULL));
    SHOW(rrdc_update("nix.rrd", 2, samples));
    SHOW(rrdc_update("c.rrd", 1, nonsense));
    SHOW(rrdc_flush("c.rrd"));
    SHOW(rrdc_flush("nix.rrd"));
    SHOW(rrdc_forget("c.rrd"));
    SHOW(rrdc_forget("c.rrd"));
}

static void print_info(rrd_info_t *first)
{
    printf("info: %s '%s'\n", first ? "a list" : "none", rrd_get_error());
    rrd_clear_error();
    for (rrd_info_t *each = first; each; each = each->next) {
        rrd_info_t alone = *each;
        alone.next = NULL;
        if (!strstr(alone.key, "cur_row")) {
            printf("  %d ", alone.type);
            rrd_info_print(&alone);
        }
    }
    rrd_info_free(first);
}

static void read_back(const char *address)
{
    SHOW(rrdc_last("c.rrd"));
    SHOW(rrdc_last("nix.rrd"));
    SHOW(rrdc_first("c.rrd", 0));
    SHOW(rrdc_first("c.rrd", 1));
    SHOW(rrdc_first("c.rrd", 9));
    print_info(rrdc_info("c.rrd"));
    print_info(rrdc_info("nix.rrd"));
    SHOW(rrdc_fetch("c.rrd", "AVERAGE", SERIES));
    printf("  %ld to %ld by %lu: %s %s\n", (long) start, (long) end, step, names[0], names[1]);
    for (time_t row = 0; row < (end - start) / (time_t) step; row++)
        printf("  %.17g %.17g\n", values[2 * row], values[2 * row + 1]);
    SHOW(rrdc_fetch("nix.rrd", "AVERAGE", SERIES));
    SHOW(rrdc_fetch("c.rrd", "NIX", SERIES));
    SHOW(rrdc_stats_get(&stats));
    for (rrdc_stats_t *each = stats; each; each = each->next)
        printf("  %s %d %d\n", each->name, each->type, each->flags);
    rrdc_stats_free(stats);
    SHOW(rrdc_flush_if_daemon(address, "c.rrd"));
    SHOW(rrdc_flush_if_daemon(address, "nix.rrd"));
    SHOW(rrdc_flush_if_daemon(NULL, "c.rrd"));
    SHOW(rrdc_flush_if_daemon("unix:/nonexistent", "c.rrd"));
    SHOW(rrdc_is_any_connected());
}

/* Command lines that name a daemon. */
static void through(char *address)
{
    RUN(rrd_update, "--daemon", address, "c.rrd", "1000000800:3:5");
    RUN(rrd_update, "--daemon", address, "c.rrd", "1000000100:3:5");
    RUN(rrd_flushcached, "--daemon", address, "c.rrd");
    RUN(rrd_last, "--daemon", address, "c.rrd");
    RUN(rrd_first, "--daemon", address, "c.rrd");
    RUN(rrd_update, "--daemon", address, "c.rrd", "1000000900:4:6");
    char *fetch[] = {"fetch", "c.rrd", "AVERAGE", "-s", "1000000000", "-e", "1000001500", "--daemon", address};
    SHOW(rrd_fetch(COUNT(fetch), fetch, SERIES));
    printf("  %ld to %ld, %g\n", (long) start, (long) end, values[2]);
    char *info[] = {"info", "--daemon", address, "c.rrd"};
    print_info(rrd_info(COUNT(info), info));
    RUN(rrd_create, "made.rrd", "--daemon", address, "-b", "1000000000", "DS:a:GAUGE:600:U:U", "RRA:LAST:0.5:1:9");
    RUN(rrd_last, "made.rrd");
    SHOW(rrdc_disconnect());
    SHOW(rrdc_is_any_connected());
}

/* A daemon that the environment names. */
static void by_environment(const char *address)
{
    static const char *sample[] = {"1000001400:3:5"};
    setenv("RRDCACHED_ADDRESS", address, 1);
    SHOW(rrdc_connect(NULL));
    SHOW(rrdc_is_any_connected());
    SHOW(rrdc_is_connected(NULL));
    SHOW(rrdc_flush_if_daemon(NULL, "c.rrd"));
    RUN(rrd_update, "c.rrd", "1000001100:3:5");
    SHOW(rrdc_disconnect());
    RUN(rrd_update, "c.rrd", "1000001100:3:5");
    SHOW(rrdc_is_any_connected());
    SHOW(rrd_update_r("c.rrd", NULL, 1, sample));
    SHOW(rrd_last_r("c.rrd"));
    SHOW(rrdc_disconnect());
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    setvbuf(stdout, NULL, _IONBF, 0);
    unconnected(argv[1]);
    connect_and_write(argv[1]);
    read_back(argv[1]);
    through(argv[1]);
    by_environment(argv[1]);
    return 0;
}
