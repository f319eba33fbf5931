/* Opens files by rrd_open, reads and writes them past the library's other functions, and prints what comes of it. */
#define RRD_EXPORT_DEPRECATED
#include <rrd.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Values and a function that Debian's header does not have, though its library does. */
enum { READ = 1, WRITE = 2, CREATE = 4, AHEAD = 8, COPY = 16, EXCLUSIVE = 32, VALUES = 64 };
int rrd_reduce_data(enum cf_en cf, unsigned long step_seconds, time_t *start, time_t *end, unsigned long *step,
                    unsigned long *source_count, rrd_value_t **values);

#define START 1000000000

/* Prints the answer of a call, the error that it leaves, and errno where it fails without words. */
#define SHOW(call)                                                                               \
    do {                                                                                         \
        errno = 0;                                                                               \
        long answer_ = (long) (call);                                                            \
        int number_ = answer_ == -1 && !rrd_test_error() ? errno : 0;                            \
        printf("%s -> %ld '%s' %d\n", #call, answer_, rrd_get_error(), number_);                 \
        rrd_clear_error();                                                                       \
    } while (0)

static rrd_file_t *opened(const char *name, rrd_t *rrd, unsigned flags)
{
    rrd_file_t *file = rrd_open(name, rrd, flags);
    printf("%s %u: %s '%s'\n", name, flags, file ? "open" : "none", rrd_get_error());
    rrd_clear_error();
    if (file)
        printf("  header %zu of %zu bytes, at %zu, its own rrd_t %d\n", file->header_len, file->file_len, file->pos,
               file->rrd == rrd);
    return file;
}

static void close_both(rrd_file_t *file, rrd_t *rrd)
{
    SHOW(rrd_close(file));
    rrd_free(rrd);
}

static void make(const char *name)
{
    const char *definition[] = {"DS:a:GAUGE:600:-5:U", "DS:b:COUNTER:900:0:U", "RRA:AVERAGE:0.5:1:10",
                                "RRA:MAX:0.25:2:12"};
    const char *samples[] = {"1000000300:1:2", "1000000600.25:5:900", "1000000900:U:1000"};
    SHOW(rrd_create_r(name, 300, START, 4, definition));
    SHOW(rrd_update_r(name, NULL, 3, samples));
}

/* Everything that a header says but the rows' places, which are chosen by chance. */
static void print_header(const rrd_t *rrd)
{
    const stat_head_t *head = rrd->stat_head;
    printf("  %s %s %g: %lu sources, %lu archives, %lu s\n", head->cookie, head->version, head->float_cookie,
           head->ds_cnt, head->rra_cnt, head->pdp_step);
    printf("  last %ld %ld %ld\n", rrd->live_head->last_up, rrd->live_head->last_up_usec,
           rrd->legacy_last_up ? *rrd->legacy_last_up : 0);
    for (unsigned long ds = 0; ds < head->ds_cnt; ds++) {
        const ds_def_t *def = &rrd->ds_def[ds];
        const pdp_prep_t *pdp = &rrd->pdp_prep[ds];
        printf("  %s %s %lu %g %d: '%s' %lu %g\n", def->ds_nam, def->dst, def->par[DS_mrhb_cnt].u_cnt,
               def->par[DS_min_val].u_val, isnan(def->par[DS_max_val].u_val) != 0, pdp->last_ds,
               pdp->scratch[PDP_unkn_sec_cnt].u_cnt, pdp->scratch[PDP_val].u_val);
    }
    for (unsigned long rra = 0; rra < head->rra_cnt; rra++) {
        const rra_def_t *def = &rrd->rra_def[rra];
        printf("  %s %lu rows of %lu, xff %g, row %s\n", def->cf_nam, def->row_cnt, def->pdp_cnt,
               def->par[RRA_cdp_xff_val].u_val, rrd->rra_ptr[rra].cur_row < def->row_cnt ? "within" : "BEYOND");
        for (unsigned long ds = 0; ds < head->ds_cnt; ds++) {
            const unival *scratch = rrd->cdp_prep[rra * head->ds_cnt + ds].scratch;
            printf("    %d %lu\n", isnan(scratch[CDP_val].u_val) != 0, scratch[CDP_unkn_pdp_cnt].u_cnt);
        }
    }
}

static void headers(void)
{
    const unsigned ways[] = {READ, WRITE, READ | WRITE, READ | AHEAD, WRITE | COPY, READ | EXCLUSIVE, READ | VALUES};
    for (size_t nth = 0; nth < sizeof(ways) / sizeof(*ways); nth++) {
        rrd_t rrd;
        rrd_init(&rrd);
        rrd_file_t *file = opened("a.rrd", &rrd, ways[nth]);
        print_header(&rrd);
        printf("  parts at %td %td %td %td %td %td\n", (char *) rrd.ds_def - (char *) rrd.stat_head,
               (char *) rrd.rra_def - (char *) rrd.stat_head, (char *) rrd.live_head - (char *) rrd.stat_head,
               (char *) rrd.pdp_prep - (char *) rrd.stat_head, (char *) rrd.cdp_prep - (char *) rrd.stat_head,
               (char *) rrd.rra_ptr - (char *) rrd.stat_head);
        printf("  values %td\n", rrd.rrd_value ? (char *) rrd.rrd_value - (char *) rrd.stat_head : -1);
        printf("  descriptor %d\n", fcntl(((rrd_simple_file_t *) file->pvt)->fd, F_GETFD) != -1);
        close_both(file, &rrd);
        printf("  free: %d %d\n", rrd.stat_head != NULL, rrd.ds_def != NULL);
        rrd_free(&rrd);
    }
    rrd_t rrd;
    rrd_init(&rrd);
    opened("a.rrd", &rrd, 0);
    opened("a.rrd", &rrd, VALUES);
    opened("none.rrd", &rrd, READ);
    opened("none.rrd", &rrd, WRITE);
    opened("", &rrd, READ);
    opened(".", &rrd, READ);
    opened(".", &rrd, WRITE);
    opened("/dev/null", &rrd, READ);
}

/* Copies a file, with other bytes at a place, and only its first bytes. */
static void change(const char *name, size_t at, const char *text, size_t kept)
{
    static char bytes[1 << 16];
    FILE *from = fopen("a.rrd", "rb"), *to = fopen(name, "wb");
    size_t size = fread(bytes, 1, sizeof(bytes), from);
    memcpy(bytes + at, text, strlen(text));
    fwrite(bytes, 1, kept < size ? kept : size, to);
    fclose(from);
    fclose(to);
}

/* As version 0001 has it: no microseconds. */
static void make_old(void)
{
    static char bytes[1 << 16];
    const size_t micros_at = sizeof(stat_head_t) + 2 * sizeof(ds_def_t) + 2 * sizeof(rra_def_t) + 8;
    FILE *from = fopen("a.rrd", "rb"), *to = fopen("old.rrd", "wb");
    size_t size = fread(bytes, 1, sizeof(bytes), from);
    memcpy(bytes + 4, "0001", 4);
    fwrite(bytes, 1, micros_at, to);
    fwrite(bytes + micros_at + 8, 1, size - micros_at - 8, to);
    fclose(from);
    fclose(to);
}

static void other_files(void)
{
    rrd_t rrd;
    rrd_init(&rrd);
    make_old();
    rrd_file_t *file = opened("old.rrd", &rrd, READ);
    print_header(&rrd);
    close_both(file, &rrd);
    const struct {
        const char *name, *text;
        size_t at, kept;
    } wrong[] = {{"cookie.rrd", "XXX", 0, 99999}, {"version.rrd", "0009", 4, 99999}, {"double.rrd", "12345678", 16, 99999},
                 {"head.rrd", "", 0, 100},        {"cells.rrd", "", 0, 1000},        {"rows.rrd", "", 0, 1300},
                 {"empty.rrd", "", 0, 0}};
    for (size_t nth = 0; nth < sizeof(wrong) / sizeof(*wrong); nth++) {
        change(wrong[nth].name, wrong[nth].at, wrong[nth].text, wrong[nth].kept);
        opened(wrong[nth].name, &rrd, READ);
    }
}

static void reading(void)
{
    rrd_t rrd;
    char bytes[64] = "";
    double values[4] = {0};
    rrd_init(&rrd);
    rrd_file_t *file = opened("a.rrd", &rrd, READ);
    SHOW(rrd_tell(file));
    SHOW(rrd_read(file, values, 16));
    SHOW(rrd_tell(file));
    SHOW(rrd_seek(file, 0, SEEK_SET));
    SHOW(rrd_read(file, bytes, 4));
    printf("  %s\n", bytes);
    SHOW(rrd_seek(file, 124, SEEK_CUR));
    SHOW(rrd_read(file, bytes, 20));
    printf("  %s\n", bytes);
    SHOW(rrd_seek(file, -8, SEEK_END));
    SHOW(rrd_read(file, values, 16));
    SHOW(rrd_tell(file));
    SHOW(rrd_read(file, values, 8));
    SHOW(rrd_read(file, values, 0));
    SHOW(rrd_seek(file, 1000000, SEEK_SET));
    SHOW(rrd_read(file, values, 8));
    SHOW(rrd_tell(file));
    SHOW(rrd_seek(file, -5, SEEK_SET));
    SHOW(rrd_read(file, values, 8));
    SHOW(rrd_tell(file));
    SHOW(rrd_seek(file, 3, 77));
    SHOW(rrd_tell(file));
    SHOW(rrd_lock(file));
    rrd_flush(file);
    rrd_dontneed(file, &rrd);
    SHOW(0);
    close_both(file, &rrd);
}

/* What another process can do with the file. */
static void from_another_process(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        rrd_t rrd;
        rrd_init(&rrd);
        rrd_file_t *file = opened("a.rrd", &rrd, WRITE);
        SHOW(rrd_lock(file));
        printf("  it sees %ld\n", rrd.live_head->last_up_usec);
        close_both(file, &rrd);
        const char *sample[] = {"1000001200:3:4"};
        SHOW(rrd_update_r("a.rrd", NULL, 1, sample));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void writing(void)
{
    rrd_t rrd;
    double value = 42;
    rrd_init(&rrd);
    rrd_file_t *file = opened("a.rrd", &rrd, WRITE);
    SHOW(rrd_lock(file));
    SHOW(rrd_seek(file, -8, SEEK_END));
    SHOW(rrd_write(file, &value, 8));
    SHOW(rrd_tell(file));
    SHOW(rrd_write(file, &value, 8));
    SHOW(rrd_write(file, &value, 0));
    SHOW(rrd_seek(file, -4, SEEK_END));
    SHOW(rrd_write(file, &value, 8));
    SHOW(rrd_tell(file));
    rrd.live_head->last_up_usec = 123456;
    strcpy(rrd.ds_def[0].ds_nam, "other");
    rrd.rra_ptr[0].cur_row = rrd.rra_ptr[1].cur_row = 3;
    from_another_process();
    rrd_flush(file);
    rrd_dontneed(file, &rrd);
    close_both(file, &rrd);
    from_another_process();
    file = opened("a.rrd", &rrd, READ);
    print_header(&rrd);
    rrd_seek(file, -8, SEEK_END);
    SHOW(rrd_read(file, &value, 8));
    printf("  %g\n", value);
    close_both(file, &rrd);
}

static void *copy(const void *part, size_t size)
{
    return memcpy(malloc(size), part, size);
}

/* Makes a file as rrdtool's own programs do: part after part, then its rows. */
static void creating(void)
{
    const unsigned ways[] = {WRITE | CREATE, WRITE | CREATE, WRITE | CREATE | EXCLUSIVE};
    for (size_t nth = 0; nth < sizeof(ways) / sizeof(*ways); nth++) {
        rrd_t old, new;
        rrd_init(&old);
        rrd_init(&new);
        rrd_file_t *from = opened("a.rrd", &old, READ);
        new.stat_head = copy(old.stat_head, sizeof(stat_head_t));
        new.ds_def = copy(old.ds_def, 2 * sizeof(ds_def_t));
        new.rra_def = copy(old.rra_def, 2 * sizeof(rra_def_t));
        rrd_file_t *to = opened("new.rrd", &new, ways[nth]);
        printf("  %lu rows, %d\n", new.rra_def[1].row_cnt, new.live_head != NULL);
        for (char bytes[100]; to;) {
            rrd_seek(from, rrd_tell(to), SEEK_SET);
            ssize_t read = rrd_read(from, bytes, sizeof(bytes));
            if (read < 1 || rrd_write(to, bytes, read) != read)
                break;
        }
        if (to)
            SHOW(rrd_close(to));
        rrd_free(&new);
        SHOW(rrd_last_r("new.rrd"));
        close_both(from, &old);
    }
    SHOW(rrd_update_r("new.rrd", NULL, 1, (const char *[]) {"1000002000:1:1"}));
}

/* Two sources, of values of which some are unknown. */
static void reduce(int cf, unsigned long row_seconds, time_t start, time_t end, unsigned long step)
{
    unsigned long sources = 2, rows = (end - start) / row_seconds;
    double *values = malloc((rows + 2) * sources * sizeof(double));
    for (unsigned long nth = 0; nth < (rows + 2) * sources; nth++)
        values[nth] = nth % 7 == 3 || (nth > 20 && nth < 34) ? NAN : (double) (nth * nth % 11) / 3;
    int answer = rrd_reduce_data(cf, row_seconds, &start, &end, &step, &sources, &values);
    printf("cf %d, %lu s -> %d '%s'\n", cf, row_seconds, answer, rrd_get_error());
    if (answer) {
        printf("  %ld to %ld by %lu, %lu\n ", (long) start, (long) end, step, sources);
        for (unsigned long nth = 0; nth < (end - start) / step * sources; nth++)
            printf(isnan(values[nth]) ? " -" : " %.17g", values[nth]);
        printf("\n");
    }
    rrd_clear_error();
    free(values);
}

static void reducing(void)
{
    for (int cf = CF_AVERAGE; cf <= CF_MHWPREDICT; cf++)
        reduce(cf, 60, 660, 1980, 300);
    const struct {
        unsigned long row_seconds;
        time_t start, end;
        unsigned long step;
    } cases[] = {{60, 600, 1200, 300}, {60, 660, 1200, 300}, {60, 660, 1260, 300}, {60, 600, 1200, 250},
                 {60, 600, 1200, 100}, {60, 600, 1200, 60},  {60, 600, 1200, 30},  {60, 600, 600, 300},
                 {60, 600, 1200, 5000}, {1, 100, 131, 7},    {300, 900, 2100, 900}, {60, 0, 6000, 3600}};
    for (size_t nth = 0; nth < sizeof(cases) / sizeof(*cases); nth++)
        reduce(CF_AVERAGE, cases[nth].row_seconds, cases[nth].start, cases[nth].end, cases[nth].step);
}

/* An rrd_t that no file was opened for holds memory of the program's. */
static void freeing(void)
{
    rrd_t rrd;
    rrd_init(&rrd);
    rrd.stat_head = calloc(1, sizeof(stat_head_t));
    rrd.ds_def = calloc(1, sizeof(ds_def_t));
    rrd.rra_def = calloc(1, sizeof(rra_def_t));
    rrd.live_head = calloc(1, sizeof(live_head_t));
    rrd.pdp_prep = calloc(1, sizeof(pdp_prep_t));
    rrd.cdp_prep = calloc(1, sizeof(cdp_prep_t));
    rrd.rra_ptr = calloc(1, sizeof(rra_ptr_t));
    rrd_free(&rrd);
    printf("%d\n", rrd.stat_head != NULL);
}

int main(void)
{
    make("a.rrd");
    headers();
    other_files();
    reading();
    creating();
    writing();
    reducing();
    freeing();
    return 0;
}
