#ifndef KEYWAY_C_ALLOCATIONS_H
#define KEYWAY_C_ALLOCATIONS_H

/// Returns the number of memory allocations of this process so far, from all threads.
long keyway_allocations(void);

#endif
