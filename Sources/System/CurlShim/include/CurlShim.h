#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// libcurl's setters and getters are variadic, and Swift cannot call variadic functions: one typed function per kind of
// value.

CURLcode curl_shim_set_long(CURL *_Nonnull handle, CURLoption option, long value);
CURLcode curl_shim_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value);
CURLcode curl_shim_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value);

/// Allows only http and https. From libcurl 7.87 on, a transfer that ends does not wait for a name server.
CURLcode curl_shim_set_web_only(CURL *_Nonnull handle);

long curl_shim_get_long(CURL *_Nonnull handle, CURLINFO info);
curl_off_t curl_shim_get_offset(CURL *_Nonnull handle, CURLINFO info);
const char *_Nullable curl_shim_get_string(CURL *_Nonnull handle, CURLINFO info);
/// A list; free it with curl_slist_free_all. NULL for an empty one.
struct curl_slist *_Nullable curl_shim_get_list(CURL *_Nonnull handle, CURLINFO info);

/// A part of a URL; free it with curl_free. NULL if the URL does not have it.
char *_Nullable curl_shim_url_part(CURLU *_Nonnull handle, CURLUPart part, unsigned flags);

/// A part of a URL with an international host name spelled in ASCII; free it with curl_free. NULL in a libcurl that cannot
/// convert names: one before 7.88, or one without a library for them.
char *_Nullable curl_shim_url_part_in_ascii(CURLU *_Nonnull handle, CURLUPart part);

CURLMcode curl_shim_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);

/// The callbacks of a running transfer. All are called from curl_multi_perform, on the thread that drives the transfer.
typedef struct {
  void *_Nullable context;
  /// Bytes of the body, decoded. False stops the transfer.
  bool (*_Nonnull body)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// One header line with its line end. False stops the transfer.
  bool (*_Nonnull header)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// Whether the transfer may connect to this address: 4 or 16 bytes, in network order.
  bool (*_Nonnull address)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// Bytes of the body that arrived, before decoding. False stops the transfer before libcurl reads much more.
  bool (*_Nonnull arrival)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// The server's Certificate message of TLS, from its first byte; not with every TLS library.
  void (*_Nonnull certificates)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// Set when `arrival` returned false; libcurl reads it at its next progress callback.
  bool is_stopped;
  /// Set when TLS begins, so that a TCP connection stands; not with every TLS library.
  bool is_securing;
  /// Set when the connection stands, TLS included, and the request may be sent.
  bool is_ready;
  /// errno of the last socket that could not be opened; 0 when all could.
  int socket_error;
} curl_shim_receiver;

/// Installs the receiver, which must outlive the transfer. `address` is called before a socket is opened and before a
/// request is sent on a connection that was already open.
CURLcode curl_shim_set_receiver(CURL *_Nonnull handle, curl_shim_receiver *_Nonnull receiver);

/// Parses an address (without brackets or zone) into `bytes`. Returns its length, 4 or 16; 0 when it is invalid.
size_t curl_shim_parse_address(const char *_Nonnull text, unsigned char bytes[_Nonnull 16]);

/// Looks up a name as libcurl does, for as long as the system waits for name servers. Returns 1 if it has an address, 0 if it
/// has none, and -1 if no name server says so.
int curl_shim_look_up(const char *_Nonnull host);

/// Runs `body` on a new detached thread. Returns false when the system cannot start one.
bool curl_shim_start_thread(void (*_Nonnull body)(void *_Nonnull context), void *_Nonnull context);

#endif
