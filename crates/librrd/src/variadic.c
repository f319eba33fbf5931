/* The two functions of librrd that take a format and its arguments. Their exported names are in variadic.rs. */

#define _GNU_SOURCE
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* As much as librrd keeps of an error. */
#define ERROR_BYTES 4096

HIDDEN void gyre_librrd_keep_error(const char *text);

/* Written aside first: an argument may be the error that is to be replaced. */
HIDDEN void gyre_librrd_set_error(const char *format, ...)
{
    char text[ERROR_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gyre_librrd_keep_error(text);
}

/* snprintf of the C locale, whatever the thread's. */
HIDDEN int gyre_librrd_snprintf(char *buffer, size_t size, const char *format, ...)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
    locale_t before = uselocale(c_locale);
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    uselocale(before);
    freelocale(c_locale);
    return length;
}
