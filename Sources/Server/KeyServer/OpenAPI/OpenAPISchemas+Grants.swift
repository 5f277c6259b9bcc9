extension OpenAPISchemas {
    /// The schemas for granted licenses and the audit log.
    static let grants: [(name: String, json: String)] = [
        (
            "Lease",
            #"""
            {"type": "object", "required": ["account", "client", "assetIdHex", "since", "until", "purpose"],
             "additionalProperties": false,
             "properties": {
               "account": {"type": "string"},
               "client": {"$ref": "#/components/schemas/PlaybackClient"},
               "sessionId": {"$ref": "#/components/schemas/Hex8"},
               "assetId": {"type": "string"},
               "assetIdHex": {"$ref": "#/components/schemas/Hex"},
               "since": {"$ref": "#/components/schemas/Time"},
               "until": {"$ref": "#/components/schemas/Time"},
               "purpose": {"type": "string", "enum": ["reservation", "playback", "renewal"]},
               "ended": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "Device",
            #"""
            {"type": "object", "required": ["account", "device", "firstSeen", "lastSeen"], "additionalProperties": false,
             "properties": {
               "account": {"type": "string"},
               "device": {"$ref": "#/components/schemas/Hex16"},
               "deviceClass": {"type": "string"},
               "firstSeen": {"$ref": "#/components/schemas/Time"},
               "lastSeen": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "OfflineLicense",
            #"""
            {"type": "object", "required": ["account", "device", "streamId", "assetIdHex", "granted"],
             "additionalProperties": false,
             "properties": {
               "account": {"type": "string"},
               "device": {"$ref": "#/components/schemas/Hex16"},
               "streamId": {"$ref": "#/components/schemas/Hex16"},
               "titleId": {"$ref": "#/components/schemas/Hex16"},
               "assetId": {"type": "string"},
               "assetIdHex": {"$ref": "#/components/schemas/Hex"},
               "granted": {"$ref": "#/components/schemas/Time"},
               "storageUntil": {"$ref": "#/components/schemas/Time"},
               "playback": {"type": "integer", "description": "Seconds from first play."},
               "until": {"$ref": "#/components/schemas/Time"},
               "firstPlaySeen": {"$ref": "#/components/schemas/Time"},
               "reported": {"$ref": "#/components/schemas/Time"},
               "end": {"type": "string", "enum": ["invalidated", "not-found", "expired", "revoked"]},
               "ended": {"$ref": "#/components/schemas/Time"}}}
            """#
        ),
        (
            "Rental",
            #"""
            {"type": "object", "required": ["account", "subjectHex", "start", "client"],
             "additionalProperties": false,
             "properties": {
               "account": {"type": "string"},
               "subject": {"type": "string", "description": "`title:` and a title's name, or `asset:` and an asset ID."},
               "subjectHex": {"$ref": "#/components/schemas/Hex"},
               "start": {"$ref": "#/components/schemas/Time"},
               "end": {"type": "integer", "description": "Unix seconds. Missing if the rental does not end."},
               "client": {"$ref": "#/components/schemas/PlaybackClient"}}}
            """#
        ),
        (
            "AuditEntry",
            #"""
            {"type": "object",
             "required": ["number", "node", "sequence", "hash", "milliseconds", "route", "outcome", "microseconds"],
             "additionalProperties": false,
             "properties": {
               "number": {"type": "integer"},
               "node": {"$ref": "#/components/schemas/Hex"},
               "sequence": {"type": "integer"},
               "hash": {"$ref": "#/components/schemas/Hex"},
               "milliseconds": {"type": "integer", "description": "Unix milliseconds."},
               "route": {"type": "string"},
               "outcome": {"type": "string"},
               "detail": {"type": "string"},
               "account": {"type": "string"},
               "transactionId": {"$ref": "#/components/schemas/Hex8"},
               "sessionId": {"$ref": "#/components/schemas/Hex8"},
               "assetId": {"type": "string"},
               "assetIdHex": {"$ref": "#/components/schemas/Hex"},
               "device": {"$ref": "#/components/schemas/Hex16"},
               "deviceClass": {"type": "string"},
               "bundle": {"type": "string"},
               "policy": {"type": "string"},
               "requestId": {"type": "string"},
               "remoteAddress": {"type": "string"},
               "microseconds": {"type": "integer"}}}
            """#
        ),
        (
            "AuditVerification",
            #"""
            {"type": "object", "required": ["intact", "entries", "heads"], "additionalProperties": false,
             "properties": {
               "intact": {"type": "boolean"},
               "entries": {"type": "integer", "description": "The number of entries that were read, up to the first invalid one."},
               "heads": {"type": "array", "description": "Heads to store elsewhere and verify later with ?head=.",
                 "items": {"type": "string", "pattern": "^[0-9a-f]{16}:[0-9]+:[0-9a-f]{64}$"}},
               "break": {"type": "object", "required": ["fault", "node", "sequence"], "additionalProperties": false,
                 "properties": {
                   "fault": {"type": "string", "enum": ["changed", "missing", "reordered", "truncated"]},
                   "number": {"type": "integer"},
                   "node": {"$ref": "#/components/schemas/Hex"},
                   "sequence": {"type": "integer"}}}}}
            """#
        ),
    ]
}
