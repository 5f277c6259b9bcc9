#include "EmbeddedFile.h"

static const uint8_t index_html[] = {
#embed "Dashboard/index.html"
};
static const uint8_t app_css[] = {
#embed "Dashboard/app.css"
};
static const uint8_t app_js[] = {
#embed "Dashboard/app.js"
};

static const struct keyway_web_file files[] = {
    KEYWAY_WEB_FILE("index.html", index_html),
    KEYWAY_WEB_FILE("app.css", app_css),
    KEYWAY_WEB_FILE("app.js", app_js),
};

struct keyway_web_files keyway_dashboard_files(void) { return KEYWAY_WEB_FILES(files); }
