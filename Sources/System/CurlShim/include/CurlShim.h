#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// libcurl's setters and getters are variadic, which Swift cannot call: one typed function per kind of value.

CURLcode curl_shim_set_long(CURL *_Nonnull handle, CURLoption option, long value);
CURLcode curl_shim_set_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value);
CURLcode curl_shim_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value);
CURLcode curl_shim_set_list(CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable value);
CURLcode curl_shim_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value);

/// Refuses every protocol but http and https, and never waits for a name server once a transfer is given up
/// (where this libcurl can: 7.87 and later).
CURLcode curl_shim_set_web_only(CURL *_Nonnull handle);

long curl_shim_get_long(CURL *_Nonnull handle, CURLINFO info);
curl_off_t curl_shim_get_offset(CURL *_Nonnull handle, CURLINFO info);
const char *_Nullable curl_shim_get_string(CURL *_Nonnull handle, CURLINFO info);

CURLMcode curl_shim_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);

/// What a transfer reports while it runs, and to whom. Everything is called from inside curl_multi_perform, so
/// on the thread that drives the transfer.
typedef struct {
  void *_Nullable context;
  /// Bytes of the body, decoded. False stops the transfer.
  bool (*_Nonnull body)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// One header line with its line end. False stops the transfer.
  bool (*_Nonnull header)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// May this address be spoken to? 4 or 16 bytes, in network order.
  bool (*_Nonnull address)(void *_Nullable context, const unsigned char *_Nonnull bytes, size_t count);
  /// So many bytes of the body came over the wire, counted before any coding is undone. False stops the transfer
  /// soon: before libcurl reads much more of it.
  bool (*_Nonnull arrival)(void *_Nullable context, size_t count);
  /// A false answer to an arrival, which libcurl cannot be told at once.
  bool is_stopped;
  /// errno of the last socket the system refused to open; 0 when it refused none.
  int socket_error;
} curl_shim_receiver;

/// Installs the receiver, which must outlive the transfer. The address is asked for before a socket is opened,
/// and again before a request is sent on a connection that was open already.
CURLcode curl_shim_set_receiver(CURL *_Nonnull handle, curl_shim_receiver *_Nonnull receiver);

/// Reads an address as text (no brackets, no zone) into `bytes`; 4, 16, or 0 when it is no address.
size_t curl_shim_parse_address(const char *_Nonnull text, unsigned char bytes[_Nonnull 16]);

/// Runs `body` on a detached thread of its own; false when the system has none to give.
bool curl_shim_start_thread(void (*_Nonnull body)(void *_Nonnull context), void *_Nonnull context);

/// From a megabyte on, memory that is let go goes back to the system at once. glibc raises that limit to the size of
/// whatever was let go last, up to 32 MB: a large body then leaves its memory with each thread that had to do with it.
/// Elsewhere the system's allocator does as it does.
void curl_shim_return_large_blocks(void);

/// Raises this process's limit of open descriptors towards `wanted`, as far as the system lets it; the limit now
/// in force.
long curl_shim_raise_descriptor_limit(long wanted);

#endif
