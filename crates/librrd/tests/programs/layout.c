/* Prints sizes, places and values of everything that rrd_format.h and rrd.h say of an open file: compiled with either
 * header it must print the same. */
#define RRD_EXPORT_DEPRECATED
#include <rrd.h>
#include <stddef.h>

#define SIZE(type) printf("%s: %zu bytes\n", #type, sizeof(type))
#define FIELD(type, field) printf("  %s at %zu, %zu bytes\n", #field, offsetof(type, field), sizeof(((type *) 0)->field))
#define VALUE(name) printf("%s = %d\n", #name, (int) (name))
#define TEXT(name) printf("%s = %s\n", #name, name)

static void structs_of_the_file(void)
{
    SIZE(unival), FIELD(unival, u_cnt), FIELD(unival, u_val);
    SIZE(stat_head_t), FIELD(stat_head_t, cookie), FIELD(stat_head_t, version), FIELD(stat_head_t, float_cookie);
    FIELD(stat_head_t, ds_cnt), FIELD(stat_head_t, rra_cnt), FIELD(stat_head_t, pdp_step), FIELD(stat_head_t, par);
    SIZE(ds_def_t), FIELD(ds_def_t, ds_nam), FIELD(ds_def_t, dst), FIELD(ds_def_t, par);
    SIZE(rra_def_t), FIELD(rra_def_t, cf_nam), FIELD(rra_def_t, row_cnt), FIELD(rra_def_t, pdp_cnt);
    FIELD(rra_def_t, par);
    SIZE(live_head_t), FIELD(live_head_t, last_up), FIELD(live_head_t, last_up_usec);
    SIZE(pdp_prep_t), FIELD(pdp_prep_t, last_ds), FIELD(pdp_prep_t, scratch);
    SIZE(cdp_prep_t), FIELD(cdp_prep_t, scratch);
    SIZE(rra_ptr_t), FIELD(rra_ptr_t, cur_row);
}

static void structs_in_memory(void)
{
    SIZE(rrd_t), FIELD(rrd_t, stat_head), FIELD(rrd_t, ds_def), FIELD(rrd_t, rra_def), FIELD(rrd_t, live_head);
    FIELD(rrd_t, legacy_last_up), FIELD(rrd_t, pdp_prep), FIELD(rrd_t, cdp_prep), FIELD(rrd_t, rra_ptr);
    FIELD(rrd_t, rrd_value), FIELD(rrd_t, __mmap_start), FIELD(rrd_t, __mmap_size);
    SIZE(rrd_file_t), FIELD(rrd_file_t, header_len), FIELD(rrd_file_t, file_len), FIELD(rrd_file_t, pos);
    FIELD(rrd_file_t, pvt), FIELD(rrd_file_t, rrd);
    SIZE(rrd_simple_file_t), FIELD(rrd_simple_file_t, fd);
    SIZE(rrd_info_t), FIELD(rrd_info_t, key), FIELD(rrd_info_t, type), FIELD(rrd_info_t, value);
    FIELD(rrd_info_t, next), SIZE(rrd_infoval_t), SIZE(rrd_blob_t), FIELD(rrd_blob_t, size), FIELD(rrd_blob_t, ptr);
    SIZE(rrd_time_value_t), FIELD(rrd_time_value_t, type), FIELD(rrd_time_value_t, offset);
    FIELD(rrd_time_value_t, tm), SIZE(rrd_context_t), FIELD(rrd_context_t, rrd_error);
}

static void values(void)
{
    VALUE(DST_COUNTER), VALUE(DST_ABSOLUTE), VALUE(DST_GAUGE), VALUE(DST_DERIVE), VALUE(DST_CDEF);
    VALUE(DST_DCOUNTER), VALUE(DST_DDERIVE), VALUE(DS_mrhb_cnt), VALUE(DS_min_val), VALUE(DS_max_val), VALUE(DS_cdef);
    VALUE(CF_AVERAGE), VALUE(CF_MINIMUM), VALUE(CF_MAXIMUM), VALUE(CF_LAST), VALUE(CF_HWPREDICT), VALUE(CF_SEASONAL);
    VALUE(CF_DEVPREDICT), VALUE(CF_DEVSEASONAL), VALUE(CF_FAILURES), VALUE(CF_MHWPREDICT);
    VALUE(RRA_cdp_xff_val), VALUE(RRA_hw_alpha), VALUE(RRA_hw_beta), VALUE(RRA_dependent_rra_idx), VALUE(RRA_period);
    VALUE(RRA_seasonal_gamma), VALUE(RRA_seasonal_smoothing_window), VALUE(RRA_seasonal_smooth_idx);
    VALUE(RRA_delta_pos), VALUE(RRA_delta_neg), VALUE(RRA_window_len), VALUE(RRA_failure_threshold);
    VALUE(PDP_unkn_sec_cnt), VALUE(PDP_val), VALUE(CDP_val), VALUE(CDP_unkn_pdp_cnt), VALUE(CDP_hw_intercept);
    VALUE(CDP_hw_last_intercept), VALUE(CDP_hw_slope), VALUE(CDP_hw_last_slope), VALUE(CDP_null_count);
    VALUE(CDP_last_null_count), VALUE(CDP_primary_val), VALUE(CDP_secondary_val), VALUE(CDP_hw_seasonal);
    VALUE(CDP_hw_last_seasonal), VALUE(CDP_seasonal_deviation), VALUE(CDP_last_seasonal_deviation);
    VALUE(CDP_init_seasonal), VALUE(DS_NAM_SIZE), VALUE(DST_SIZE), VALUE(CF_NAM_SIZE), VALUE(LAST_DS_LEN);
    VALUE(MAX_RRA_PAR_EN), VALUE(MAX_CDP_PAR_EN), VALUE(MAX_CDP_FAILURES_IDX), VALUE(MAX_FAILURES_WINDOW_LEN);
    VALUE(RD_I_VAL), VALUE(RD_I_CNT), VALUE(RD_I_STR), VALUE(RD_I_INT), VALUE(RD_I_BLO);
    TEXT(RRD_COOKIE), TEXT(RRD_VERSION3), TEXT(RRD_VERSION4), TEXT(RRD_VERSION5);
    TEXT(DS_NAM_FMT), TEXT(DS_NAM_RE), TEXT(DST_FMT), TEXT(DST_FMT_RE), TEXT(CF_NAM_FMT);
    printf("%.17g\n", FLOAT_COOKIE);
}

int main(void)
{
    structs_of_the_file();
    structs_in_memory();
    values();
    return 0;
}
