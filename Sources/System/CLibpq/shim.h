// The client library of PostgreSQL, which KeyStorePostgres calls. Swift does not import macros with casts.
#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

#include <libpq-fe.h>

#ifndef LIBPQ_HAS_PIPELINING
#error "libpq 14 or later is required (Debian: libpq-dev)"
#endif

/// The identifiers of fields in a server's error: PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
static const int clibpq_sqlstate = PG_DIAG_SQLSTATE;
static const int clibpq_message = PG_DIAG_MESSAGE_PRIMARY;

#endif
