/*
 * librrd's C interface as gyre provides it: the same names, types and values as RRDtool's librrd 8, so that programs
 * built against either run with the other.
 *
 * Functions that return int give 0, or -1 after setting the calling thread's error (rrd_get_error). Functions that
 * take (argc, argv) read argv[1] onwards as the words of rrdtool's command line after the command's name. What they
 * hand out lies in memory from malloc: rrd_freemem or free gives it back, rrd_info_free a list.
 */
#ifndef GYRE_RRD_H
#define GYRE_RRD_H

#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GYRE_RRD_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#else
#define GYRE_RRD_PRINTF(format, first)
#endif

/* ---- values ---- */

typedef double rrd_value_t;

/* The unknown value, and infinity. */
double rrd_set_to_DNAN(void);
double rrd_set_to_DINF(void);

#ifndef DNAN
#define DNAN rrd_set_to_DNAN()
#endif
#ifndef DINF
#define DINF rrd_set_to_DINF()
#endif

/* ---- errors: one for each thread ---- */

typedef struct rrd_context {
    char lib_errstr[256];
    char rrd_error[4096];
} rrd_context_t;

rrd_context_t *rrd_get_context(void);
rrd_context_t *rrd_new_context(void);
void rrd_free_context(rrd_context_t *context);
void rrd_set_error(char *format, ...) GYRE_RRD_PRINTF(1, 2);
void rrd_clear_error(void);
int rrd_test_error(void);
char *rrd_get_error(void);
const char *rrd_strerror(int error_number);
void rrd_freemem(void *memory);

/* ---- lists of keys and values ---- */

typedef enum rrd_info_type {
    RD_I_VAL = 0,
    RD_I_CNT = 1,
    RD_I_STR = 2,
    RD_I_INT = 3,
    RD_I_BLO = 4
} rrd_info_type_t;

typedef struct rrd_blob_t {
    unsigned long size;
    unsigned char *ptr;
} rrd_blob_t;

typedef union rrd_infoval {
    unsigned long u_cnt;
    rrd_value_t u_val;
    char *u_str;
    int u_int;
    rrd_blob_t u_blo;
} rrd_infoval_t;

typedef struct rrd_info_t {
    char *key;
    rrd_info_type_t type;
    rrd_infoval_t value;
    struct rrd_info_t *next;
} rrd_info_t;

/* Appends behind `last`; takes over key and value's memory. Returns the new element. */
rrd_info_t *rrd_info_push(rrd_info_t *last, char *key, rrd_info_type_t type, rrd_infoval_t value);
void rrd_info_print(rrd_info_t *first);
void rrd_info_free(rrd_info_t *first);

/* ---- databases, by the words of a command line ---- */

int rrd_create(int argc, char **argv);
int rrd_update(int argc, char **argv);
rrd_info_t *rrd_update_v(int argc, char **argv);
int rrd_fetch(int argc, char **argv, time_t *start, time_t *end, unsigned long *step,
              unsigned long *source_count, char ***source_names, rrd_value_t **values);
int rrd_xport(int argc, char **argv, int *unused, time_t *start, time_t *end, unsigned long *step,
              unsigned long *column_count, char ***legends, rrd_value_t **values);
int rrd_graph(int argc, char **argv, char ***printed, int *width, int *height, FILE *stream, double *minimum,
              double *maximum);
rrd_info_t *rrd_graph_v(int argc, char **argv);
rrd_info_t *rrd_info(int argc, char **argv);
time_t rrd_first(int argc, char **argv);
time_t rrd_last(int argc, char **argv);
int rrd_lastupdate(int argc, char **argv);
int rrd_dump(int argc, char **argv);
int rrd_restore(int argc, char **argv);
int rrd_tune(int argc, char **argv);
int rrd_resize(int argc, char **argv);
char *rrd_list(int argc, char **argv);
int rrd_flushcached(int argc, char **argv);

/* ---- databases, by values; a NULL template stands for all data sources in order ---- */

int rrd_create_r(const char *file, unsigned long step, time_t last_update, int argc, const char **argv);
int rrd_create_r2(const char *file, unsigned long step, time_t last_update, int no_overwrite, const char **sources,
                  const char *template_file, int argc, const char **argv);
int rrd_update_r(const char *file, const char *template_names, int argc, const char **argv);
int rrd_update_v_r(const char *file, const char *template_names, int argc, const char **argv, rrd_info_t *rows);

#define RRD_SKIP_PAST_UPDATES 0x01
int rrd_updatex_r(const char *file, const char *template_names, int flags, int argc, const char **argv);

int rrd_fetch_r(const char *file, const char *cf, time_t *start, time_t *end, unsigned long *step,
                unsigned long *source_count, char ***source_names, rrd_value_t **values);
rrd_info_t *rrd_info_r(const char *file);
time_t rrd_first_r(const char *file, const int archive_index);
time_t rrd_last_r(const char *file);
int rrd_lastupdate_r(const char *file, time_t *last_update, unsigned long *source_count, char ***source_names,
                     char ***readings);
int rrd_tune_r(const char *file, int argc, const char **argv);
char *rrd_list_r(int recursive, char *directory);

typedef size_t (*rrd_output_callback_t)(const void *bytes, size_t size, void *user);
int rrd_dump_cb_r(const char *file, int header, rrd_output_callback_t callback, void *user);
int rrd_dump_opt_r(const char *file, char *output, int no_header);
int rrd_dump_r(const char *file, char *output);

/* ---- fetching from the program itself, by file names that begin with cb// ---- */

enum cf_en {
    CF_AVERAGE = 0,
    CF_MINIMUM,
    CF_MAXIMUM,
    CF_LAST,
    CF_HWPREDICT,
    CF_SEASONAL,
    CF_DEVPREDICT,
    CF_DEVSEASONAL,
    CF_FAILURES,
    CF_MHWPREDICT
};

typedef int (*rrd_fetch_cb_t)(const char *name, enum cf_en cf, time_t *start, time_t *end, unsigned long *step,
                              unsigned long *source_count, char ***source_names, rrd_value_t **values);
int rrd_fetch_cb_register(rrd_fetch_cb_t callback);

/* -1, with an error, for what is no consolidation function. */
int rrd_cf_conv(const char *name);

/* ---- times ---- */

typedef enum {
    ABSOLUTE_TIME,
    RELATIVE_TO_START_TIME,
    RELATIVE_TO_END_TIME,
    RELATIVE_TO_EPOCH
} rrd_timetype_t;

typedef struct rrd_time_value {
    rrd_timetype_t type;
    long offset;
    struct tm tm;
} rrd_time_value_t;

#define TIME_OK NULL

/* TIME_OK, or what is wrong with the text; the answer stays valid until the thread's next call. */
char *rrd_parsetime(const char *text, rrd_time_value_t *time);
int rrd_proc_start_end(rrd_time_value_t *start, rrd_time_value_t *end, time_t *start_seconds, time_t *end_seconds);

/* NULL, or what is wrong with a duration such as 5m; *steps is then left alone. */
const char *rrd_scaled_duration(const char *text, unsigned long step_seconds, unsigned long *steps);

/* ---- the library, and odds and ends ---- */

char *rrd_strversion(void);
double rrd_version(void);
long rrd_random(void);
double rrd_strtod(const char *text, char **end);
unsigned int rrd_strtodbl(const char *text, char **end, double *value, const char *error);
int rrd_snprintf(char *buffer, size_t size, const char *format, ...) GYRE_RRD_PRINTF(3, 4);
int rrd_mkdir_p(const char *path, mode_t mode);
int rrd_add_ptr_chunk(void ***list, size_t *count, void *item, size_t *capacity, size_t chunk);
int rrd_add_ptr(void ***list, size_t *count, void *item);
int rrd_add_strdup_chunk(char ***list, size_t *count, char *item, size_t *capacity, size_t chunk);
int rrd_add_strdup(char ***list, size_t *count, char *item);
void rrd_free_ptrs(void ***list, size_t *count);

/* ---- a file as it is, for programs that define RRD_EXPORT_DEPRECATED ---- */

struct rrd_t;

/* pos is where rrd_read and rrd_write begin; pvt leads to an rrd_simple_file_t. */
typedef struct rrd_file_t {
    size_t header_len;
    size_t file_len;
    size_t pos;
    void *pvt;
    struct rrd_t *rrd;
} rrd_file_t;

typedef struct rrd_simple_file_t {
    int fd;
#ifdef HAVE_MMAP
    char *file_start;
    int mm_prot;
    int mm_flags;
#endif
} rrd_simple_file_t;

#ifdef RRD_EXPORT_DEPRECATED
#include "rrd_format.h"

/* What rrd_open is asked for; a new file is as large as the filled rrd_t says. */
#ifndef RRD_READONLY
#define RRD_READONLY (1 << 0)
#define RRD_READWRITE (1 << 1)
#define RRD_CREAT (1 << 2)
#define RRD_READAHEAD (1 << 3)
#define RRD_COPY (1 << 4)
#define RRD_EXCL (1 << 5)
#define RRD_READVALUES (1 << 6)
#endif

void rrd_init(rrd_t *rrd);
void rrd_free(rrd_t *rrd);
rrd_file_t *rrd_open(const char *const name, rrd_t *rrd, unsigned flags);
int rrd_close(rrd_file_t *file);
ssize_t rrd_read(rrd_file_t *file, void *buffer, size_t bytes);
ssize_t rrd_write(rrd_file_t *file, const void *buffer, size_t bytes);
off_t rrd_seek(rrd_file_t *file, off_t offset, int whence);
off_t rrd_tell(rrd_file_t *file);
int rrd_lock(rrd_file_t *file);
void rrd_flush(rrd_file_t *file);
void rrd_dontneed(rrd_file_t *file, rrd_t *rrd);

/* Consolidates rows in place to rows of at least *step seconds: 1, or 0 after setting the error. */
int rrd_reduce_data(enum cf_en cf, unsigned long step_seconds, time_t *start, time_t *end, unsigned long *step,
                    unsigned long *source_count, rrd_value_t **values);
#endif

#ifdef __cplusplus
}
#endif

#endif
