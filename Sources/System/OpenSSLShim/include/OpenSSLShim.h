#ifndef OPENSSL_SHIM_H
#define OPENSSL_SHIM_H

#include <openssl/evp.h>

/// Generates an EC key on the named curve; NULL on failure. OpenSSL's own function is variadic.
EVP_PKEY *OpenSSLShim_generateECKey(const char *curve);

#endif
