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

HIDDEN void curl_easy_cleanup(CURL *handle) { late_curl()->curl_easy_cleanup(handle); }
HIDDEN CURL *curl_easy_init(void) { return late_curl()->curl_easy_init(); }
HIDDEN void curl_easy_reset(CURL *handle) { late_curl()->curl_easy_reset(handle); }
HIDDEN const char *curl_easy_strerror(CURLcode code) { return late_curl()->curl_easy_strerror(code); }
HIDDEN void curl_free(void *memory) { late_curl()->curl_free(memory); }
HIDDEN time_t curl_getdate(const char *text, const time_t *unused) {
  return late_curl()->curl_getdate(text, unused);
}
HIDDEN CURLcode curl_global_init(long flags) { return late_curl()->curl_global_init(flags); }

HIDDEN CURLMcode curl_multi_add_handle(CURLM *multi, CURL *handle) {
  return late_curl()->curl_multi_add_handle(multi, handle);
}
HIDDEN CURLMcode curl_multi_cleanup(CURLM *multi) { return late_curl()->curl_multi_cleanup(multi); }
HIDDEN CURLMsg *curl_multi_info_read(CURLM *multi, int *left) {
  return late_curl()->curl_multi_info_read(multi, left);
}
HIDDEN CURLM *curl_multi_init(void) { return late_curl()->curl_multi_init(); }
HIDDEN CURLMcode curl_multi_perform(CURLM *multi, int *running) {
  return late_curl()->curl_multi_perform(multi, running);
}
HIDDEN CURLMcode curl_multi_poll(
    CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds, int *ready) {
  return late_curl()->curl_multi_poll(multi, others, count, milliseconds, ready);
}
HIDDEN CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *handle) {
  return late_curl()->curl_multi_remove_handle(multi, handle);
}
HIDDEN CURLMcode curl_multi_wakeup(CURLM *multi) { return late_curl()->curl_multi_wakeup(multi); }

HIDDEN struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return late_curl()->curl_slist_append(list, text);
}
HIDDEN void curl_slist_free_all(struct curl_slist *list) { late_curl()->curl_slist_free_all(list); }

HIDDEN CURLU *curl_url(void) { return late_curl()->curl_url(); }
HIDDEN void curl_url_cleanup(CURLU *url) { late_curl()->curl_url_cleanup(url); }
HIDDEN CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
  return late_curl()->curl_url_set(url, part, text, flags);
}
#endif
