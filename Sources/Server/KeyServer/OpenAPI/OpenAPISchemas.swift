/// The schemas of the document as JSON text, in the form in which they are published. Tests check that they can be
/// parsed and that responses conform to them.
enum OpenAPISchemas {
    /// All schemas by name.
    static let all: [(name: String, json: String)] = basics + licenses + administration + grants + dashboard

    /// The schemas that others use.
    private static let basics: [(name: String, json: String)] = [
        (
            "Problem",
            #"""
            {"type": "object", "description": "RFC 9457. Distinguish problems by type, whose meaning never changes.",
             "required": ["type", "title", "status"], "additionalProperties": false,
             "properties": {
               "type": {"type": "string", "pattern": "^urn:keyway:problem:[a-z0-9-]+$"},
               "title": {"type": "string"},
               "status": {"type": "integer", "minimum": 400, "maximum": 599},
               "detail": {"type": "string", "description": "A sentence about this occurrence of the problem."},
               "reason": {"type": "string", "description": "The stable code of the rule that refused the request."},
               "instance": {"type": "string", "description": "The request ID, as in the log and the audit log."}}}
            """#
        ),
        ("Name", #"{"type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}$"}"#),
        (
            "Hex16",
            #"""
            {"type": "string", "pattern": "^[0-9a-fA-F]{32}$", "description": "16 bytes.",
             "examples": ["000102030405060708090a0b0c0d0e0f"]}
            """#
        ),
        ("Hex8", #"{"type": "string", "pattern": "^[0-9a-f]{16}$", "description": "A 64-bit number in hexadecimal."}"#),
        ("Hex", #"{"type": "string", "pattern": "^([0-9a-f]{2})*$"}"#),
        ("Time", #"{"type": "integer", "description": "Unix seconds."}"#),
        (
            "Next",
            #"{"type": ["string", "null"], "description": "The cursor of the next page; null on the last page."}"#
        ),
        ("Track", #"{"type": "string", "enum": ["unspecified", "audio", "video", "sd", "hd", "uhd"]}"#),
        (
            "Duration",
            #"{"type": "string", "description": "An ISO 8601 duration.", "pattern": "^P.+$", "examples": ["PT10M", "P30D"]}"#
        ),
        ("Permission", #"{"type": "string", "enum": ["allow", "deny"]}"#),
        (
            "ReportedPermission",
            #"""
            {"description": "With requireReport, an SPC must contain the report that the rule depends on.",
             "oneOf": [{"$ref": "#/components/schemas/Permission"},
               {"type": "object", "additionalProperties": false, "properties": {
                 "value": {"$ref": "#/components/schemas/Permission"}, "requireReport": {"type": "boolean"}}}]}
            """#
        ),
        (
            "SecurityLevel",
            #"{"type": "string", "enum": ["audio", "baseline", "main", "appleBaseline", "appleMain"]}"#
        ),
        ("OSVersions", #"{"type": "object", "additionalProperties": {"type": "string"}}"#),
        (
            "PlaybackClient",
            #"""
            {"type": "string", "pattern": "^(device:[0-9a-f]{32}|session:[0-9a-f]{16})$",
             "description": "A device, by the hash of its HU, or a session on a digital AV adapter."}
            """#
        ),
    ]

    /// The schemas for apps and players.
    private static let licenses: [(name: String, json: String)] = [
        (
            "LicenseRequest",
            #"""
            {"type": "object", "required": ["spc"], "additionalProperties": false,
             "properties": {
               "spc": {"type": "string", "minLength": 1, "contentEncoding": "base64"},
               "assetId": {"type": "string", "description": "Must match the SPC's asset ID, which determines the key."},
               "persist": {"type": "boolean", "description": "Whether the app requests a persistent key."},
               "preload": {"type": "boolean", "description": "Whether the key is loaded before playback starts."}}}
            """#
        ),
        (
            "License",
            #"""
            {"type": "object", "required": ["ckc", "persistable", "dualExpiry"], "additionalProperties": false,
             "properties": {
               "ckc": {"type": "string", "contentEncoding": "base64"},
               "persistable": {"type": "boolean"},
               "dualExpiry": {"type": "boolean"}}}
            """#
        ),
        (
            "SyncReport",
            #"""
            {"type": "object", "required": ["sync"], "additionalProperties": false,
             "properties": {"sync": {"type": "object", "required": ["version", "remaining"],
               "properties": {
                 "version": {"type": "integer", "enum": [1, 2]},
                 "assetId": {"type": "string"},
                 "assetIdHex": {"$ref": "#/components/schemas/Hex"},
                 "contentId": {"$ref": "#/components/schemas/Hex"},
                 "titleId": {"$ref": "#/components/schemas/Hex"},
                 "challenge": {"$ref": "#/components/schemas/Hex8"},
                 "flags": {"type": "array", "items": {"type": "string"}},
                 "remaining": {"type": ["integer", "null"], "description": "Seconds; null if there is no end."},
                 "invalidatedStreamIds": {"type": "array", "items": {"$ref": "#/components/schemas/Hex"}}}}}}
            """#
        ),
        (
            "LicenseBatchRequest",
            #"""
            {"type": "object", "required": ["fairplay-streaming-request"], "additionalProperties": false,
             "properties": {"fairplay-streaming-request": {
               "type": "object", "required": ["version", "create-ckc"], "additionalProperties": false,
               "properties": {
                 "version": {"type": "integer", "const": 1},
                 "create-ckc": {"type": "array", "minItems": 1, "maxItems": 32, "items": {
                   "type": "object", "required": ["id", "spc"],
                   "properties": {
                     "id": {"type": "integer", "description": "Must be unique in the batch."},
                     "spc": {"type": "string", "minLength": 1, "contentEncoding": "base64"},
                     "asset-id": {"type": "string"},
                     "persist": {"type": "boolean"},
                     "preload": {"type": "boolean"}}}}}}}}
            """#
        ),
        (
            "LicenseBatch",
            #"""
            {"type": "object", "required": ["fairplay-streaming-response"], "additionalProperties": false,
             "properties": {"fairplay-streaming-response": {
               "type": "object", "required": ["create-ckc"], "additionalProperties": false,
               "properties": {"create-ckc": {"type": "array", "items": {
                 "type": "object", "required": ["id", "status"], "additionalProperties": false,
                 "properties": {
                   "id": {"type": "integer"},
                   "status": {"type": "integer", "description": "0, or the HTTP status of the item in a request by itself."},
                   "ckc": {"type": "string", "contentEncoding": "base64"},
                   "persistable": {"type": "boolean"},
                   "dualExpiry": {"type": "boolean"},
                   "problem": {"$ref": "#/components/schemas/Problem"}}}}}}}}
            """#
        ),
        (
            "Challenge",
            #"""
            {"type": "object", "required": ["challenge", "expires"], "additionalProperties": false,
             "properties": {"challenge": {"$ref": "#/components/schemas/Hex8"},
                            "expires": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "ClearKeyRequest",
            #"""
            {"type": "object", "required": ["kids"], "description": "W3C Encrypted Media Extensions, 9.1.3.",
             "examples": [{"kids": ["AAECAwQFBgcICQoLDA0ODw"], "type": "temporary"}],
             "properties": {
               "kids": {"type": "array", "minItems": 1, "maxItems": 32, "items":
                 {"type": "string", "description": "16 bytes in base64url.", "pattern": "^[A-Za-z0-9_-]{22}$"}},
               "type": {"type": "string", "enum": ["temporary"]}}}
            """#
        ),
        (
            "ClearKeyLicense",
            #"""
            {"type": "object", "required": ["keys"],
             "properties": {
               "keys": {"type": "array", "items": {"type": "object", "required": ["kty", "kid", "k"],
                 "properties": {"kty": {"const": "oct"}, "kid": {"type": "string"}, "k": {"type": "string"}}}},
               "type": {"type": "string"}}}
            """#
        ),
    ]
}
