/* What Debian's library ends a program for: with ours each call fails and says why. */
#define RRD_EXPORT_DEPRECATED
#include <rrd.h>

#define SHOW(call)                                                  \
    do {                                                            \
        long answer_ = (long) (call);                               \
        printf("%s -> %ld '%s'\n", #call, answer_, rrd_get_error()); \
        rrd_clear_error();                                          \
    } while (0)

int main(void)
{
    const char *definition[] = {"DS:a:GAUGE:600:U:U", "RRA:LAST:0.5:1:10"};
    SHOW(rrd_create_r("a.rrd", 300, 1000000000, 2, definition));
    rrd_t rrd;
    char byte = 0;
    rrd_init(NULL);
    rrd_free(NULL);
    rrd_init(&rrd);
    rrd_free(&rrd);
    rrd_free(&rrd);
    SHOW(rrd_open(NULL, &rrd, RRD_READONLY));
    SHOW(rrd_open("a.rrd", NULL, RRD_READONLY));
    SHOW(rrd_open("new.rrd", &rrd, RRD_CREAT | RRD_READWRITE));
    SHOW(rrd_open("new.rrd", &rrd, RRD_CREAT | RRD_READONLY));
    stat_head_t head = {.ds_cnt = 1UL << 40, .rra_cnt = 1};
    rra_def_t archive = {.row_cnt = 1UL << 40};
    rrd.stat_head = &head;
    rrd.rra_def = &archive;
    SHOW(rrd_open("new.rrd", &rrd, RRD_CREAT | RRD_READWRITE));
    SHOW(rrd_close(NULL));
    SHOW(rrd_read(NULL, &byte, 1));
    SHOW(rrd_write(NULL, &byte, 1));
    SHOW(rrd_seek(NULL, 0, SEEK_SET));
    SHOW(rrd_tell(NULL));
    SHOW(rrd_lock(NULL));
    rrd_flush(NULL);
    rrd_dontneed(NULL, NULL);
    SHOW(0);
    rrd_file_t *file = rrd_open("a.rrd", &rrd, RRD_READONLY);
    SHOW(rrd_write(file, &byte, 1));
    SHOW(rrd_close(file));
    SHOW(rrd_reduce_data(CF_AVERAGE, 60, NULL, NULL, NULL, NULL, NULL));
    time_t start = 600, end = 0;
    unsigned long step = 300, columns = 1;
    double number = 0, *values = &number;
    SHOW(rrd_reduce_data(CF_AVERAGE, 60, &start, &end, &step, &columns, &values));
    SHOW(rrd_reduce_data(CF_AVERAGE, 0, &start, &end, &step, &columns, &values));
    return 0;
}
