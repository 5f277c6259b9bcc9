/*
 * A DASk plug-in that misbehaves as a test requires. Its DASk is bytes 0 to 15 of R2; byte 0 of R2 selects what a call does.
 * The configuration text selects what happens while it is loaded.
 */
#include "keyway_dask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;
static char path[4096];

/* Waits until a writer has opened and closed a named pipe. */
static void wait_for(const char *name) {
    char byte;
    int file = open(name, O_RDONLY);
    while (read(file, &byte, 1) > 0) {}
    close(file);
}

static void put_number(uint8_t *bytes, uint32_t number) {
    bytes[0] = (uint8_t)(number >> 24), bytes[1] = (uint8_t)(number >> 16);
    bytes[2] = (uint8_t)(number >> 8), bytes[3] = (uint8_t)number;
}

/* The process's number, the number of its descriptors and of its environment's variables, and its core limit. */
static void describe(uint8_t *bytes) {
    uint32_t descriptors = 0, variables = 0;
    struct rlimit limit;
    for (int number = 0; number < 4096; number++) descriptors += fcntl(number, F_GETFD) >= 0;
    while (environ[variables]) variables++;
    getrlimit(RLIMIT_CORE, &limit);
    put_number(bytes, (uint32_t)getpid());
    put_number(bytes + 4, descriptors);
    put_number(bytes + 8, variables);
    put_number(bytes + 12, (uint32_t)limit.rlim_max);
}

static int32_t derive_dask(void *state, const keyway_dask_derive_in *in, keyway_dask_derive_out *out) {
    uint8_t rubbish[4096];
    char *leaked;
    (void)state;
    memcpy(out->dask.bytes, in->r2.bytes, 16);
    out->dask.length = 16;
    switch (in->r2.bytes[0]) {
    case 1: raise(SIGKILL); break;
    case 2: signal(SIGSEGV, SIG_DFL), raise(SIGSEGV); break;
    case 3: for (;;) pause();
    case 4: /* writes to its sockets, with a length that is too large */
        memset(rubbish, 0xff, sizeof rubbish);
        for (int number = 4; number < 64; number++) send(number, rubbish, sizeof rubbish, MSG_NOSIGNAL | MSG_DONTWAIT);
        break;
    case 5: /* leaks 8 MiB */
        leaked = malloc(8 << 20);
        if (!leaked) return KEYWAY_DASK_FAILED;
        memset(leaked, 1, 8 << 20);
        break;
    case 6: /* allocates until that fails */
        while ((leaked = malloc(1 << 20))) memset(leaked, 1, 1 << 20);
        return KEYWAY_DASK_FAILED;
    case 7: out->dask.length = 15; break;
    case 8: out->dask.length = SIZE_MAX; break;
    case 9: return KEYWAY_DASK_INVALID;
    case 10: return KEYWAY_DASK_FAILED;
    case 11: _exit(3);
    case 12: /* half of a reply */
        for (int number = 4; number < 64; number++) send(number, "\0\0\0\x1a\2", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
        raise(SIGKILL);
        break;
    case 13: describe(out->dask.bytes); break;
    case 14: wait_for(path); break;
    case 15: { /* a valid reply with a DASk, to request 0, clearly before the true one: both together would be too many bytes */
        static const char reply[30] = {0, 0, 0, 26, 2, 0, 0, 0, 0, 0, 0, 0, 0, 16};
        for (int number = 4; number < 64; number++) send(number, reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT);
        usleep(300000);
        break;
    }
    default: break;
    }
    return KEYWAY_DASK_OK;
}

__attribute__((visibility("default")))
int32_t keyway_dask_open(const keyway_dask_open_in *in, keyway_dask_plugin *plugin) {
    const char *colon = strchr(in->configuration, ':');
    if (colon) snprintf(path, sizeof path, "%s", colon + 1);
    if (strncmp(in->configuration, "wait:", 5) == 0) wait_for(path);
    if (strncmp(in->configuration, "dies-if:", 8) == 0 && access(path, F_OK) == 0) raise(SIGKILL);
    if (strcmp(in->configuration, "hangs") == 0) for (;;) pause();
    plugin->abi_version = KEYWAY_DASK_ABI_VERSION;
    plugin->threading = KEYWAY_DASK_THREADING_CONCURRENT;
    plugin->derive_dask = derive_dask;
    return KEYWAY_DASK_OK;
}
