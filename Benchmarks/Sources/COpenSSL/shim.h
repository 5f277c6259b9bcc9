// The part of OpenSSL 3's libcrypto that the benchmarks measure alone, without Keyway.
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#endif
