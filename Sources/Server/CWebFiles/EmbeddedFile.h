// `#embed` is part of C23. clang supports it in every language mode, with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "CWebFiles.h"

/// A row of a table: the name of a file, and the array with its content.
#define KEYWAY_WEB_FILE(file, array) {file, array, sizeof array}

/// A complete table.
#define KEYWAY_WEB_FILES(table) ((struct keyway_web_files){table, sizeof table / sizeof *table})
