/*
 * keyway_dask.h: the interface between Keyway and a DASk plug-in, version 1.
 *
 * A plug-in is a shared library that an operator builds around the software licensed from Apple. It exports one symbol,
 * keyway_dask_open. This header can be read, compiled and tested without software from Apple.
 *
 * Rules
 *   - Every struct starts with its size in bytes, set by the owner of the memory. The other side must not access fields
 *     beyond this size. New fields are added only at the end.
 *   - The caller owns the buffers. The callee writes at most `capacity` bytes and sets `length`. If a buffer is too small,
 *     the callee sets `length` to the required size and returns KEYWAY_DASK_BUFFER_TOO_SMALL.
 *   - Input pointers are valid only during the call. The callee must write only to output buffers.
 *   - Functions return a KEYWAY_DASK_ status, never throw or longjmp across the boundary, and must not write secrets to
 *     a log. Keyway wipes its buffers after use; the plug-in should do the same.
 *   - All numbers are in host byte order; all byte strings have the byte order of the messages.
 *   - Sizes that a comment states are those of the FairPlay Streaming Programming Guide, for SPCs of versions 1 and 2.
 *     Byte strings have a length even there, because newer messages may use other sizes. Keyway reports an output with
 *     a size that it does not support as a failure of the plug-in.
 *   - What the guide does not describe is used only if the plug-in declares it as a capability (see below).
 *
 * The header is C99 and C++. Sizes of structs, in bytes, if pointers and size_t have 8 bytes:
 *     keyway_dask_bytes 16             keyway_dask_open_spc_in 24      keyway_dask_open_in 24
 *     keyway_dask_buffer 24            keyway_dask_open_spc_out 88     keyway_dask_capability 24
 *     keyway_dask_derive_in 40         keyway_dask_seal_ckc_in 64      keyway_dask_plugin 88
 *     keyway_dask_derive_out 32        keyway_dask_seal_ckc_out 32
 *     keyway_dask_key_payload_in 120   keyway_dask_key_payload_out 104
 */
#ifndef KEYWAY_DASK_H
#define KEYWAY_DASK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A plug-in returns KEYWAY_DASK_UNSUPPORTED for a version that it does not support. */
enum { KEYWAY_DASK_ABI_VERSION = 1 };

enum {
    KEYWAY_DASK_OK = 0,
    KEYWAY_DASK_UNSUPPORTED = 1,      /* the version or the function is not supported */
    KEYWAY_DASK_INVALID = 2,          /* the message cannot be decrypted: damaged, forged, or for another certificate */
    KEYWAY_DASK_BUFFER_TOO_SMALL = 3, /* `length` contains the required size */
    KEYWAY_DASK_FAILED = 4            /* any other failure: an expired license, a device that does not respond */
};

/* The threading mode: how Keyway calls the functions of a plug-in. */
enum {
    KEYWAY_DASK_THREADING_SERIAL = 0,    /* one call at a time per plug-in; Keyway holds a lock */
    KEYWAY_DASK_THREADING_CONCURRENT = 1 /* any number of calls from any threads */
};

typedef struct {
    const uint8_t *bytes;
    size_t length;
} keyway_dask_bytes;

typedef struct {
    uint8_t *bytes;
    size_t capacity;
    size_t length;
} keyway_dask_buffer;

/* ---- derive: DASk from R2 and ASk ---- */

typedef struct {
    size_t size;
    keyway_dask_bytes r2;  /* 21 bytes */
    keyway_dask_bytes ask; /* 16 bytes, or 0 bytes if provisioning data replaces ASk */
} keyway_dask_derive_in;

typedef struct {
    size_t size;
    keyway_dask_buffer dask; /* 16 bytes */
} keyway_dask_derive_out;

/* ---- key payload: open [SK...R1] and encrypt the content key ---- */

typedef struct {
    size_t size;
    keyway_dask_bytes sk_r1;             /* the value of the [SK...R1] TLLV, 112 bytes: IV and payload */
    keyway_dask_bytes r2;                /* 21 bytes */
    keyway_dask_bytes sk_r1_integrity;   /* 16 bytes */
    keyway_dask_bytes certificate_hash;  /* the certificate hash of the SPC: SHA-1, 20 bytes, in versions 1 and 2 */
    keyway_dask_bytes provisioning_data; /* as configured, at most 65,536 bytes */
    keyway_dask_bytes content_key;       /* 16 bytes, or 0 bytes if Keyway needs only the session values */
    keyway_dask_bytes content_iv;        /* 16 bytes, or 0 bytes as above */
} keyway_dask_key_payload_in;

typedef struct {
    size_t size;
    keyway_dask_buffer hu;              /* the device's anonymous ID, 20 bytes */
    keyway_dask_buffer r1;              /* 44 bytes */
    keyway_dask_buffer encrypted_ck;    /* the content key for the Encrypted CK TLLV, 16 bytes; empty without a content key */
    keyway_dask_buffer encrypted_ck_iv; /* the IV for that TLLV, 16 bytes; empty without a content key */
} keyway_dask_key_payload_out;

/* ---- whole SPC: versions that the guide does not describe, which the plug-in declares as capabilities ---- */

typedef struct {
    size_t size;
    keyway_dask_bytes spc;
} keyway_dask_open_spc_in;

typedef struct {
    size_t size;
    void *context;                       /* a pointer of the plug-in, passed to seal_ckc and then exactly once to
                                            release_spc */
    keyway_dask_buffer hu;               /* the device's anonymous ID, 20 bytes */
    keyway_dask_buffer certificate_hash; /* of the application certificate: SHA-1, 20 bytes; or SHA-256, 32 bytes, if
                                            KEYWAY_DASK_CAPABILITY_SHA256 is declared */
    keyway_dask_buffer request;          /* TLLVs of the guide's Table 2-4, in its format: the asset ID, and the playback
                                            state, capabilities, identity and similar blocks of the message */
} keyway_dask_open_spc_out;

typedef struct {
    size_t size;
    void *context;
    keyway_dask_bytes content_key; /* 16 bytes */
    keyway_dask_bytes content_iv;  /* 16 bytes */
    keyway_dask_bytes terms;       /* TLLVs of Table 2-11 that the policy requires: duration, offline key, HDCP, security
                                      level; in the guide's format */
} keyway_dask_seal_ckc_in;

typedef struct {
    size_t size;
    keyway_dask_buffer ckc; /* the whole message */
} keyway_dask_seal_ckc_out;

/* ---- capabilities: what a plug-in supports beyond the guide ---- */

/*
 * A plug-in lists a pair of a name and a version for each capability. Keyway uses those that it knows, and ignores and
 * displays all others. Names that start with "x-" are never used by this header.
 */
typedef struct {
    size_t size;
    const char *name; /* 1 to 64 lowercase letters, digits, and hyphens of ASCII, NUL-terminated */
    uint32_t version;
} keyway_dask_capability;

/* SPCs with the version number `version`, which open_spc processes. Keyway passes only SPCs of declared versions to it,
   and only version 3 is known. */
#define KEYWAY_DASK_CAPABILITY_SPC "spc"
/* Version 1: the certificate hash that open_spc returns may be SHA-256. */
#define KEYWAY_DASK_CAPABILITY_SHA256 "certificate-hash-sha256"
/* The maximum number of capabilities of a plug-in. */
enum { KEYWAY_DASK_MAXIMUM_CAPABILITIES = 64 };

/* ---- the plug-in ---- */

typedef struct {
    size_t size;
    uint32_t abi_version;      /* KEYWAY_DASK_ABI_VERSION of the host */
    const char *configuration; /* the operator's text in the bundle's configuration, NUL-terminated; never NULL; at most 65,536 bytes */
} keyway_dask_open_in;

typedef struct {
    size_t size;
    uint32_t abi_version; /* KEYWAY_DASK_ABI_VERSION of the plug-in */
    uint32_t threading;   /* KEYWAY_DASK_THREADING_ */
    void *state;          /* a pointer of the plug-in, passed to every function */

    /* Called once, after all other calls have returned. Can be NULL. If Keyway ends the process, it is not called. */
    void (*destroy)(void *state);

    /* One of these two functions opens SPCs of versions 1 and 2; the other must be NULL. */
    int32_t (*derive_dask)(void *state, const keyway_dask_derive_in *in, keyway_dask_derive_out *out);
    int32_t (*key_payload)(void *state, const keyway_dask_key_payload_in *in, keyway_dask_key_payload_out *out);

    /* For SPCs of the versions that the capabilities declare: either all three functions, or all NULL. */
    int32_t (*open_spc)(void *state, const keyway_dask_open_spc_in *in, keyway_dask_open_spc_out *out);
    int32_t (*seal_ckc)(void *state, const keyway_dask_seal_ckc_in *in, keyway_dask_seal_ckc_out *out);
    void (*release_spc)(void *state, void *context);

    /* The capabilities, in memory of the plug-in that is valid until destroy is called. NULL without capabilities. */
    const keyway_dask_capability *const *capabilities;
    size_t capability_count;
} keyway_dask_plugin;

/* Fills `plugin`, whose `size` the host has set. This is the only symbol that a plug-in exports. */
typedef int32_t (*keyway_dask_open_function)(const keyway_dask_open_in *in, keyway_dask_plugin *plugin);
#define KEYWAY_DASK_OPEN_SYMBOL "keyway_dask_open"
int32_t keyway_dask_open(const keyway_dask_open_in *in, keyway_dask_plugin *plugin);

#ifdef __cplusplus
}
#endif

#endif
