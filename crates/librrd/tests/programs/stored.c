/* Opens a database of a ring store, which has no file: as a copy in memory. */
#define RRD_EXPORT_DEPRECATED
#include <rrd.h>

int main(void)
{
    const char *definition[] = {"DS:a:GAUGE:600:U:U", "RRA:LAST:0.5:1:10"};
    const char *samples[] = {"1000000001:3", "1000000002:4"};
    rrd_create_r("store/a.rrd", 1, 1000000000, 2, definition);
    rrd_update_r("store/a.rrd", NULL, 2, samples);
    rrd_t rrd;
    rrd_file_t *file = rrd_open("store/a.rrd", &rrd, RRD_READONLY);
    if (!file)
        return printf("%s\n", rrd_get_error());
    printf("%s %lu %s %lu, last %ld\n", rrd.stat_head->version, rrd.stat_head->ds_cnt, rrd.ds_def->ds_nam,
           rrd.rra_def->row_cnt, (long) rrd.live_head->last_up);
    double value = 0;
    rrd_seek(file, rrd.rra_ptr->cur_row * sizeof(value), SEEK_CUR);
    ssize_t moved = rrd_read(file, &value, sizeof(value));
    printf("read %zd: %g\n", moved, value);
    moved = rrd_write(file, &value, sizeof(value));
    printf("write %zd: %s\n", moved, rrd_get_error());
    int locked = rrd_lock(file);
    printf("lock %d: %s\n", locked, rrd_get_error());
    rrd_flush(file);
    rrd_dontneed(file, &rrd);
    printf("close %d\n", rrd_close(file));
    rrd_free(&rrd);
    file = rrd_open("store/a.rrd", &rrd, RRD_READWRITE);
    printf("%d: %s\n", file != NULL, rrd_get_error());
    file = rrd_open("store/none.rrd", &rrd, RRD_READONLY);
    printf("%d: %s\n", file != NULL, rrd_get_error());
    return 0;
}
