/* Prints what librrd's helpers answer: errors, numbers, durations, times, lists. Needs no file but its directory. */
#include <errno.h>
#include <rrd.h>
#include <stdlib.h>

long rrd_lcd(long *numbers);

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void durations(void)
{
    static const struct {
        const char *text;
        unsigned long step;
    } cases[] = {
        {"5m", 1}, {"5m", 300}, {"5m", 7}, {"300", 1}, {"7", 300}, {"450s", 300}, {"1x", 1}, {"", 1}, {"-5", 1},
        {"+5", 1}, {" 5", 1}, {"0", 1}, {"0m", 1}, {"1.5h", 1}, {"1d", 300}, {"1w", 1}, {"1M", 1}, {"1y", 1},
        {"5m ", 1}, {"5ms", 1}, {"abc", 1}, {"10m", 0}, {"1s", 5},
    };
    for (size_t nth = 0; nth < COUNT(cases); nth++) {
        unsigned long steps = 777;
        const char *fault = rrd_scaled_duration(cases[nth].text, cases[nth].step, &steps);
        printf("duration '%s' of %lu: %lu %s\n", cases[nth].text, cases[nth].step, steps, or_dash(fault));
    }
}

static void numbers(void)
{
    static const char *const texts[] = {"1.5", "  -2e3x", "-nan", "inf", "-inf", "U", "", "abc", "1,5", "0x10", ".5",
                                        "1e400", "5.", "--5", "1e", "infinity", "+7", "0.1", "123456789.123456789"};
    for (size_t nth = 0; nth < COUNT(texts); nth++) {
        char *rest = NULL;
        double number = rrd_strtod(texts[nth], &rest);
        printf("number '%s': %.17g rest '%s'", texts[nth], number, or_dash(rest));
        rest = NULL;
        unsigned int code = rrd_strtodbl(texts[nth], &rest, &number, "here");
        printf(", code %u: %.17g rest '%s' error '%s'\n", code, number, or_dash(rest), rrd_get_error());
        rrd_clear_error();
    }
    double value = 0;
    printf("without a place for words: %u '%s'\n", rrd_strtodbl("x", NULL, &value, NULL), rrd_get_error());
    long steps[3][4] = {{300, 1800, 86400, 0}, {7, 0}, {4, 6, 10, 0}};
    for (size_t nth = 0; nth < COUNT(steps); nth++)
        printf("common divisor: %ld\n", rrd_lcd(steps[nth]));
    double unknown = DNAN;
    unsigned long bits;
    memcpy(&bits, &unknown, sizeof bits);
    printf("unknown %lx, infinity %g\n", bits, DINF);
    long first = rrd_random(), second = rrd_random();
    printf("random: %d %d %d\n", first >= 0, second >= 0, first != second);
}

static void errors(void)
{
    printf("at first: %d '%s'\n", rrd_test_error(), rrd_get_error());
    rrd_set_error("a %d %s %5.2f", 5, "b", 1.5);
    printf("set: %d '%s'\n", rrd_test_error(), rrd_get_error());
    printf("in the context: %d\n", rrd_get_error() == rrd_get_context()->rrd_error);
    char longer[6000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    rrd_set_error("%s", longer);
    printf("long: %zu\n", strlen(rrd_get_error()));
    rrd_clear_error();
    printf("cleared: %d '%s'\n", rrd_test_error(), rrd_get_error());
    printf("%s\n", rrd_strerror(ENOENT));
    printf("%s\n", rrd_strerror(EACCES));
    rrd_context_t *own = rrd_new_context();
    printf("own context: '%s'\n", own->rrd_error);
    rrd_free_context(own);
    char buffer[8];
    printf("snprintf: %d", rrd_snprintf(buffer, sizeof buffer, "%s-%d %5.2f", "hello", 42, 1.5));
    printf(" '%s'\n", buffer);
    printf("version: %s %g\n", rrd_strversion(), rrd_version());
}

static void functions(void)
{
    static const char *const names[] = {"AVERAGE",    "MIN",         "MAX",      "LAST",        "HWPREDICT",
                                        "SEASONAL",   "DEVPREDICT",  "DEVSEASONAL", "FAILURES", "MHWPREDICT",
                                        "average",    "X",           ""};
    for (size_t nth = 0; nth < COUNT(names); nth++) {
        printf("cf '%s': %d '%s'\n", names[nth], rrd_cf_conv(names[nth]), rrd_get_error());
        rrd_clear_error();
    }
}

static void lists(void)
{
    char **list = NULL;
    size_t count = 0, capacity = 0;
    for (int nth = 0; nth < 10; nth++)
        printf("%d/%zu/%zu ", rrd_add_strdup_chunk(&list, &count, "x", &capacity, 4), count, capacity);
    printf("%s\n", list[9]);
    rrd_free_ptrs((void ***) &list, &count);
    printf("freed: %d %zu\n", list == NULL, count);
    printf("%d ", rrd_add_strdup(&list, &count, "one"));
    printf("%d ", rrd_add_ptr((void ***) &list, &count, strdup("two")));
    printf("%zu %s %s\n", count, list[0], list[1]);
    rrd_free_ptrs((void ***) &list, &count);
    rrd_infoval_t value = {.u_cnt = 5};
    rrd_info_t *first = rrd_info_push(NULL, strdup("count"), RD_I_CNT, value);
    value.u_val = 1.5;
    rrd_info_t *last = rrd_info_push(first, strdup("value"), RD_I_VAL, value);
    value.u_val = DNAN;
    last = rrd_info_push(last, strdup("unknown"), RD_I_VAL, value);
    value.u_val = DINF;
    last = rrd_info_push(last, strdup("infinite"), RD_I_VAL, value);
    value.u_str = strdup("text");
    last = rrd_info_push(last, strdup("text"), RD_I_STR, value);
    value.u_int = -3;
    last = rrd_info_push(last, strdup("integer"), RD_I_INT, value);
    value.u_blo.size = 3;
    value.u_blo.ptr = (unsigned char *) strdup("xyz");
    rrd_info_push(last, strdup("blob"), RD_I_BLO, value);
    rrd_info_print(first);
    printf("\n");
    rrd_info_free(first);
}

static void directories(void)
{
    fclose(fopen("file", "w"));
    static const char *const paths[] = {"a/b//c", "a/b//c", "file", "file/below", ""};
    for (size_t nth = 0; nth < COUNT(paths); nth++) {
        errno = 0;
        printf("mkdir '%s': %d", paths[nth], rrd_mkdir_p(paths[nth], 0755));
        printf(" %d\n", errno == ENOENT ? 0 : errno); /* ENOENT is left over from looking */
    }
}

static void times(void)
{
    /* Of a time that counts from another, the calendar's fields are what is added. */
    static const char *const texts[] = {"1234567890", "12:00 01.02.2020", "20200102", "end-1h", "start+5m",
                                        "1234567890+5m", "end-1month-3d", "epoch+5d"};
    for (size_t nth = 0; nth < COUNT(texts); nth++) {
        rrd_time_value_t time;
        memset(&time, 0, sizeof time);
        const char *fault = rrd_parsetime(texts[nth], &time);
        printf("time '%s': %s type %d offset %ld, %d-%d-%d %d:%d:%d\n", texts[nth], or_dash(fault), time.type,
               time.offset, time.tm.tm_year, time.tm.tm_mon, time.tm.tm_mday, time.tm.tm_hour, time.tm.tm_min,
               time.tm.tm_sec);
    }
    static const char *const wrong[] = {"garbage", "epoch", "end", "noon 5 Mar", "1234567890 x", "12:99"};
    for (size_t nth = 0; nth < COUNT(wrong); nth++) {
        rrd_time_value_t time;
        printf("time '%s': %s\n", wrong[nth], or_dash(rrd_parsetime(wrong[nth], &time)));
    }
}

static void stretches(void)
{
    static const char *const pairs[][2] = {
        {"end-1h", "1234567890"},         {"1234567890", "start+1d"},
        {"end-1h", "start+1h"},           {"start-1h", "now"},
        {"1000000000", "1100000000"},     {"12:00 01.02.2020 + 1 month", "start+1month"},
        {"end-1y", "12:00 01.02.2020"},   {"1000000000", "end-1h"},
    };
    for (size_t nth = 0; nth < COUNT(pairs); nth++) {
        rrd_time_value_t start, end;
        time_t start_seconds = 0, end_seconds = 0;
        rrd_parsetime(pairs[nth][0], &start);
        rrd_parsetime(pairs[nth][1], &end);
        int code = rrd_proc_start_end(&start, &end, &start_seconds, &end_seconds);
        printf("from %s to %s: %d", pairs[nth][0], pairs[nth][1], code);
        if (code == 0)
            printf(" %ld %ld", (long) start_seconds, (long) end_seconds);
        printf(" '%s'\n", rrd_get_error());
        rrd_clear_error();
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    errors();
    numbers();
    durations();
    functions();
    lists();
    directories();
    times();
    stretches();
    return 0;
}
