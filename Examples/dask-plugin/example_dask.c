/*
 * An example of a DASk plug-in: all functions of keyway_dask.h, with Keyway's development function instead of a licensee's
 * library. It demonstrates the interface and provides no security.
 *
 *     cc -shared -fPIC -fvisibility=hidden -I ../../Sources/System/CKeywayDASk/include -o example_dask.so example_dask.c -lcrypto
 *
 * The configuration text selects the functions: "derive", "key-payload" or "spc-3"; with "serial" after it, calls are made
 * one at a time. For "key-payload" the provisioning data is the 16-byte ASk; a real plug-in uses Apple's provisioning data.
 *
 * The SPC of version 3 that it opens has an invented format, not Apple's:
 *     0-3 version 3 | 4-23 certificate hash | 24-43 HU | 44-59 key | 60... clear TLLVs
 * and the CKC: 0-3 version 3 | 4-19 content key, AES-ECB with the key | 20-35 IV | 36... terms.
 */
#include "keyway_dask.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Computes DASk: the first 16 bytes of HMAC-SHA256 with the key ASk over R2. A licensee calls Apple's library here. */
static int derive(keyway_dask_bytes ask, keyway_dask_bytes r2, uint8_t dask[16]) {
    uint8_t mac[32];
    unsigned int length = sizeof mac;
    if (ask.length != 16 || r2.length != 21) return 0;
    if (!HMAC(EVP_sha256(), ask.bytes, 16, r2.bytes, r2.length, mac, &length)) return 0;
    memcpy(dask, mac, 16);
    OPENSSL_cleanse(mac, sizeof mac);
    return 1;
}

static int aes(int encrypt, const EVP_CIPHER *cipher, const uint8_t key[16], const uint8_t *iv, const uint8_t *in,
               int length, uint8_t *out) {
    int written = 0, rest = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int ok = context && EVP_CipherInit_ex(context, cipher, NULL, key, iv, encrypt) &&
             EVP_CIPHER_CTX_set_padding(context, 0) && EVP_CipherUpdate(context, out, &written, in, length) &&
             EVP_CipherFinal_ex(context, out + written, &rest);
    EVP_CIPHER_CTX_free(context);
    return ok;
}

/* Copies bytes to a buffer of the caller. Returns 0 if the buffer is too small; its length is then the required size. */
static int put(keyway_dask_buffer *buffer, const uint8_t *bytes, size_t length) {
    buffer->length = length;
    if (length > buffer->capacity) return 0;
    memcpy(buffer->bytes, bytes, length);
    return 1;
}

static int32_t example_derive(void *state, const keyway_dask_derive_in *in, keyway_dask_derive_out *out) {
    uint8_t dask[16];
    int32_t status;
    (void)state;
    if (!derive(in->ask, in->r2, dask)) return KEYWAY_DASK_FAILED;
    status = put(&out->dask, dask, sizeof dask) ? KEYWAY_DASK_OK : KEYWAY_DASK_BUFFER_TOO_SMALL;
    OPENSSL_cleanse(dask, sizeof dask);
    return status;
}

static int32_t example_key_payload(void *state, const keyway_dask_key_payload_in *in,
                                   keyway_dask_key_payload_out *out) {
    uint8_t dask[16], clear[96], encrypted[16];
    int32_t status = KEYWAY_DASK_OK;
    (void)state;
    if (in->sk_r1.length != 112 || in->sk_r1_integrity.length != 16) return KEYWAY_DASK_INVALID;
    if (!derive(in->provisioning_data, in->r2, dask)) return KEYWAY_DASK_FAILED;
    if (!aes(0, EVP_aes_128_cbc(), dask, in->sk_r1.bytes, in->sk_r1.bytes + 16, 96, clear)) {
        status = KEYWAY_DASK_FAILED;
    } else if (CRYPTO_memcmp(clear + 80, in->sk_r1_integrity.bytes, 16) != 0) {
        status = KEYWAY_DASK_INVALID;
    } else if (!put(&out->hu, clear + 16, 20) || !put(&out->r1, clear + 36, 44)) {
        status = KEYWAY_DASK_BUFFER_TOO_SMALL;
    } else if (in->content_key.length == 16 && in->content_iv.length == 16) {
        if (!aes(1, EVP_aes_128_ecb(), clear, NULL, in->content_key.bytes, 16, encrypted))
            status = KEYWAY_DASK_FAILED;
        else if (!put(&out->encrypted_ck, encrypted, 16) || !put(&out->encrypted_ck_iv, in->content_iv.bytes, 16))
            status = KEYWAY_DASK_BUFFER_TOO_SMALL;
    }
    OPENSSL_cleanse(dask, sizeof dask);
    OPENSSL_cleanse(clear, sizeof clear);
    return status;
}

typedef struct {
    uint8_t key[16];
} example_spc;

static int32_t example_open_spc(void *state, const keyway_dask_open_spc_in *in, keyway_dask_open_spc_out *out) {
    static const uint8_t version[4] = {0, 0, 0, 3};
    const uint8_t *spc = in->spc.bytes;
    (void)state;
    if (in->spc.length < 60 || memcmp(spc, version, 4) != 0) return KEYWAY_DASK_INVALID;
    if (!put(&out->certificate_hash, spc + 4, 20) || !put(&out->hu, spc + 24, 20) ||
        !put(&out->request, spc + 60, in->spc.length - 60))
        return KEYWAY_DASK_BUFFER_TOO_SMALL;
    example_spc *opened = malloc(sizeof *opened);
    if (!opened) return KEYWAY_DASK_FAILED;
    memcpy(opened->key, spc + 44, 16);
    out->context = opened;
    return KEYWAY_DASK_OK;
}

static int32_t example_seal_ckc(void *state, const keyway_dask_seal_ckc_in *in, keyway_dask_seal_ckc_out *out) {
    static const uint8_t version[4] = {0, 0, 0, 3};
    const example_spc *opened = in->context;
    (void)state;
    out->ckc.length = 36 + in->terms.length;
    if (out->ckc.length > out->ckc.capacity) return KEYWAY_DASK_BUFFER_TOO_SMALL;
    memcpy(out->ckc.bytes, version, 4);
    if (!aes(1, EVP_aes_128_ecb(), opened->key, NULL, in->content_key.bytes, 16, out->ckc.bytes + 4))
        return KEYWAY_DASK_FAILED;
    memcpy(out->ckc.bytes + 20, in->content_iv.bytes, 16);
    if (in->terms.length) memcpy(out->ckc.bytes + 36, in->terms.bytes, in->terms.length);
    return KEYWAY_DASK_OK;
}

static void example_release_spc(void *state, void *context) {
    (void)state;
    OPENSSL_cleanse(context, sizeof(example_spc));
    free(context);
}

static const keyway_dask_capability version_3 = {sizeof version_3, KEYWAY_DASK_CAPABILITY_SPC, 3};
static const keyway_dask_capability *const spc_3_capabilities[] = {&version_3};

/* A real plug-in opens Apple's library here and stores its handle in the state. */
static void *example_create(void) { return malloc(1); }
static void example_destroy(void *state) { free(state); }

EXPORT int32_t keyway_dask_open(const keyway_dask_open_in *in, keyway_dask_plugin *plugin) {
    if (in->abi_version != KEYWAY_DASK_ABI_VERSION || plugin->size < sizeof *plugin) return KEYWAY_DASK_UNSUPPORTED;
    plugin->abi_version = KEYWAY_DASK_ABI_VERSION;
    plugin->threading = strstr(in->configuration, "serial") ? KEYWAY_DASK_THREADING_SERIAL
                                                            : KEYWAY_DASK_THREADING_CONCURRENT;
    if (strncmp(in->configuration, "derive", 6) == 0) {
        plugin->derive_dask = example_derive;
    } else if (strncmp(in->configuration, "key-payload", 11) == 0) {
        plugin->key_payload = example_key_payload;
    } else if (strncmp(in->configuration, "spc-3", 5) == 0) {
        plugin->open_spc = example_open_spc;
        plugin->seal_ckc = example_seal_ckc;
        plugin->release_spc = example_release_spc;
        plugin->capabilities = spc_3_capabilities;
        plugin->capability_count = 1;
    } else {
        return KEYWAY_DASK_UNSUPPORTED;
    }
    plugin->state = example_create();
    plugin->destroy = example_destroy;
    return plugin->state ? KEYWAY_DASK_OK : KEYWAY_DASK_FAILED;
}
