/* Dumps of a file whose XML is far larger than the memory that is left. */

#include <rrd.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Beside what the process has; the file takes 8 MB, its XML 100. */
#define MORE_BYTES (48UL << 20)

static void leave_little_memory(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        perror("/proc/self/statm");
    if (file)
        fclose(file);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (unsigned long) sysconf(_SC_PAGESIZE) + MORE_BYTES;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        perror("setrlimit");
}

static void show(const char *what, int code)
{
    printf("%s: %d '%s'\n", what, code, rrd_get_error());
    rrd_clear_error();
}

static size_t count_bytes(const void *bytes, size_t size, void *user)
{
    (void) bytes;
    *(size_t *) user += size;
    return size;
}

/* Takes some of it, then nothing more. */
static size_t take_some(const void *bytes, size_t size, void *user)
{
    (void) bytes;
    *(size_t *) user += size;
    return *(size_t *) user < 1000000 ? size : 0;
}

static void print_size_of(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        perror(name);
    fprintf(stderr, "%s: %ld bytes\n", name, file ? ftell(file) : -1);
    if (file)
        fclose(file);
}

int main(void)
{
    const char *definitions[] = {"DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:1000000"};
    show("create", rrd_create_r("large.rrd", 300, 1000000000, 2, definitions));
    leave_little_memory();
    size_t bytes = 0;
    show("dump_cb", rrd_dump_cb_r("large.rrd", 1, count_bytes, &bytes));
    printf("%zu bytes\n", bytes);
    bytes = 0;
    int code = rrd_dump_cb_r("large.rrd", 1, take_some, &bytes);
    rrd_get_error()[strlen("error writing output file")] = 0; /* the rest is whatever errno was */
    show("dump_cb", code);
    printf("ended early: %d\n", bytes < 2000000);
    show("dump_r", rrd_dump_r("large.rrd", "large.xml"));
    print_size_of("large.xml");
    if (!freopen("printed.xml", "w", stdout))
        perror("printed.xml");
    char *words[] = {"dump", "large.rrd"};
    code = rrd_dump(2, words);
    fprintf(stderr, "dump: %d '%s'\n", code, rrd_get_error());
    fclose(stdout);
    print_size_of("printed.xml");
    return 0;
}
