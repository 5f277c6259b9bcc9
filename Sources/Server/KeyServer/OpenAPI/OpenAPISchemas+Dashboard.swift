extension OpenAPISchemas {
    /// The schemas for the dashboard.
    static let dashboard: [(name: String, json: String)] = [
        (
            "SessionValues",
            #"""
            {"type": "object", "required": ["token"], "additionalProperties": false,
             "properties": {"token": {"type": "string", "writeOnly": true}}}
            """#
        ),
        (
            "Session",
            #"""
            {"type": "object", "required": ["name", "role", "permissions"], "additionalProperties": false,
             "properties": {
               "name": {"$ref": "#/components/schemas/Name"},
               "role": {"type": "string", "enum": ["viewer", "support", "content", "encoder", "admin"]},
               "permissions": {"type": "array",
                 "items": {"type": "string", "enum": ["read", "support", "content", "encode", "administer"]}},
               "change": {"type": "string", "pattern": "^[0-9a-f]{64}$",
                 "description": "The value that every change in the session must send in the header Keyway-Change."},
               "idleSeconds": {"type": "integer", "description": "The time without requests after which the session ends, in seconds."}}}
            """#
        ),
        (
            "Slot",
            #"""
            {"type": "object", "required": ["time", "issued", "refused", "failed", "reports"], "additionalProperties": false,
             "description": "An interval. Percentiles are missing if nothing was measured.",
             "properties": {
               "time": {"$ref": "#/components/schemas/Time"},
               "issued": {"type": "integer"},
               "refused": {"type": "integer"},
               "failed": {"type": "integer"},
               "reports": {"type": "integer"},
               "p50": {"type": "integer", "description": "In microseconds."},
               "p95": {"type": "integer"},
               "p99": {"type": "integer"}}}
            """#
        ),
        (
            "ActivityEvent",
            #"""
            {"type": "object", "required": ["milliseconds", "route", "outcome"], "additionalProperties": false,
             "properties": {
               "milliseconds": {"type": "integer", "description": "Unix milliseconds."},
               "route": {"type": "string"},
               "outcome": {"$ref": "#/components/schemas/ActivityOutcome"},
               "reason": {"type": "string"},
               "microseconds": {"type": "integer"},
               "class": {"type": "string"},
               "osVersion": {"type": "string"},
               "level": {"type": "string"},
               "account": {"type": "string"},
               "policy": {"type": "string"},
               "assetId": {"type": "string"},
               "assetIdHex": {"$ref": "#/components/schemas/Hex"}}}
            """#
        ),
        (
            "ActivityOutcome",
            #"{"type": "string", "enum": ["issued", "issued-persistable", "retried", "sync", "refused", "failed"]}"#
        ),
        (
            "Activity",
            #"""
            {"type": "object", "required": ["step", "slots", "outcomes", "clients", "recent"], "additionalProperties": false,
             "properties": {
               "step": {"type": "integer", "description": "The duration of a slot, in seconds."},
               "slots": {"type": "array", "items": {"$ref": "#/components/schemas/Slot"}},
               "outcomes": {"type": "array", "items": {
                 "type": "object", "required": ["outcome", "count"], "additionalProperties": false,
                 "properties": {
                   "outcome": {"$ref": "#/components/schemas/ActivityOutcome"},
                   "reason": {"type": "string"},
                   "count": {"type": "integer"}}}},
               "clients": {"type": "array", "items": {
                 "type": "object", "required": ["class", "count"], "additionalProperties": false,
                 "properties": {
                   "class": {"type": "string"},
                   "system": {"type": "integer", "description": "The operating system's major version."},
                   "level": {"type": "string"},
                   "count": {"type": "integer"}}}},
               "recent": {"type": "array", "items": {"$ref": "#/components/schemas/ActivityEvent"}}}}
            """#
        ),
        (
            "SecondEvent",
            #"""
            {"type": "object", "required": ["second", "recent", "omitted", "queue"], "additionalProperties": false,
             "properties": {
               "second": {"$ref": "#/components/schemas/Slot"},
               "recent": {"type": "array", "maxItems": 10, "items": {"$ref": "#/components/schemas/ActivityEvent"}},
               "omitted": {"type": "integer", "minimum": 0, "description": "The number of further requests since the last event."},
               "queue": {"type": "integer"},
               "leases": {"type": "integer"}}}
            """#
        ),
        (
            "SecondEvents",
            #"""
            {"type": "string", "contentMediaType": "text/event-stream",
             "contentSchema": {"$ref": "#/components/schemas/SecondEvent"}}
            """#
        ),
        (
            "PolicyTrialValues",
            #"""
            {"type": "object", "required": ["policy"], "additionalProperties": false,
             "properties": {
               "policy": {"$ref": "#/components/schemas/Policy"},
               "limit": {"type": "integer", "minimum": 1, "maximum": 500, "default": 100},
               "asset": {"type": "string", "description": "Only requests for this asset ID."}},
             "examples": [{"policy": {"lease": "PT10M"}, "limit": 50}]}
            """#
        ),
        (
            "PolicyTrial",
            #"""
            {"type": "object", "required": ["policy", "issued", "refused", "changed", "items"], "additionalProperties": false,
             "properties": {
               "policy": {"$ref": "#/components/schemas/Policy"},
               "issued": {"type": "integer"},
               "refused": {"type": "integer"},
               "changed": {"type": "integer", "description": "The number of requests whose result would differ."},
               "items": {"type": "array", "items": {
                 "type": "object", "required": ["request", "issued", "changed"], "additionalProperties": false,
                 "properties": {
                   "request": {"$ref": "#/components/schemas/ActivityEvent"},
                   "issued": {"type": "boolean"},
                   "reason": {"type": "string"},
                   "detail": {"type": "string"},
                   "terms": {"type": "string"},
                   "changed": {"type": "boolean"}}}}}}
            """#
        ),
        (
            "InspectionValues",
            #"""
            {"type": "object", "required": ["message"], "additionalProperties": false,
             "properties": {"message": {"type": "string", "minLength": 1, "contentEncoding": "base64"}}}
            """#
        ),
        (
            "InspectionPart",
            #"""
            {"type": "object", "required": ["name", "offset", "size", "secret"], "additionalProperties": false,
             "properties": {
               "name": {"type": "string"},
               "tag": {"$ref": "#/components/schemas/Hex8"},
               "offset": {"type": "integer"},
               "size": {"type": "integer"},
               "value": {"type": "string"},
               "secret": {"type": "boolean"}}}
            """#
        ),
        (
            "Inspection",
            #"""
            {"type": "object", "required": ["kind", "size", "opened", "remarks", "frame", "blocks"],
             "additionalProperties": false,
             "properties": {
               "kind": {"type": "string", "enum": ["spc", "ckc"]},
               "size": {"type": "integer"},
               "opened": {"type": "boolean"},
               "bundle": {"type": "string"},
               "device": {"$ref": "#/components/schemas/Hex16"},
               "note": {"type": "string"},
               "remarks": {"type": "array", "items": {"type": "string"}},
               "frame": {"type": "array", "items": {"$ref": "#/components/schemas/InspectionPart"}},
               "blocks": {"type": "array", "items": {"$ref": "#/components/schemas/InspectionPart"}}}}
            """#
        ),
        (
            "Health",
            #"""
            {"type": "object", "required": ["ready", "failing", "development", "started", "now", "store", "queue"],
             "additionalProperties": false,
             "properties": {
               "ready": {"type": "boolean"},
               "failing": {"type": "array", "items": {"type": "string"}},
               "development": {"type": "boolean"},
               "started": {"$ref": "#/components/schemas/Time"},
               "now": {"$ref": "#/components/schemas/Time"},
               "store": {"type": "object", "required": ["available", "microseconds"], "additionalProperties": false,
                 "properties": {"available": {"type": "boolean"}, "microseconds": {"type": "integer"}}},
               "certificates": {"type": "array", "items": {
                 "type": "object", "required": ["name", "kind"], "additionalProperties": false,
                 "properties": {
                   "name": {"type": "string"},
                   "kind": {"type": "string"},
                   "subject": {"type": "string"},
                   "notAfter": {"$ref": "#/components/schemas/Time"},
                   "daysLeft": {"type": "integer"}}}},
               "tls": {"type": "object", "required": ["notAfter", "daysLeft"], "additionalProperties": false,
                 "properties": {"notAfter": {"$ref": "#/components/schemas/Time"}, "daysLeft": {"type": "integer"}}},
               "queue": {"type": "integer"},
               "leases": {"type": "integer"},
               "listeners": {"type": "integer"},
               "sessions": {"type": "integer"}}}
            """#
        ),
    ]
}
