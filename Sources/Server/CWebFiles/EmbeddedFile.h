// `#embed` belongs to C23; clang takes it in every language mode, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "CWebFiles.h"

/// A row of a table: the name of a file and the array that holds it.
#define KEYWAY_WEB_FILE(file, array) {file, array, sizeof array}

/// A whole table.
#define KEYWAY_WEB_FILES(table) ((struct keyway_web_files){table, sizeof table / sizeof *table})
