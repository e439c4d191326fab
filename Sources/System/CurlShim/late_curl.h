#ifndef LATE_CURL_H
#define LATE_CURL_H

// Before curl.h: its macros for the variadic functions would check the calls below by name.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#ifdef __linux__

// Every function of libcurl that this program calls. Scripts/package reads the list, too.
#define LATE_CURL_FUNCTIONS(each) \
  each(curl_easy_cleanup) \
  each(curl_easy_getinfo) \
  each(curl_easy_init) \
  each(curl_easy_reset) \
  each(curl_easy_setopt) \
  each(curl_easy_strerror) \
  each(curl_free) \
  each(curl_getdate) \
  each(curl_global_init) \
  each(curl_multi_add_handle) \
  each(curl_multi_cleanup) \
  each(curl_multi_info_read) \
  each(curl_multi_init) \
  each(curl_multi_perform) \
  each(curl_multi_poll) \
  each(curl_multi_remove_handle) \
  each(curl_multi_setopt) \
  each(curl_multi_wakeup) \
  each(curl_slist_append) \
  each(curl_slist_free_all) \
  each(curl_url) \
  each(curl_url_cleanup) \
  each(curl_url_get) \
  each(curl_url_set)

#define LATE_CURL_POINTER(name) __typeof__(&name) name;
typedef struct { LATE_CURL_FUNCTIONS(LATE_CURL_POINTER) } late_curl_functions;
#undef LATE_CURL_POINTER

/// The functions of the library, which the first call loads. Ends the process with status 1 and an error if it cannot be
/// loaded, as the system does with a program that names the library.
const late_curl_functions *late_curl(void);

// Variadic functions cannot be passed on, so shim.c calls these through the table. curl.h has macros with their names.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#define curl_easy_getinfo (late_curl()->curl_easy_getinfo)
#define curl_easy_setopt (late_curl()->curl_easy_setopt)
#define curl_multi_setopt (late_curl()->curl_multi_setopt)
// Whether its handle is const depends on the version of the library.
#define curl_url_get (late_curl()->curl_url_get)

#endif
#endif
