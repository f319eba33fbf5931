/*
 * What becomes of a program that closes every descriptor between calls, as daemons do, and of one that forks: nothing.
 * The library keeps none of its own.
 */
#include <dirent.h>
#include <rrd.h>
#include <stdlib.h>
#include <sys/wait.h>

static const char *samples[] = {"N:1"};

static int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int use(const char *file)
{
    const char *definition[] = {"DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:10"};
    if (rrd_create_r(file, 1, 1000000000, 2, definition) || rrd_update_r(file, NULL, 1, samples))
        return -1;
    rrd_info_t *info = rrd_info_r(file);
    rrd_info_free(info);
    return info && rrd_last_r(file) > 1000000000 ? 0 : -1;
}

int main(void)
{
    int before = open_descriptors();
    printf("use: %d '%s'\n", use("before.rrd"), rrd_get_error());
    printf("descriptors left open: %d\n", open_descriptors() - before);
    pid_t child = fork();
    if (child == 0)
        _exit(use("child.rrd") ? 1 : 0);
    int status = -1;
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    for (int descriptor = 3; descriptor < 256; descriptor++)
        close(descriptor);
    printf("after closing all: %d '%s'\n", use("after.rrd"), rrd_get_error());
    return 0;
}
