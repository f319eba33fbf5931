/* Calls every function that works on files, right and wrong, in the current directory, and prints what comes of it. */
#include <rrd.h>
#include <malloc.h>
#include <stdlib.h>

#define COUNT(list) ((int) (sizeof(list) / sizeof(*(list))))
#define START 1000000000

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

static const char *definition[] = {"DS:a:GAUGE:600:U:U", "DS:b:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:10",
                                   "RRA:MAX:0.5:2:10"};

/* What an answer with a series is put into. */
static struct {
    time_t start, end;
    unsigned long step, columns;
    char **names;
    rrd_value_t *values;
} series;

#define SERIES &series.start, &series.end, &series.step, &series.columns, &series.names, &series.values

static void free_names(char **names, unsigned long count)
{
    for (unsigned long nth = 0; nth < count; nth++)
        rrd_freemem(names[nth]);
    rrd_freemem(names);
}

static void ask(time_t start, time_t end, unsigned long step)
{
    series.start = start;
    series.end = end;
    series.step = step;
}

/* Ruby's module reads a row more than the stretch has: its memory must be there. */
static void print_room(void)
{
    size_t rows = (size_t) (series.end - series.start) / series.step + 1;
    size_t bytes = rows * series.columns * sizeof(*series.values);
    printf("  %zu bytes, %s\n", bytes, malloc_usable_size(series.values) < bytes ? "MISSING" : "there");
}

/* Rows whose ends lie in the stretch; what is beyond them nobody promises. */
static void print_series(void)
{
    printf("  %ld to %ld by %lu\n ", (long) series.start, (long) series.end, series.step);
    for (unsigned long nth = 0; nth < series.columns; nth++)
        printf(" '%s'", series.names[nth]);
    printf("\n");
    unsigned long rows = (unsigned long) (series.end - series.start) / series.step;
    for (unsigned long nth = 0; nth < rows * series.columns; nth++)
        printf(" %.17g%s", series.values[nth], (nth + 1) % series.columns ? "" : "\n");
    free_names(series.names, series.columns);
    rrd_freemem(series.values);
}

/* Prints a list but for what begins by chance; frees it. */
static void print_list(const char *what, rrd_info_t *first)
{
    printf("%s: %s '%s'\n", what, first ? "a list" : "none", rrd_get_error());
    rrd_clear_error();
    for (rrd_info_t *each = first; each; each = each->next) {
        rrd_info_t alone = *each;
        alone.next = NULL;
        printf("  %d ", alone.type);
        if (strstr(alone.key, "cur_row"))
            printf("%s\n", alone.key);
        else
            rrd_info_print(&alone);
    }
    rrd_info_free(first);
}

static void create(void)
{
    static const char *nonsense[] = {"DS:a"};
    SHOW(rrd_create_r("c.rrd", 300, START, 4, definition));
    SHOW(rrd_create_r("default-step.rrd", 0, START, 4, definition));
    SHOW(rrd_create_r("early.rrd", 300, 100, 4, definition));
    SHOW(rrd_create_r("now.rrd", 300, -1, 4, definition));
    SHOW(rrd_create_r("x.rrd", 300, START, 0, NULL));
    SHOW(rrd_create_r("x.rrd", 300, START, 2, definition));
    SHOW(rrd_create_r("x.rrd", 300, START, 2, definition + 2));
    SHOW(rrd_create_r("x.rrd", 300, START, 1, nonsense));
    SHOW(rrd_create_r("nowhere/x.rrd", 300, START, 4, definition));
    SHOW(rrd_create_r2("c.rrd", 300, START, 1, NULL, NULL, 4, definition));
    SHOW(rrd_last_r("early.rrd"));
    SHOW(rrd_last_r("default-step.rrd"));
    RUN(rrd_create, "argv.rrd", "--start", "1000000000", "--step", "300", "DS:a:GAUGE:600:U:U", "RRA:LAST:0:1:5");
    RUN(rrd_create, "argv.rrd", "--no-overwrite", "DS:a:GAUGE:600:U:U", "RRA:LAST:0:1:5");
    RUN(rrd_create, "argv.rrd", "--stop", "1");
    char *name_alone[] = {"create"};
    SHOW(rrd_create(1, name_alone));
}

static void update(void)
{
    static const char *two[] = {"1000000100:1:5", "1000000400:2:400"};
    static const char *one[] = {"1000000500:7"};
    static const char *few[] = {"1000000600:7"};
    SHOW(rrd_update_r("c.rrd", NULL, 2, two));
    SHOW(rrd_update_r("c.rrd", NULL, 2, two));
    SHOW(rrd_update_r("c.rrd", NULL, 0, NULL));
    SHOW(rrd_update_r("c.rrd", "b", 1, one));
    SHOW(rrd_update_r("c.rrd", "nix", 1, few));
    SHOW(rrd_update_r("c.rrd", NULL, 1, few));
    SHOW(rrd_update_r("nix.rrd", NULL, 1, few));
    SHOW(rrd_update_r(".", NULL, 1, few));
    SHOW(rrd_updatex_r("c.rrd", NULL, RRD_SKIP_PAST_UPDATES, 2, two));
    SHOW(rrd_updatex_r("c.rrd", NULL, 0, 2, two));
    RUN(rrd_update, "c.rrd", "--template", "a:b", "1000000700:2:500");
    RUN(rrd_update, "c.rrd");
    RUN(rrd_update, "-q");
    RUN(rrd_update, "c.rrd", "-t");
}

static void update_and_tell(void)
{
    static const char *samples[] = {"1000001000:3:900", "1000001400:4:1000"};
    for (int nth = 0; nth < 2; nth++) {
        rrd_infoval_t value = {.u_int = 7};
        rrd_info_t *head = rrd_info_push(NULL, strdup("head"), RD_I_INT, value);
        SHOW(rrd_update_v_r("c.rrd", NULL, 2, samples, head));
        print_list("update_v_r", head);
    }
    struct { /* Debian's library puts the words in another order */
        int argc;
        char *argv[3];
    } cases[] = {
        {3, {"updatev", "c.rrd", "1000002000:5:2000"}},
        {3, {"updatev", "c.rrd", "100:1:1"}},
        {3, {"updatev", "nix.rrd", "N:1:1"}},
        {2, {"updatev", "c.rrd", NULL}},
        {2, {"updatev", "-q", NULL}},
    };
    for (int nth = 0; nth < COUNT(cases); nth++)
        print_list("update_v", rrd_update_v(cases[nth].argc, cases[nth].argv));
}

static void fetch(void)
{
    ask(START, START + 1500, 1);
    SHOW(rrd_fetch_r("c.rrd", "AVERAGE", SERIES));
    print_room();
    print_series();
    ask(START, START + 1500, 600);
    SHOW(rrd_fetch_r("c.rrd", "MAX", SERIES));
    print_room();
    print_series();
    SHOW(rrd_fetch_r("c.rrd", "average", SERIES));
    SHOW(rrd_fetch_r("nix.rrd", "LAST", SERIES));
    char *right[] = {"fetch", "c.rrd", "AVERAGE", "-s", "1000000000", "-e", "start+20min", "-r", "5m"};
    SHOW(rrd_fetch(COUNT(right), right, SERIES));
    print_room();
    print_series();
    char *wrong[] = {"fetch", "c.rrd", "AVERAGE", "-s", "1100000000", "-e", "1000000000"};
    SHOW(rrd_fetch(COUNT(wrong), wrong, SERIES));
    SHOW(rrd_fetch(1, wrong, SERIES));
}

static void moments(void)
{
    SHOW(rrd_first_r("c.rrd", 0));
    SHOW(rrd_first_r("c.rrd", 1));
    SHOW(rrd_first_r("c.rrd", 2));
    SHOW(rrd_first_r("c.rrd", -1));
    SHOW(rrd_first_r("nix.rrd", 0));
    SHOW(rrd_last_r("c.rrd"));
    SHOW(rrd_last_r("nix.rrd"));
    time_t last;
    unsigned long count;
    char **names, **readings;
    SHOW(rrd_lastupdate_r("c.rrd", &last, &count, &names, &readings));
    printf("  %ld %lu %s=%s %s=%s\n", (long) last, count, names[0], readings[0], names[1], readings[1]);
    free_names(names, count);
    free_names(readings, count);
    SHOW(rrd_lastupdate_r("nix.rrd", &last, &count, &names, &readings));
    RUN(rrd_lastupdate, "c.rrd");
    RUN(rrd_first, "c.rrd", "--rraindex", "1");
    RUN(rrd_first, "c.rrd", "--rraindex", "7");
    RUN(rrd_last, "c.rrd");
    char *name_alone[] = {"x"};
    SHOW(rrd_first(1, name_alone));
    SHOW(rrd_last(1, name_alone));
    SHOW(rrd_lastupdate(1, name_alone));
}

static void info(void)
{
    print_list("info_r", rrd_info_r("c.rrd"));
    print_list("info_r", rrd_info_r("nix.rrd"));
    char *words[] = {"info", "early.rrd"}, *wrong[] = {"info", "-x"};
    print_list("info", rrd_info(2, words));
    print_list("info", rrd_info(1, words));
    print_list("info", rrd_info(2, wrong));
}

static size_t count_bytes(const void *bytes, size_t size, void *user)
{
    (void) bytes;
    *(size_t *) user += size;
    return size;
}

static size_t take_nothing(const void *bytes, size_t size, void *user)
{
    (void) bytes, (void) size, (void) user;
    return 0;
}

static void print_start_of(const char *name)
{
    char line[50];
    FILE *file = fopen(name, "r");
    printf("  %s: %s\n", name, file && fgets(line, sizeof line, file) ? line : "none");
    if (file)
        fclose(file);
}

static void dump(void)
{
    for (int header = 0; header < 4; header++) {
        size_t bytes = 0;
        SHOW(rrd_dump_cb_r("c.rrd", header, count_bytes, &bytes));
        printf("  %zu bytes\n", bytes);
    }
    SHOW(rrd_dump_cb_r("nix.rrd", 0, count_bytes, NULL));
    int code = rrd_dump_cb_r("c.rrd", 0, take_nothing, NULL);
    rrd_get_error()[strlen("error writing output file")] = 0; /* the rest is whatever errno was */
    SHOW(code);
    SHOW(rrd_dump_opt_r("c.rrd", "0.xml", 0));
    SHOW(rrd_dump_opt_r("c.rrd", "1.xml", 1));
    SHOW(rrd_dump_r("c.rrd", "r.xml"));
    SHOW(rrd_dump_r("nix.rrd", "n.xml"));
    print_start_of("0.xml");
    print_start_of("1.xml");
    print_start_of("r.xml");
    RUN(rrd_dump, "c.rrd", "argv.xml");
    print_start_of("argv.xml");
    char *name_alone[] = {"dump"};
    SHOW(rrd_dump(1, name_alone));
    RUN(rrd_restore, "argv.xml", "restored.rrd");
    RUN(rrd_restore, "argv.xml", "restored.rrd");
    RUN(rrd_restore, "nix.xml", "nix.rrd");
    SHOW(rrd_last_r("restored.rrd"));
    char *to_standard_output[] = {"dump", "-h", "none", "argv.rrd"};
    SHOW(rrd_dump(4, to_standard_output));
}

static void print_text(char *text)
{
    printf("%s '%s'\n", text ? text : "none", rrd_get_error());
    rrd_clear_error();
    free(text);
}

static void upkeep(void)
{
    char *words[] = {"list", "."};
    print_text(rrd_list_r(0, "."));
    print_text(rrd_list_r(1, "."));
    print_text(rrd_list_r(0, "nowhere"));
    print_text(rrd_list(2, words));
    print_text(rrd_list(1, words));
    RUN(rrd_tune, "c.rrd", "-h", "a:700", "--minimum", "b:1");
    RUN(rrd_tune, "c.rrd");
    RUN(rrd_tune, "c.rrd", "-h", "nix:700");
    RUN(rrd_tune, "nix.rrd", "-h", "a:700");
    RUN(rrd_resize, "c.rrd", "0", "GROW", "5");
    RUN(rrd_resize, "c.rrd", "9", "GROW", "5");
    char *name_alone[] = {"x"};
    SHOW(rrd_resize(1, name_alone));
    SHOW(rrd_flushcached(1, name_alone));
    print_list("grown", rrd_info_r("resize.rrd"));
}

static int answer(const char *name, enum cf_en cf, time_t *start, time_t *end, unsigned long *step,
                  unsigned long *columns, char ***names, rrd_value_t **values)
{
    printf("  asked for %s, %d, %ld to %ld by %lu\n", name, cf, (long) *start, (long) *end, *step);
    *step = 100;
    *start -= *start % 100;
    *end -= *end % 100;
    *columns = 2;
    *names = malloc(2 * sizeof(char *));
    (*names)[0] = strdup("x");
    (*names)[1] = strdup("y");
    long count = 2 * ((*end - *start) / 100 + 1);
    *values = malloc((size_t) count * sizeof(double));
    for (long nth = 0; nth < count; nth++)
        (*values)[nth] = (double) nth;
    return 0;
}

static int refuse(const char *name, enum cf_en cf, time_t *start, time_t *end, unsigned long *step,
                  unsigned long *columns, char ***names, rrd_value_t **values)
{
    (void) cf, (void) start, (void) end, (void) step, (void) columns, (void) names, (void) values;
    rrd_set_error("no such thing: %s", name);
    return -1;
}

static void callback(void)
{
    char *fetch_words[] = {"fetch", "cb//foo/bar", "AVERAGE", "-s", "1000000000", "-e", "1000000500"};
    char *xport_words[] = {"xport", "-s", "1000000000", "-e", "1000000500", "DEF:a=cb//foo:x:AVERAGE",
                           "DEF:b=c.rrd:a:AVERAGE", "XPORT:a:hello", "XPORT:b"};
    int unused;
    SHOW(rrd_fetch(COUNT(fetch_words), fetch_words, SERIES));
    SHOW(rrd_fetch_cb_register(answer));
    SHOW(rrd_fetch(COUNT(fetch_words), fetch_words, SERIES));
    print_series();
    ask(START, START + 500, 1);
    SHOW(rrd_fetch_r("cb//foo", "MAX", SERIES));
    print_series();
    SHOW(rrd_xport(COUNT(xport_words), xport_words, &unused, SERIES));
    print_series();
    SHOW(rrd_fetch_cb_register(refuse));
    SHOW(rrd_fetch(COUNT(fetch_words), fetch_words, SERIES));
    SHOW(rrd_xport(COUNT(xport_words), xport_words, &unused, SERIES));
    SHOW(rrd_xport(1, xport_words, &unused, SERIES));
}

static void graph(void)
{
    char **printed = NULL;
    int width = -1, height = -1;
    double low = 0, high = 0;
    char *print[] = {"graph", "-", "-s", "1000000000", "-e", "1000000500", "DEF:a=c.rrd:a:AVERAGE",
                     "PRINT:a:MAX:%lf", "PRINT:a:MIN:%lf"};
    SHOW(rrd_graph(COUNT(print), print, &printed, &width, &height, NULL, &low, &high));
    printf("  %s %s %s, %dx%d\n", printed[0], printed[1], printed[2] ? "more" : "no more", width, height);
    free_names(printed, 3);
    char *draw[] = {"graph", "-", "-s", "1000000000", "-e", "1000000500", "DEF:a=c.rrd:a:AVERAGE", "LINE:a#ff0000"};
    FILE *image = fopen("image.png", "w");
    SHOW(rrd_graph(COUNT(draw), draw, &printed, &width, &height, image, &low, &high));
    fclose(image);
    char start[4] = "";
    image = fopen("image.png", "r");
    printf("  %zu bytes: %.3s\n", fread(start, 1, 4, image), start + 1);
    fclose(image);
    /* How far the axis reaches is the drawing's own choice. */
    printf("  %s, %d %d %d\n", printed ? "printed" : "nothing printed", width > 0, height > 0, low < high);
    SHOW(rrd_graph(1, draw, &printed, &width, &height, NULL, &low, &high));
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    create();
    update();
    update_and_tell();
    fetch();
    moments();
    info();
    dump();
    upkeep();
    callback();
    graph();
    return 0;
}
