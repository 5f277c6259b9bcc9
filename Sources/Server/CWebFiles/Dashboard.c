#include "EmbeddedFile.h"

static const uint8_t index_html[] = {
#embed "Dashboard/index.html"
};
static const uint8_t accounts_js[] = {
#embed "Dashboard/accounts.js"
};
static const uint8_t api_js[] = {
#embed "Dashboard/api.js"
};
static const uint8_t app_css[] = {
#embed "Dashboard/app.css"
};
static const uint8_t app_js[] = {
#embed "Dashboard/app.js"
};
static const uint8_t audit_js[] = {
#embed "Dashboard/audit.js"
};
static const uint8_t chart_js[] = {
#embed "Dashboard/chart.js"
};
static const uint8_t content_js[] = {
#embed "Dashboard/content.js"
};
static const uint8_t dom_js[] = {
#embed "Dashboard/dom.js"
};
static const uint8_t health_js[] = {
#embed "Dashboard/health.js"
};
static const uint8_t icon_svg[] = {
#embed "Dashboard/icon.svg"
};
static const uint8_t inspector_js[] = {
#embed "Dashboard/inspector.js"
};
static const uint8_t leases_js[] = {
#embed "Dashboard/leases.js"
};
static const uint8_t licenses_js[] = {
#embed "Dashboard/licenses.js"
};
static const uint8_t live_js[] = {
#embed "Dashboard/live.js"
};
static const uint8_t new_title_js[] = {
#embed "Dashboard/new-title.js"
};
static const uint8_t offline_js[] = {
#embed "Dashboard/offline.js"
};
static const uint8_t overview_js[] = {
#embed "Dashboard/overview.js"
};
static const uint8_t policies_js[] = {
#embed "Dashboard/policies.js"
};
static const uint8_t sign_in_js[] = {
#embed "Dashboard/sign-in.js"
};

static const struct keyway_web_file files[] = {
    KEYWAY_WEB_FILE("index.html", index_html),
    KEYWAY_WEB_FILE("accounts.js", accounts_js),
    KEYWAY_WEB_FILE("api.js", api_js),
    KEYWAY_WEB_FILE("app.css", app_css),
    KEYWAY_WEB_FILE("app.js", app_js),
    KEYWAY_WEB_FILE("audit.js", audit_js),
    KEYWAY_WEB_FILE("chart.js", chart_js),
    KEYWAY_WEB_FILE("content.js", content_js),
    KEYWAY_WEB_FILE("dom.js", dom_js),
    KEYWAY_WEB_FILE("health.js", health_js),
    KEYWAY_WEB_FILE("icon.svg", icon_svg),
    KEYWAY_WEB_FILE("inspector.js", inspector_js),
    KEYWAY_WEB_FILE("leases.js", leases_js),
    KEYWAY_WEB_FILE("licenses.js", licenses_js),
    KEYWAY_WEB_FILE("live.js", live_js),
    KEYWAY_WEB_FILE("new-title.js", new_title_js),
    KEYWAY_WEB_FILE("offline.js", offline_js),
    KEYWAY_WEB_FILE("overview.js", overview_js),
    KEYWAY_WEB_FILE("policies.js", policies_js),
    KEYWAY_WEB_FILE("sign-in.js", sign_in_js),
};

struct keyway_web_files keyway_dashboard_files(void) { return KEYWAY_WEB_FILES(files); }
