#include "EmbeddedFile.h"

static const uint8_t openapi_yaml[] = {
#embed "OpenAPI/openapi.yaml"
};

struct keyway_web_file keyway_openapi_document(void) {
    return (struct keyway_web_file)KEYWAY_WEB_FILE("openapi.yaml", openapi_yaml);
}
