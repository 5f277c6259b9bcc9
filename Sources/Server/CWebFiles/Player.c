#include "EmbeddedFile.h"

static const uint8_t index_html[] = {
#embed "Player/index.html"
};
static const uint8_t page_css[] = {
#embed "Player/page.css"
};
static const uint8_t page_js[] = {
#embed "Player/page.js"
};
static const uint8_t icon_svg[] = {
#embed "Player/icon.svg"
};
static const uint8_t keyway_player_js[] = {
#embed "Player/keyway-player.js"
};
static const uint8_t errors_js[] = {
#embed "Player/errors.js"
};
static const uint8_t hls_js[] = {
#embed "Player/hls.js"
};
static const uint8_t init_data_js[] = {
#embed "Player/init-data.js"
};
static const uint8_t key_system_js[] = {
#embed "Player/key-system.js"
};
static const uint8_t keys_js[] = {
#embed "Player/keys.js"
};
static const uint8_t licenses_js[] = {
#embed "Player/licenses.js"
};
static const uint8_t mse_js[] = {
#embed "Player/mse.js"
};
static const uint8_t webkit_keys_js[] = {
#embed "Player/webkit-keys.js"
};
static const uint8_t adapters_js[] = {
#embed "Player/adapters.js"
};
static const uint8_t fairplay_js[] = {
#embed "Player/fairplay.js"
};
static const uint8_t keyway_fairplay_js[] = {
#embed "Player/keyway-fairplay.js"
};
static const uint8_t keyway_fairplay_classic_js[] = {
#embed "Player/keyway-fairplay.classic.js"
};
static const uint8_t keyway_fairplay_d_ts[] = {
#embed "Player/keyway-fairplay.d.ts"
};
static const uint8_t hls_presentation_js[] = {
#embed "Player/hls-presentation.js"
};
static const uint8_t hls_library_js[] = {
#embed "Player/hls-library.js"
};
static const uint8_t mp4_js[] = {
#embed "Player/mp4.js"
};
static const uint8_t presentation_js[] = {
#embed "Player/presentation.js"
};
static const uint8_t quality_js[] = {
#embed "Player/quality.js"
};
static const uint8_t shown_error_js[] = {
#embed "Player/shown-error.js"
};
static const uint8_t subtitles_js[] = {
#embed "Player/subtitles.js"
};
static const uint8_t timeline_js[] = {
#embed "Player/timeline.js"
};
static const uint8_t track_js[] = {
#embed "Player/track.js"
};

static const struct keyway_web_file files[] = {
    KEYWAY_WEB_FILE("index.html", index_html),
    KEYWAY_WEB_FILE("page.css", page_css),
    KEYWAY_WEB_FILE("page.js", page_js),
    KEYWAY_WEB_FILE("icon.svg", icon_svg),
    KEYWAY_WEB_FILE("keyway-player.js", keyway_player_js),
    KEYWAY_WEB_FILE("errors.js", errors_js),
    KEYWAY_WEB_FILE("hls.js", hls_js),
    KEYWAY_WEB_FILE("init-data.js", init_data_js),
    KEYWAY_WEB_FILE("key-system.js", key_system_js),
    KEYWAY_WEB_FILE("keys.js", keys_js),
    KEYWAY_WEB_FILE("licenses.js", licenses_js),
    KEYWAY_WEB_FILE("mse.js", mse_js),
    KEYWAY_WEB_FILE("webkit-keys.js", webkit_keys_js),
    KEYWAY_WEB_FILE("adapters.js", adapters_js),
    KEYWAY_WEB_FILE("fairplay.js", fairplay_js),
    KEYWAY_WEB_FILE("keyway-fairplay.js", keyway_fairplay_js),
    KEYWAY_WEB_FILE("keyway-fairplay.classic.js", keyway_fairplay_classic_js),
    KEYWAY_WEB_FILE("keyway-fairplay.d.ts", keyway_fairplay_d_ts),
    KEYWAY_WEB_FILE("hls-presentation.js", hls_presentation_js),
    KEYWAY_WEB_FILE("hls-library.js", hls_library_js),
    KEYWAY_WEB_FILE("mp4.js", mp4_js),
    KEYWAY_WEB_FILE("presentation.js", presentation_js),
    KEYWAY_WEB_FILE("quality.js", quality_js),
    KEYWAY_WEB_FILE("shown-error.js", shown_error_js),
    KEYWAY_WEB_FILE("subtitles.js", subtitles_js),
    KEYWAY_WEB_FILE("timeline.js", timeline_js),
    KEYWAY_WEB_FILE("track.js", track_js),
};

struct keyway_web_files keyway_player_files(void) { return KEYWAY_WEB_FILES(files); }
