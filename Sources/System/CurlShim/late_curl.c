// libcurl is loaded when its first function is called. Most commands need no network, and libcurl brings thirty other
// libraries, whose loading takes a third of the time in which such a command starts.
//
// The functions here have libcurl's names, so that callers include curl.h as usual. They are hidden: libcurl itself, and
// whatever else is loaded, does not see them.
#ifdef __linux__
#include "late_curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char library_name[] = "libcurl.so.4";
static late_curl_functions functions;
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;

_Noreturn static void fail(void) {
  fprintf(
      stderr,
      "error: cannot load %s, the HTTP library: %s\n"
      "hint: Install libcurl 4: the package libcurl4, or libcurl4t64, of Debian and Ubuntu.\n",
      library_name, dlerror());
  _exit(1);
}

static void *function(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) fail();
  return found;
}

static void load(void) {
  void *library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) fail();
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#undef curl_url_get
#define LOAD(name) functions.name = (__typeof__(functions.name))function(library, #name);
  LATE_CURL_FUNCTIONS(LOAD)
}

const late_curl_functions *late_curl(void) {
  pthread_once(&is_loaded, load);
  return &functions;
}

#define HIDDEN __attribute__((visibility("hidden")))

#define PASS_ON(type, name, parameters, arguments) \
  HIDDEN type name parameters { return late_curl()->name arguments; }

HIDDEN void curl_easy_cleanup(CURL *handle) { late_curl()->curl_easy_cleanup(handle); }
PASS_ON(CURL *, curl_easy_init, (void), ())
HIDDEN void curl_easy_reset(CURL *handle) { late_curl()->curl_easy_reset(handle); }
PASS_ON(const char *, curl_easy_strerror, (CURLcode code), (code))
HIDDEN void curl_free(void *memory) { late_curl()->curl_free(memory); }
PASS_ON(time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused))
PASS_ON(CURLcode, curl_global_init, (long flags), (flags))

PASS_ON(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *handle), (multi, handle))
PASS_ON(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))
PASS_ON(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left))
PASS_ON(CURLM *, curl_multi_init, (void), ())
PASS_ON(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), (multi, running))
PASS_ON(
    CURLMcode, curl_multi_poll,
    (CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds, int *ready),
    (multi, others, count, milliseconds, ready))
PASS_ON(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *handle), (multi, handle))
PASS_ON(CURLMcode, curl_multi_wakeup, (CURLM *multi), (multi))

PASS_ON(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))
HIDDEN void curl_slist_free_all(struct curl_slist *list) { late_curl()->curl_slist_free_all(list); }

PASS_ON(CURLU *, curl_url, (void), ())
HIDDEN void curl_url_cleanup(CURLU *url) { late_curl()->curl_url_cleanup(url); }
PASS_ON(
    CURLUcode, curl_url_set, (CURLU *url, CURLUPart part, const char *text, unsigned int flags),
    (url, part, text, flags))
#endif
