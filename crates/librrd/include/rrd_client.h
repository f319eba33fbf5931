/*
 * Talking to rrdcached: librrd's own client, as gyre provides it. Each thread of a program shares one connection.
 */
#ifndef GYRE_RRD_CLIENT_H
#define GYRE_RRD_CLIENT_H

#include <rrd.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RRDCACHED_DEFAULT_ADDRESS
#define RRDCACHED_DEFAULT_ADDRESS "unix:/tmp/rrdcached.sock"
#endif
#define RRDCACHED_DEFAULT_PORT "42217"
#define ENV_RRDCACHED_ADDRESS "RRDCACHED_ADDRESS"
#define ENV_RRDCACHED_STRIPPATH "RRDCACHED_STRIPPATH"
#define RRD_CMD_MAX 4096

#define RRDC_STATS_TYPE_GAUGE 0x0001
#define RRDC_STATS_TYPE_COUNTER 0x0002

typedef struct rrdc_stats_s {
    const char *name;
    uint16_t type;
    uint16_t flags;
    union {
        uint64_t counter;
        double gauge;
    } value;
    struct rrdc_stats_s *next;
} rrdc_stats_t;

int rrdc_connect(const char *address);
int rrdc_is_connected(const char *address);
int rrdc_is_any_connected(void);
int rrdc_ping(void);
int rrdc_disconnect(void);

int rrdc_create(const char *file, unsigned long step, time_t last_update, int no_overwrite, int argc,
                const char **argv);
int rrdc_create_r2(const char *file, unsigned long step, time_t last_update, int no_overwrite, const char **sources,
                   const char *template_file, int argc, const char **argv);
int rrdc_update(const char *file, int count, const char *const *values);
int rrdc_fetch(const char *file, const char *cf, time_t *start, time_t *end, unsigned long *step,
               unsigned long *source_count, char ***source_names, rrd_value_t **values);
rrd_info_t *rrdc_info(const char *file);
time_t rrdc_first(const char *file, int archive_index);
time_t rrdc_last(const char *file);
char *rrdc_list(int recursive, const char *directory);
int rrdc_flush(const char *file);
int rrdc_flush_if_daemon(const char *address, const char *file);
int rrdc_flushall(void);
int rrdc_flushall_if_daemon(const char *address);
int rrdc_forget(const char *file);
int rrdc_stats_get(rrdc_stats_t **stats);
void rrdc_stats_free(rrdc_stats_t *stats);

#ifdef __cplusplus
}
#endif

#endif
