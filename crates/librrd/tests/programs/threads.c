/*
 * Many threads, each with a file of its own: they update, read and err at once. Each sees its own data and its own
 * errors. Prints how often; fails at the first surprise.
 */
#include <pthread.h>
#include <rrd.h>
#include <stdlib.h>

enum { THREADS = 16, ROUNDS = 200 };

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            fprintf(stderr, "line %d: %s: '%s'\n", __LINE__, #condition, rrd_get_error());    \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

static void check_rows(const char *file, int rounds, int own)
{
    time_t start = 1000000000, end = 1000000000 + 10 * rounds;
    unsigned long step = 10, columns;
    char **names;
    rrd_value_t *values;
    CHECK(rrd_fetch_r(file, "AVERAGE", &start, &end, &step, &columns, &names, &values) == 0);
    CHECK(step == 10 && columns == 1 && strcmp(names[0], "a") == 0);
    for (int nth = 0; nth < rounds; nth++)
        CHECK(values[nth] == 1000 * own + nth);
    free(names[0]);
    free(names);
    free(values);
}

static void *work(void *argument)
{
    int own = (int) (long) argument;
    char file[32], missing[32], sample[64], expected[128];
    const char *definition[] = {"DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:1000"};
    const char *samples[] = {sample};
    snprintf(file, sizeof file, "%d.rrd", own);
    snprintf(missing, sizeof missing, "missing-%d.rrd", own);
    snprintf(expected, sizeof expected, "opening '%s': No such file or directory", missing);
    CHECK(rrd_create_r(file, 10, 1000000000, 2, definition) == 0);
    for (int nth = 0; nth < ROUNDS; nth++) {
        snprintf(sample, sizeof sample, "%d:%d", 1000000000 + 10 * (nth + 1), 1000 * own + nth);
        CHECK(rrd_update_r(file, NULL, 1, samples) == 0);
        CHECK(!rrd_test_error());
        CHECK(rrd_update_r(missing, NULL, 1, samples) == -1);
        CHECK(strcmp(rrd_get_error(), expected) == 0);
        rrd_clear_error();
        CHECK(rrd_update_r(file, NULL, 1, samples) == -1);
        CHECK(strncmp(rrd_get_error(), file, strlen(file)) == 0);
        rrd_clear_error();
        if (nth % 10 == 9)
            check_rows(file, nth + 1, own);
        CHECK(rrd_last_r(file) == 1000000000 + 10 * (nth + 1));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long nth = 0; nth < THREADS; nth++)
        CHECK(pthread_create(&threads[nth], NULL, work, (void *) nth) == 0);
    for (int nth = 0; nth < THREADS; nth++)
        CHECK(pthread_join(threads[nth], NULL) == 0);
    printf("%d threads, %d updates each\n", THREADS, ROUNDS);
    return 0;
}
