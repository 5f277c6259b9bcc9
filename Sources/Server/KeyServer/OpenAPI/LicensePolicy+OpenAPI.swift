import KeyServerModule
import TextCoding

extension LicensePolicy {
    /// The schema of a policy document.
    static let openAPISchema: JSONValue = {
        let json = #"""
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
        // A test checks that the text can be parsed.
        return (try? JSONValue(parsing: Array(json.utf8))) ?? .null
    }()
}
