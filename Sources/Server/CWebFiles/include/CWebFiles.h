#ifndef KEYWAY_WEB_FILES_H
#define KEYWAY_WEB_FILES_H

#include <stddef.h>
#include <stdint.h>

/// A file that is embedded in the server's executable, unchanged from the source tree.
struct keyway_web_file {
    /// The file name, which is the last component of its path.
    const char *name;
    const uint8_t *bytes;
    size_t count;
};

/// A set of files.
struct keyway_web_files {
    const struct keyway_web_file *files;
    size_t count;
};

/// Returns the files of the operator's dashboard.
struct keyway_web_files keyway_dashboard_files(void);

/// Returns the files of the player module and of its demonstration page.
struct keyway_web_files keyway_player_files(void);

/// Returns the OpenAPI document, in YAML.
struct keyway_web_file keyway_openapi_document(void);

#endif
