/*
 * Calls on a ring store that another process serves. The connection to that stays open between calls; a program that
 * forks, or closes every descriptor and opens files in their place, notices nothing, and its files have none of it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <rrd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHERS 64

static int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int create(const char *name)
{
    const char *definition[] = {"DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:1000"};
    return rrd_create_r(name, 1, 1000000000, 2, definition);
}

/* Seconds from..to, one by one; how many were not taken. */
static int update(const char *name, int from, int to)
{
    int failed = 0;
    for (int second = from; second < to; second++) {
        char sample[64];
        const char *samples[] = {sample};
        snprintf(sample, sizeof sample, "%d:%d", 1000000000 + second, second);
        rrd_clear_error();
        failed += rrd_update_r(name, NULL, 1, samples) != 0;
        /* The answer is to this question, and no other process's. */
        failed += rrd_last_r(name) != 1000000000 + second;
    }
    return failed;
}

static void tell(const char *what, int failed)
{
    printf("%s: %d failed '%s'\n", what, failed, rrd_get_error());
    fflush(stdout);
}

int main(void)
{
    tell("create", create("store/a.rrd") + create("store/b.rrd"));
    int before = open_descriptors();
    tell("updates", update("store/a.rrd", 1, 100));
    printf("descriptors more: %d\n", open_descriptors() - before);

    pid_t child = fork();
    if (child == 0)
        _exit(update("store/b.rrd", 1, 1000) != 0);
    tell("beside a child", update("store/a.rrd", 100, 1000));
    int status = -1;
    waitpid(child, &status, 0);
    tell("child", status);

    for (int descriptor = 3; descriptor < 256; descriptor++)
        close(descriptor);
    int others[OTHERS];
    for (int nth = 0; nth < OTHERS; nth++) {
        char name[32];
        snprintf(name, sizeof name, "other-%d", nth);
        others[nth] = open(name, O_RDWR | O_CREAT, 0600);
    }
    tell("after closing all", update("store/a.rrd", 1000, 1100));
    int spoiled = 0;
    for (int nth = 0; nth < OTHERS; nth++) {
        struct stat other;
        spoiled += fstat(others[nth], &other) || !S_ISREG(other.st_mode) || other.st_size;
    }
    printf("spoiled: %d\n", spoiled);

    /* The server ends meanwhile, and another one begins or none. */
    printf("over to you\n");
    fflush(stdout);
    while (getchar() == '\n') {
        static int second = 1100;
        tell("after the server", update("store/a.rrd", second, second + 10));
        second += 10;
    }
    printf("last: %ld, %ld\n", (long)rrd_last_r("store/a.rrd") - 1000000000, (long)rrd_last_r("store/b.rrd") - 1000000000);
    return 0;
}
