#ifndef KEYWAY_WEB_FILES_H
#define KEYWAY_WEB_FILES_H

#include <stddef.h>
#include <stdint.h>

/// A file that the server serves out of its own executable, as it lay in the source tree when that was built.
struct keyway_web_file {
    /// The name, which is the last part of its path.
    const char *name;
    const uint8_t *bytes;
    size_t count;
};

/// The files of one place.
struct keyway_web_files {
    const struct keyway_web_file *files;
    size_t count;
};

/// What the operator's dashboard is made of.
struct keyway_web_files keyway_dashboard_files(void);

/// The player module, and the page that shows it at work.
struct keyway_web_files keyway_player_files(void);

#endif
