// The part of OpenSSL 3's libcrypto that FPSCrypto calls. Swift does not import macros with arguments or casts; the
// necessary ones are wrapped below.
#ifndef CLIBCRYPTO_SHIM_H
#define CLIBCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <openssl/x509.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or later is required (Debian: libssl-dev)"
#endif

/// The text format of a distinguished name: RFC 2253, with unescaped characters outside of ASCII (UTF-8).
static const unsigned long clibcrypto_name_style = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

/// The flag for a text in UTF-8.
static const int clibcrypto_utf8 = MBSTRING_UTF8;

/// Sets the hash function of an HMAC by its name. It is in C because in Swift the name would be a temporary string,
/// while the parameter stores a pointer to it.
static inline int clibcrypto_mac_set_digest(EVP_MAC_CTX *context, const char *name) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)name, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(context, parameters);
}

/// Frees memory that libcrypto allocated. `pointer` can be NULL.
static inline void clibcrypto_free(void *pointer) { OPENSSL_free(pointer); }

/// Wipes and frees `size` bytes that libcrypto allocated. `pointer` can be NULL.
static inline void clibcrypto_clear_free(void *pointer, size_t size) { OPENSSL_clear_free(pointer, size); }

/// Decodes the message of an OAEP block with SHA-1, MGF1-SHA-1 and an empty label, in constant time. `block_size` is
/// the size of the modulus in bytes. Returns the size of the message, or a negative value if the block is not valid.
static inline int clibcrypto_oaep_decode(void *message, size_t size, const void *block, size_t block_size) {
// All functions of libcrypto that decode only the padding are deprecated.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return RSA_padding_check_PKCS1_OAEP_mgf1((unsigned char *)message, (int)size, (const unsigned char *)block,
        (int)block_size, (int)block_size, NULL, 0, EVP_sha1(), EVP_sha1());
#pragma GCC diagnostic pop
}

/// Returns the size of the bytes in a memory BIO, and sets `bytes` to their address. The BIO owns the bytes.
static inline size_t clibcrypto_bio_bytes(BIO *bio, const unsigned char **bytes) {
    char *data = NULL;
    long size = BIO_get_mem_data(bio, &data);
    *bytes = (const unsigned char *)data;
    return size > 0 && data != NULL ? (size_t)size : 0;
}

#endif
