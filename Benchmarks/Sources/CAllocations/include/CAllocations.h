#ifndef KEYWAY_C_ALLOCATIONS_H
#define KEYWAY_C_ALLOCATIONS_H

/// How often this process has asked for memory so far, from all threads.
long keyway_allocations(void);

#endif
