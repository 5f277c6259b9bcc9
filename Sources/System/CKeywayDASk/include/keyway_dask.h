/*
 * keyway_dask.h: the interface between Keyway and a DASk plug-in, version 1.
 *
 * A plug-in is a shared library that an operator builds around what Apple licenses to them. It exports one symbol,
 * keyway_dask_open. Nothing of Apple's is needed to read, compile or test this header.
 *
 * Rules
 *   - Every struct starts with its size in bytes, set by whoever owns the memory. A side must not touch fields past the
 *     size it was given. Fields are only ever added at the end.
 *   - Buffers belong to the caller. A callee fills at most `capacity` bytes and sets `length`. When a buffer is too small
 *     it sets `length` to what it needs and returns KEYWAY_DASK_BUFFER_TOO_SMALL.
 *   - Pointers passed in are valid during the call only, and never written through unless they are out-buffers.
 *   - Functions return a KEYWAY_DASK_ status, never throw or longjmp across the boundary, and must not write secrets to
 *     any log. Keyway wipes its buffers after use; so should the plug-in.
 *   - All numbers are in host byte order; all byte strings are as on the wire.
 */
#ifndef KEYWAY_DASK_H
#define KEYWAY_DASK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A plug-in refuses any that it does not know with KEYWAY_DASK_UNSUPPORTED. */
enum { KEYWAY_DASK_ABI_VERSION = 1 };

enum {
    KEYWAY_DASK_OK = 0,
    KEYWAY_DASK_UNSUPPORTED = 1,      /* the version, or this kind of call, is not offered */
    KEYWAY_DASK_INVALID = 2,          /* the message does not open: damaged, forged, or made for another certificate */
    KEYWAY_DASK_BUFFER_TOO_SMALL = 3, /* `length` says how much is needed */
    KEYWAY_DASK_FAILED = 4            /* anything else: a license that ran out, a device that does not answer */
};

/* How a plug-in may be called. */
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
    keyway_dask_bytes ask; /* 16 bytes, or none where provisioning data replaces ASk */
} keyway_dask_derive_in;

typedef struct {
    size_t size;
    uint8_t dask[16];
} keyway_dask_derive_out;

/* ---- key payload: open [SK...R1] and encrypt the content key ---- */

typedef struct {
    size_t size;
    keyway_dask_bytes sk_r1;             /* the value of the [SK...R1] TLLV, 112 bytes: IV and payload */
    keyway_dask_bytes r2;                /* 21 bytes */
    keyway_dask_bytes sk_r1_integrity;   /* 16 bytes */
    keyway_dask_bytes certificate_hash;  /* SHA-1 of the application certificate, 20 bytes */
    keyway_dask_bytes provisioning_data; /* as configured */
    keyway_dask_bytes content_key;       /* 16 bytes; none when Keyway only needs the session values */
    keyway_dask_bytes content_iv;        /* 16 bytes, or none as above */
} keyway_dask_key_payload_in;

typedef struct {
    size_t size;
    uint8_t hu[20];                 /* the device's anonymous ID */
    uint8_t r1[44];
    uint8_t encrypted_ck[16];       /* the content key for the Encrypted CK TLLV; undefined without a content key */
    uint8_t encrypted_ck_iv[16];    /* the IV for that TLLV; undefined without a content key */
} keyway_dask_key_payload_out;

/* ---- whole SPC: versions that the guide does not describe ---- */

typedef struct {
    size_t size;
    keyway_dask_bytes spc;
} keyway_dask_open_spc_in;

typedef struct {
    size_t size;
    void *context;              /* the plug-in's own; given to seal_ckc, then to release_spc exactly once */
    uint8_t hu[20];             /* the device's anonymous ID */
    uint8_t certificate_hash[20];
    keyway_dask_buffer request; /* TLLVs of the guide's Table 2-4, in its framing: the asset ID, and whatever of playback
                                   state, capabilities, identity and the like the message holds */
} keyway_dask_open_spc_out;

typedef struct {
    size_t size;
    void *context;
    keyway_dask_bytes content_key; /* 16 bytes */
    keyway_dask_bytes content_iv;  /* 16 bytes */
    keyway_dask_bytes terms;       /* TLLVs of Table 2-11 that the policy asks for: duration, offline key, HDCP, security
                                      level; in the guide's framing */
} keyway_dask_seal_ckc_in;

typedef struct {
    size_t size;
    keyway_dask_buffer ckc; /* the whole message */
} keyway_dask_seal_ckc_out;

/* ---- the plug-in ---- */

typedef struct {
    size_t size;
    uint32_t abi_version;      /* KEYWAY_DASK_ABI_VERSION of the host */
    const char *configuration; /* the operator's text from the bundle's configuration, NUL-terminated; never NULL */
} keyway_dask_open_in;

typedef struct {
    size_t size;
    uint32_t abi_version; /* KEYWAY_DASK_ABI_VERSION of the plug-in */
    uint32_t threading;   /* KEYWAY_DASK_THREADING_ */
    void *state;          /* the plug-in's own; given to every call */

    /* Called once, when no other call is under way. May be NULL. */
    void (*destroy)(void *state);

    /* Exactly one of these two opens SPCs of versions 1 and 2; the other is NULL. */
    int32_t (*derive_dask)(void *state, const keyway_dask_derive_in *in, keyway_dask_derive_out *out);
    int32_t (*key_payload)(void *state, const keyway_dask_key_payload_in *in, keyway_dask_key_payload_out *out);

    /* All three, or none. */
    int32_t (*open_spc)(void *state, const keyway_dask_open_spc_in *in, keyway_dask_open_spc_out *out);
    int32_t (*seal_ckc)(void *state, const keyway_dask_seal_ckc_in *in, keyway_dask_seal_ckc_out *out);
    void (*release_spc)(void *state, void *context);
} keyway_dask_plugin;

/* Fills `plugin`, whose size the host has set. The one symbol that a plug-in exports. */
typedef int32_t (*keyway_dask_open_function)(const keyway_dask_open_in *in, keyway_dask_plugin *plugin);
#define KEYWAY_DASK_OPEN_SYMBOL "keyway_dask_open"
int32_t keyway_dask_open(const keyway_dask_open_in *in, keyway_dask_plugin *plugin);

#ifdef __cplusplus
}
#endif

#endif
