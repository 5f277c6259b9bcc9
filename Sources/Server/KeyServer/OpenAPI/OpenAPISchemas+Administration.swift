import KeyStore

extension OpenAPISchemas {
    /// What administration keeps: content, titles, policies, certificates and tokens.
    static let administration: [(name: String, json: String)] = [
        (
            "ContentKey",
            #"""
            {"type": "object", "required": ["key", "iv"], "additionalProperties": false,
             "description": "A key that stands alone, or a key period: then title, titleTrack and keyId are given, and streamId and titleId are not.",
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
             "description": "All about a key but the key.",
             "properties": {
               "assetId": {"type": "string", "description": "Left out when it is not UTF-8."},
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
             "description": "docs/policy.md says what each field means and which contradict each other.",
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
                 "description": "Whether Clear Key and AES-128 clients get the raw key; missing: deny, unless another policy of the key allows."},
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
               "sha1": {"type": "string", "pattern": "^[0-9a-f]{40}$", "description": "What SPCs name it by."},
               "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
               "privateKey": {"type": "string", "enum": ["stored", "provider"]},
               "dask": {"type": "string", "enum": ["fixed", "development", "plugin"]},
               "assetPrefixes": {"type": "array", "description": "Left out when it may open everything.", "items": {
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
                 "description": "How long a period is, in seconds."},
               "ahead": {"type": "integer", "minimum": 0, "maximum": \#(ChannelRecord.longestAhead),
                 "description": "How far ahead there are to be periods, in seconds: at most 500 of them."}},
             "examples": [{"length": 600, "ahead": 7200}]}
            """#
        ),
        (
            "ChannelValues",
            #"""
            {"type": "object", "required": ["tracks", "length", "ahead"], "additionalProperties": false,
             "description": "For which tracks of the title key periods are made ahead of the time. At most 500 are ahead.",
             "properties": {
               "tracks": {"type": "array", "minItems": 1, "maxItems": 100, "uniqueItems": true,
                 "items": {"$ref": "#/components/schemas/Name"}},
               "length": {"type": "integer", "minimum": 60, "maximum": 2678400,
                 "description": "How long a period is, in seconds."},
               "ahead": {"type": "integer", "minimum": 0, "maximum": \#(ChannelRecord.longestAhead),
                 "description": "How far ahead there are to be periods, in seconds: at most 500 of them."},
               "start": {"allOf": [{"$ref": "#/components/schemas/Time"}],
                 "description": "No period is made that ends before; without it, from now on."},
               "paused": {"type": "boolean", "description": "Whether nothing is made until it goes on; false without it."}},
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
               "lastUsed": {"allOf": [{"$ref": "#/components/schemas/Time"}], "description": "The day, at its beginning."},
               "token": {"type": "string", "description": "The token itself: only when it is made."}}}
            """#
        ),
    ]
}
