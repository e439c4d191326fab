#ifndef OPENSSL_SHIM_H
#define OPENSSL_SHIM_H

#include <openssl/evp.h>

/// A new EC key on the named curve, or NULL. OpenSSL offers this only as a variadic function.
EVP_PKEY *OpenSSLShim_generateECKey(const char *curve);

#endif
