#include "OpenSSLShim.h"

EVP_PKEY *OpenSSLShim_generateECKey(const char *curve) {
  return EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve);
}
