import KeyStore

extension OpenAPISchemas {
    /// The schemas for administration: content, titles, policies, certificates and tokens.
    static let administration: [(name: String, json: String)] = [
        (
            "ContentKey",
            #"""
            {"type": "object", "required": ["key", "iv"], "additionalProperties": false,
             "description": "A content key without a title, or a key period. A key period has title, titleTrack and keyId, and no streamId or titleId.",
             "properties": {
               "key": {"allOf": [{"$ref": "#/components/schemas/Hex16"}], "writeOnly": true},
               "iv": {"allOf": [{"$ref": "#/components/schemas/Hex16"}], "writeOnly": true},
               "keyId": {"$ref": "#/components/schemas/Hex16"},
               "track": {"$ref": "#/components/schemas/Track"},
               "policy": {"$ref": "#/components/schemas/Name"},
               "streamId": {"$ref": "#/components/schemas/Hex16"},
               "titleId": {"$ref": "#/components/schemas/Hex16"},
               "title": {"$ref": "#/components/schemas/Name"},
               "titleTrack": {"$ref": "#/components/schemas/Name"},
               "validFrom": {"$ref": "#/components/schemas/Time"},
               "validUntil": {"$ref": "#/components/schemas/Time"}},
             "examples": [{"key": "000102030405060708090a0b0c0d0e0f", "iv": "101112131415161718191a1b1c1d1e1f",
               "keyId": "202122232425262728292a2b2c2d2e2f", "track": "video"}]}
            """#
        ),
        (
            "Content",
            #"""
            {"type": "object", "required": ["assetIdHex", "track", "created", "updated"], "additionalProperties": false,
             "description": "All fields of a content key except the key.",
             "properties": {
               "assetId": {"type": "string", "description": "Omitted if it is not UTF-8."},
               "assetIdHex": {"$ref": "#/components/schemas/Hex"},
               "keyId": {"$ref": "#/components/schemas/Hex16"},
               "track": {"$ref": "#/components/schemas/Track"},
               "policy": {"$ref": "#/components/schemas/Name"},
               "streamId": {"$ref": "#/components/schemas/Hex16"},
               "titleId": {"$ref": "#/components/schemas/Hex16"},
               "title": {"$ref": "#/components/schemas/Name"},
               "titleTrack": {"$ref": "#/components/schemas/Name"},
               "validFrom": {"$ref": "#/components/schemas/Time"},
               "validUntil": {"$ref": "#/components/schemas/Time"},
               "created": {"$ref": "#/components/schemas/Time"},
               "updated": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "TitleValues",
            #"""
            {"type": "object", "additionalProperties": false,
             "properties": {
               "titleId": {"$ref": "#/components/schemas/Hex16"},
               "policy": {"$ref": "#/components/schemas/Name"},
               "keyUriTemplate": {"type": "string", "minLength": 1, "maxLength": 1000, "examples": ["skd://{kid}"]}},
             "examples": [{"keyUriTemplate": "skd://{kid}"}]}
            """#
        ),
        (
            "Title",
            #"""
            {"type": "object", "required": ["name", "titleId", "created", "updated"], "additionalProperties": false,
             "properties": {
               "name": {"$ref": "#/components/schemas/Name"},
               "titleId": {"$ref": "#/components/schemas/Hex16"},
               "policy": {"$ref": "#/components/schemas/Name"},
               "keyUriTemplate": {"type": "string"},
               "created": {"$ref": "#/components/schemas/Time"},
               "updated": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "TitleTrackValues",
            #"""
            {"type": "object", "required": ["kind"], "additionalProperties": false,
             "properties": {
               "kind": {"$ref": "#/components/schemas/Track"},
               "streamId": {"$ref": "#/components/schemas/Hex16"},
               "policy": {"$ref": "#/components/schemas/Name"}},
             "examples": [{"kind": "hd"}]}
            """#
        ),
        (
            "TitleTrack",
            #"""
            {"type": "object", "required": ["title", "name", "kind", "streamId"], "additionalProperties": false,
             "properties": {
               "title": {"$ref": "#/components/schemas/Name"},
               "name": {"$ref": "#/components/schemas/Name"},
               "kind": {"$ref": "#/components/schemas/Track"},
               "streamId": {"$ref": "#/components/schemas/Hex16"},
               "policy": {"$ref": "#/components/schemas/Name"}}}
            """#
        ),
        (
            "Policy",
            #"""
            {"type": "object", "additionalProperties": false,
             "description": "docs/policy.md describes the fields and which of them conflict.",
             "properties": {
               "name": {"$ref": "#/components/schemas/Name"},
               "lease": {"$ref": "#/components/schemas/Duration"},
               "rental": {"$ref": "#/components/schemas/Duration"},
               "persist": {"type": "object", "additionalProperties": false,
                 "properties": {
                   "validity": {"$ref": "#/components/schemas/Duration"},
                   "storage": {"$ref": "#/components/schemas/Duration"},
                   "playback": {"$ref": "#/components/schemas/Duration"},
                   "fallback": {"$ref": "#/components/schemas/Duration"}}},
               "hdcp": {"type": "string", "enum": ["none", "type0", "type1"]},
               "securityLevel": {"oneOf": [{"$ref": "#/components/schemas/SecurityLevel"},
                 {"type": "object", "additionalProperties": false, "properties": {
                   "value": {"$ref": "#/components/schemas/SecurityLevel"}, "requireReport": {"type": "boolean"}}}]},
               "minimumKDL": {"type": "integer", "minimum": 0, "maximum": 4294967295},
               "virtualMachines": {"$ref": "#/components/schemas/ReportedPermission"},
               "airplay": {"$ref": "#/components/schemas/ReportedPermission"},
               "adapter": {"$ref": "#/components/schemas/ReportedPermission"},
               "unclassifiedDevices": {"$ref": "#/components/schemas/Permission"},
               "maximumSPCAge": {"$ref": "#/components/schemas/Duration"},
               "undatedSPC": {"$ref": "#/components/schemas/Permission"},
               "osVersions": {"anyOf": [{"$ref": "#/components/schemas/OSVersions"},
                 {"type": "object", "additionalProperties": false, "properties": {
                   "value": {"$ref": "#/components/schemas/OSVersions"}, "requireReport": {"type": "boolean"}}}]},
               "streams": {"type": "integer", "minimum": 1, "maximum": 1000},
               "devices": {"type": "integer", "minimum": 1, "maximum": 1000},
               "rentalStart": {"type": "string", "enum": ["firstLicense", "token"]},
               "bindRentalToDevice": {"type": "boolean"},
               "renewAfterExpiry": {"type": "boolean"},
               "networks": {"type": "array", "items": {"type": "string"}, "examples": [["192.0.2.0/24"]]},
               "origins": {"type": "array", "items": {"type": "string"}, "examples": [["https://play.example.com"]]},
               "otherClients": {"$ref": "#/components/schemas/Permission",
                 "description": "Whether Clear Key and AES-128 clients get the raw key. If it is missing: deny, unless another policy of the key allows it."},
               "preload": {"$ref": "#/components/schemas/Duration"},
               "catchUp": {"$ref": "#/components/schemas/Duration"}},
             "examples": [{"lease": "PT10M", "hdcp": "type1", "securityLevel": "main"}]}
            """#
        ),
        (
            "Certificate",
            #"""
            {"type": "object", "required": ["name", "kind", "sha1", "sha256", "privateKey", "dask"],
             "additionalProperties": false,
             "properties": {
               "name": {"$ref": "#/components/schemas/Name"},
               "kind": {"type": "string", "enum": ["development", "production"]},
               "subject": {"type": "string"},
               "notBefore": {"$ref": "#/components/schemas/Time"},
               "notAfter": {"$ref": "#/components/schemas/Time"},
               "sha1": {"type": "string", "pattern": "^[0-9a-f]{40}$", "description": "The hash that identifies the certificate in SPCs."},
               "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
               "privateKey": {"type": "string", "enum": ["stored", "provider"]},
               "dask": {"type": "string", "enum": ["fixed", "development", "plugin"]},
               "assetPrefixes": {"type": "array", "description": "Omitted if the bundle may be used for all assets.", "items": {
                 "type": "object", "required": ["assetIdHex"], "properties": {
                   "assetId": {"type": "string"}, "assetIdHex": {"$ref": "#/components/schemas/Hex"}}}}}}
            """#
        ),
        (
            "PeriodValues",
            #"""
            {"type": "object", "required": ["length", "ahead"], "additionalProperties": false,
             "properties": {
               "length": {"type": "integer", "minimum": 60, "maximum": 2678400,
                 "description": "The duration of a period, in seconds."},
               "ahead": {"type": "integer", "minimum": 0, "maximum": \#(ChannelRecord.longestAhead),
                 "description": "How far in advance periods are created, in seconds: at most 500 periods."}},
             "examples": [{"length": 600, "ahead": 7200}]}
            """#
        ),
        (
            "ChannelValues",
            #"""
            {"type": "object", "required": ["tracks", "length", "ahead"], "additionalProperties": false,
             "description": "The tracks of the title whose key periods are created in advance, at most 500 of them.",
             "properties": {
               "tracks": {"type": "array", "minItems": 1, "maxItems": 100, "uniqueItems": true,
                 "items": {"$ref": "#/components/schemas/Name"}},
               "length": {"type": "integer", "minimum": 60, "maximum": 2678400,
                 "description": "The duration of a period, in seconds."},
               "ahead": {"type": "integer", "minimum": 0, "maximum": \#(ChannelRecord.longestAhead),
                 "description": "How far in advance periods are created, in seconds: at most 500 periods."},
               "start": {"allOf": [{"$ref": "#/components/schemas/Time"}],
                 "description": "Periods that end before this time are not created. The default is now."},
               "paused": {"type": "boolean", "description": "Whether the creation of periods is paused; the default is false."}},
             "examples": [{"tracks": ["hd"], "length": 600, "ahead": 7200}]}
            """#
        ),
        (
            "Channel",
            #"""
            {"type": "object", "required": ["title", "tracks", "length", "ahead", "paused", "created", "updated"],
             "additionalProperties": false,
             "properties": {
               "title": {"$ref": "#/components/schemas/Name"},
               "tracks": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}},
               "length": {"type": "integer"},
               "ahead": {"type": "integer"},
               "start": {"$ref": "#/components/schemas/Time"},
               "paused": {"type": "boolean"},
               "created": {"$ref": "#/components/schemas/Time"},
               "updated": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "TokenValues",
            #"""
            {"type": "object", "required": ["name", "role"], "additionalProperties": false,
             "properties": {
               "name": {"$ref": "#/components/schemas/Name"},
               "role": {"type": "string", "enum": ["viewer", "support", "content", "encoder", "admin"]}},
             "examples": [{"name": "cms", "role": "content"}]}
            """#
        ),
        (
            "Token",
            #"""
            {"type": "object", "required": ["name", "role", "created"], "additionalProperties": false,
             "properties": {
               "name": {"$ref": "#/components/schemas/Name"},
               "role": {"type": "string", "enum": ["viewer", "support", "content", "encoder", "admin"]},
               "created": {"$ref": "#/components/schemas/Time"},
               "lastUsed": {"allOf": [{"$ref": "#/components/schemas/Time"}], "description": "The start of the day on which it was last used."},
               "token": {"type": "string", "description": "The token itself; only in the response that creates it."}}}
            """#
        ),
    ]
}
