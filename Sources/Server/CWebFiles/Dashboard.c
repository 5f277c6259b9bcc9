#include "EmbeddedFile.h"

static const uint8_t index_html[] = {
#embed "Dashboard/index.html"
};
static const uint8_t accounts_js[] = {
#embed "Dashboard/accounts.js"
};
static const uint8_t address_js[] = {
#embed "Dashboard/address.js"
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
static const uint8_t assets_js[] = {
#embed "Dashboard/assets.js"
};
static const uint8_t audit_js[] = {
#embed "Dashboard/audit.js"
};
static const uint8_t cells_js[] = {
#embed "Dashboard/cells.js"
};
static const uint8_t certificate_guide_js[] = {
#embed "Dashboard/certificate-guide.js"
};
static const uint8_t certificates_js[] = {
#embed "Dashboard/certificates.js"
};
static const uint8_t channels_js[] = {
#embed "Dashboard/channels.js"
};
static const uint8_t chart_js[] = {
#embed "Dashboard/chart.js"
};
static const uint8_t configuration_js[] = {
#embed "Dashboard/configuration.js"
};
static const uint8_t devices_js[] = {
#embed "Dashboard/devices.js"
};
static const uint8_t dom_js[] = {
#embed "Dashboard/dom.js"
};
static const uint8_t encoders_js[] = {
#embed "Dashboard/encoders.js"
};
static const uint8_t export_js[] = {
#embed "Dashboard/export.js"
};
static const uint8_t filters_js[] = {
#embed "Dashboard/filters.js"
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
static const uint8_t keys_js[] = {
#embed "Dashboard/keys.js"
};
static const uint8_t leases_js[] = {
#embed "Dashboard/leases.js"
};
static const uint8_t licenses_js[] = {
#embed "Dashboard/licenses.js"
};
static const uint8_t limits_js[] = {
#embed "Dashboard/limits.js"
};
static const uint8_t list_js[] = {
#embed "Dashboard/list.js"
};
static const uint8_t live_js[] = {
#embed "Dashboard/live.js"
};
static const uint8_t load_js[] = {
#embed "Dashboard/load.js"
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
static const uint8_t policy_drafts_js[] = {
#embed "Dashboard/policy-drafts.js"
};
static const uint8_t policy_editor_js[] = {
#embed "Dashboard/policy-editor.js"
};
static const uint8_t policy_fields_js[] = {
#embed "Dashboard/policy-fields.js"
};
static const uint8_t policy_history_js[] = {
#embed "Dashboard/policy-history.js"
};
static const uint8_t policy_trial_js[] = {
#embed "Dashboard/policy-trial.js"
};
static const uint8_t rentals_js[] = {
#embed "Dashboard/rentals.js"
};
static const uint8_t search_js[] = {
#embed "Dashboard/search.js"
};
static const uint8_t sign_in_js[] = {
#embed "Dashboard/sign-in.js"
};
static const uint8_t timeline_js[] = {
#embed "Dashboard/timeline.js"
};
static const uint8_t titles_js[] = {
#embed "Dashboard/titles.js"
};
static const uint8_t tokens_js[] = {
#embed "Dashboard/tokens.js"
};
static const uint8_t words_js[] = {
#embed "Dashboard/words.js"
};

static const struct keyway_web_file files[] = {
    KEYWAY_WEB_FILE("index.html", index_html),
    KEYWAY_WEB_FILE("accounts.js", accounts_js),
    KEYWAY_WEB_FILE("address.js", address_js),
    KEYWAY_WEB_FILE("api.js", api_js),
    KEYWAY_WEB_FILE("app.css", app_css),
    KEYWAY_WEB_FILE("app.js", app_js),
    KEYWAY_WEB_FILE("assets.js", assets_js),
    KEYWAY_WEB_FILE("audit.js", audit_js),
    KEYWAY_WEB_FILE("cells.js", cells_js),
    KEYWAY_WEB_FILE("certificate-guide.js", certificate_guide_js),
    KEYWAY_WEB_FILE("certificates.js", certificates_js),
    KEYWAY_WEB_FILE("channels.js", channels_js),
    KEYWAY_WEB_FILE("chart.js", chart_js),
    KEYWAY_WEB_FILE("configuration.js", configuration_js),
    KEYWAY_WEB_FILE("devices.js", devices_js),
    KEYWAY_WEB_FILE("dom.js", dom_js),
    KEYWAY_WEB_FILE("encoders.js", encoders_js),
    KEYWAY_WEB_FILE("export.js", export_js),
    KEYWAY_WEB_FILE("filters.js", filters_js),
    KEYWAY_WEB_FILE("health.js", health_js),
    KEYWAY_WEB_FILE("icon.svg", icon_svg),
    KEYWAY_WEB_FILE("inspector.js", inspector_js),
    KEYWAY_WEB_FILE("keys.js", keys_js),
    KEYWAY_WEB_FILE("leases.js", leases_js),
    KEYWAY_WEB_FILE("licenses.js", licenses_js),
    KEYWAY_WEB_FILE("limits.js", limits_js),
    KEYWAY_WEB_FILE("list.js", list_js),
    KEYWAY_WEB_FILE("live.js", live_js),
    KEYWAY_WEB_FILE("load.js", load_js),
    KEYWAY_WEB_FILE("new-title.js", new_title_js),
    KEYWAY_WEB_FILE("offline.js", offline_js),
    KEYWAY_WEB_FILE("overview.js", overview_js),
    KEYWAY_WEB_FILE("policies.js", policies_js),
    KEYWAY_WEB_FILE("policy-drafts.js", policy_drafts_js),
    KEYWAY_WEB_FILE("policy-editor.js", policy_editor_js),
    KEYWAY_WEB_FILE("policy-fields.js", policy_fields_js),
    KEYWAY_WEB_FILE("policy-history.js", policy_history_js),
    KEYWAY_WEB_FILE("policy-trial.js", policy_trial_js),
    KEYWAY_WEB_FILE("rentals.js", rentals_js),
    KEYWAY_WEB_FILE("search.js", search_js),
    KEYWAY_WEB_FILE("sign-in.js", sign_in_js),
    KEYWAY_WEB_FILE("timeline.js", timeline_js),
    KEYWAY_WEB_FILE("titles.js", titles_js),
    KEYWAY_WEB_FILE("tokens.js", tokens_js),
    KEYWAY_WEB_FILE("words.js", words_js),
};

struct keyway_web_files keyway_dashboard_files(void) { return KEYWAY_WEB_FILES(files); }
