#ifdef __linux__
// For the locale of one thread.
#define _GNU_SOURCE
#include <locale.h>
#endif
#include "late_curl.h"
#include "CurlShim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// The parentheses around the names disable curl's type-checking macros, which need a constant option.

CURLcode curl_shim_set_long(CURL *handle, CURLoption option, long value) {
  return (curl_easy_setopt)(handle, option, value);
}

CURLcode curl_shim_set_string(CURL *handle, CURLoption option, const char *value) {
  return (curl_easy_setopt)(handle, option, value);
}

CURLcode curl_shim_set_pointer(CURL *handle, CURLoption option, void *value) {
  return (curl_easy_setopt)(handle, option, value);
}

CURLcode curl_shim_set_web_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

long curl_shim_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}

curl_off_t curl_shim_get_offset(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}

const char *curl_shim_get_string(CURL *handle, CURLINFO info) {
  const char *value = NULL;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}

struct curl_slist *curl_shim_get_list(CURL *handle, CURLINFO info) {
  struct curl_slist *value = NULL;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}

char *curl_shim_url_part(CURLU *handle, CURLUPart part, unsigned flags) {
  char *text = NULL;
  return curl_url_get(handle, part, &text, flags) == CURLUE_OK ? text : NULL;
}

char *curl_shim_url_part_in_ascii(CURLU *handle, CURLUPart part) {
  char *text = NULL;
#ifdef CURLU_PUNYCODE
#ifdef __linux__
  // libidn2 reads names in the encoding of the locale, which is not UTF-8 in a process that never set one.
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
#endif
  if (curl_url_get(handle, part, &text, CURLU_PUNYCODE) != CURLUE_OK) text = NULL;
#ifdef __linux__
  if (utf8) {
    uselocale(before);
    freelocale(utf8);
  }
#endif
#endif
  return text;
}

CURLMcode curl_shim_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

static size_t write_body(char *bytes, size_t size, size_t count, void *user) {
  curl_shim_receiver *receiver = user;
  return receiver->body(receiver->context, (unsigned char *)bytes, size * count) ? size * count : 0;
}

static size_t write_header(char *bytes, size_t size, size_t count, void *user) {
  curl_shim_receiver *receiver = user;
  return receiver->header(receiver->context, (unsigned char *)bytes, size * count) ? size * count : 0;
}

static bool may_connect(curl_shim_receiver *receiver, const struct sockaddr *address) {
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    return receiver->address(receiver->context, (const unsigned char *)&v4->sin_addr, 4);
  }
  if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    return receiver->address(receiver->context, (const unsigned char *)&v6->sin6_addr, 16);
  }
  return false;
}

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *peer) {
  (void)purpose;
  curl_shim_receiver *receiver = user;
  if (!may_connect(receiver, &peer->addr)) return CURL_SOCKET_BAD;
  curl_socket_t descriptor = socket(peer->family, peer->socktype, peer->protocol);
  if (descriptor == CURL_SOCKET_BAD) {
    receiver->socket_error = errno;
  } else {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return descriptor;
}

static int before_request(void *user, char *remote, char *local, int remote_port, int local_port) {
  (void)local, (void)remote_port, (void)local_port;
  curl_shim_receiver *receiver = user;
  unsigned char bytes[16];
  size_t count = curl_shim_parse_address(remote, bytes);
  bool allowed = count > 0 && receiver->address(receiver->context, bytes, count);
  receiver->is_ready = allowed;
  return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

// The type of a Certificate message (RFC 8446, section 4). Records, which are also reported, begin with 20 to 24.
static const char certificate_message = 11;

// Only the debug callback sees the bytes before dechunking and decoding, and the certificates of a server that is refused.
static int note_event(CURL *handle, curl_infotype type, char *bytes, size_t count, void *user) {
  (void)handle;
  curl_shim_receiver *receiver = user;
  if (type == CURLINFO_SSL_DATA_OUT) receiver->is_securing = true;
  if (type == CURLINFO_SSL_DATA_IN && count > 7 && bytes[0] == certificate_message)
    receiver->certificates(receiver->context, (const unsigned char *)bytes, count);
  if (type == CURLINFO_DATA_IN && !receiver->arrival(receiver->context, (const unsigned char *)bytes, count))
    receiver->is_stopped = true;
  return 0;
}

static int may_go_on(void *user, curl_off_t total, curl_off_t loaded, curl_off_t to_send, curl_off_t sent) {
  (void)total, (void)loaded, (void)to_send, (void)sent;
  return ((curl_shim_receiver *)user)->is_stopped;
}

CURLcode curl_shim_set_receiver(CURL *handle, curl_shim_receiver *receiver) {
  curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, note_event);
  curl_easy_setopt(handle, CURLOPT_DEBUGDATA, (void *)receiver);
  curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, may_go_on);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, (void *)receiver);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, (void *)receiver);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, write_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, (void *)receiver);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, (void *)receiver);
  curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_request);
  return curl_easy_setopt(handle, CURLOPT_PREREQDATA, (void *)receiver);
}

size_t curl_shim_parse_address(const char *text, unsigned char bytes[16]) {
  if (inet_pton(AF_INET, text, bytes) == 1) return 4;
  if (inet_pton(AF_INET6, text, bytes) == 1) return 16;
  return 0;
}

int curl_shim_look_up(const char *host) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
  int code = getaddrinfo(host, NULL, &hints, &found);
  if (found != NULL) freeaddrinfo(found);
  if (code == 0) return 1;
  // Name servers that are silent, refuse or fail.
  return code == EAI_AGAIN || code == EAI_FAIL || code == EAI_SYSTEM || code == EAI_MEMORY ? -1 : 0;
}

typedef struct {
  void (*body)(void *);
  void *context;
} thread_start;

static void *run_thread(void *argument) {
  thread_start start = *(thread_start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

bool curl_shim_start_thread(void (*body)(void *), void *context) {
  thread_start *start = malloc(sizeof *start);
  if (start == NULL) return false;
  start->body = body;
  start->context = context;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_thread, start) != 0) {
    free(start);
    return false;
  }
  pthread_detach(thread);
  return true;
}
