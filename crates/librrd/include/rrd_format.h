/*
 * The parts of an .rrd file as rrd_open shows them, for programs that define RRD_EXPORT_DEPRECATED before they include
 * rrd.h. The layouts are those of RRDtool's librrd 8, and of the file itself.
 */
#ifndef GYRE_RRD_FORMAT_H
#define GYRE_RRD_FORMAT_H

#ifndef RRD_EXPORT_DEPRECATED
#error "include rrd.h, after defining RRD_EXPORT_DEPRECATED"
#endif

#include "rrd.h"

#define RRD_COOKIE "RRD"
#define RRD_VERSION3 "0003"
#define RRD_VERSION4 "0004"
#define RRD_VERSION5 "0005"
#define FLOAT_COOKIE ((double) 8.642135E130)

/* One parameter or counter: which of the two it is depends on its place. */
typedef union unival {
    unsigned long u_cnt;
    rrd_value_t u_val;
} unival;

/* The beginning of the file. */
typedef struct stat_head_t {
    char cookie[4];
    char version[5];
    double float_cookie;
    unsigned long ds_cnt;
    unsigned long rra_cnt;
    unsigned long pdp_step; /* seconds */
    unival par[10];
} stat_head_t;

/* The definition of a data source. */
#define DS_NAM_SIZE 20
#define DS_NAM_FMT "%19[a-zA-Z0-9_-]"
#define DS_NAM_RE "[-a-zA-Z0-9_]{1,19}"
#define DST_SIZE 20
#define DST_FMT "%19[A-Z]"
#define DST_FMT_RE "[A-Z]{1,19}"

enum dst_en { DST_COUNTER = 0, DST_ABSOLUTE, DST_GAUGE, DST_DERIVE, DST_CDEF, DST_DCOUNTER, DST_DDERIVE };

/* Places in ds_def_t's par: the heartbeat in seconds and the limits; of COMPUTE, the expression. */
enum ds_param_en { DS_mrhb_cnt = 0, DS_min_val, DS_max_val, DS_cdef = DS_mrhb_cnt };

typedef struct ds_def_t {
    char ds_nam[DS_NAM_SIZE];
    char dst[DST_SIZE];
    unival par[10];
} ds_def_t;

/* The definition of an archive. */
#define CF_NAM_SIZE 20
#define CF_NAM_FMT "%19[A-Z]"
#define MAX_RRA_PAR_EN 10

/* Places in rra_def_t's par. */
enum rra_par_en {
    RRA_cdp_xff_val = 0,
    RRA_dependent_rra_idx = 3,
    /* of HWPREDICT */
    RRA_hw_alpha = 1,
    RRA_hw_beta = 2,
    RRA_period = 4,
    /* of SEASONAL and DEVSEASONAL */
    RRA_seasonal_gamma = 1,
    RRA_seasonal_smoothing_window = 2,
    RRA_seasonal_smooth_idx = 4,
    /* of FAILURES */
    RRA_delta_pos = 1,
    RRA_delta_neg = 2,
    RRA_window_len = 4,
    RRA_failure_threshold = 5
};

typedef struct rra_def_t {
    char cf_nam[CF_NAM_SIZE];
    unsigned long row_cnt;
    unsigned long pdp_cnt; /* PDPs in a row */
    unival par[MAX_RRA_PAR_EN];
} rra_def_t;

/* The time of the last update. */
typedef struct live_head_t {
    time_t last_up;
    long last_up_usec;
} live_head_t;

/* What the next PDP of a data source is made from. */
#define LAST_DS_LEN 30

enum pdp_par_en { PDP_unkn_sec_cnt = 0, PDP_val };

typedef struct pdp_prep_t {
    char last_ds[LAST_DS_LEN];
    unival scratch[10];
} pdp_prep_t;

/* What the next row of an archive is made from, one for each of its sources. */
#define MAX_CDP_PAR_EN 10
#define MAX_CDP_FAILURES_IDX 8
#define MAX_FAILURES_WINDOW_LEN 28

enum cdp_par_en {
    CDP_val = 0,
    CDP_unkn_pdp_cnt = 1,
    CDP_hw_intercept = 2,
    CDP_hw_last_intercept = 3,
    CDP_hw_slope = 4,
    CDP_hw_last_slope = 5,
    CDP_null_count = 6,
    CDP_last_null_count = 7,
    CDP_primary_val = 8,
    CDP_secondary_val = 9,
    CDP_hw_seasonal = CDP_hw_intercept,
    CDP_hw_last_seasonal = CDP_hw_last_intercept,
    CDP_seasonal_deviation = CDP_hw_intercept,
    CDP_last_seasonal_deviation = CDP_hw_last_intercept,
    CDP_init_seasonal = CDP_null_count
};

typedef struct cdp_prep_t {
    unival scratch[MAX_CDP_PAR_EN];
} cdp_prep_t;

/* The row of an archive that was written last. */
typedef struct rra_ptr_t {
    unsigned long cur_row;
} rra_ptr_t;

/* A pointer to the first of each part. The rows follow in the file: archive by archive, row by row. */
typedef struct rrd_t {
    stat_head_t *stat_head;
    ds_def_t *ds_def;
    rra_def_t *rra_def;
    live_head_t *live_head;
    time_t *legacy_last_up;
    pdp_prep_t *pdp_prep;
    cdp_prep_t *cdp_prep;
    rra_ptr_t *rra_ptr;
    rrd_value_t *rrd_value;
    void *__mmap_start;
    long __mmap_size;
} rrd_t;

#endif
