import HTTPTypes

extension OpenAPIOperation {
    /// The operations for apps, players and monitoring.
    static let forPlayback: [OpenAPIOperation] = licenses + otherClients + operations

    /// The problems of a key request: all except those that only other routes report.
    private static let licenseProblems: [ProblemType] = ProblemType.all.filter {
        ![.notFound, .methodNotAllowed, .conflict].contains($0)
    }

    private static let licenses: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: "/fps/certificate",
            id: "getCertificate",
            tag: .licenses,
            summary: "Get the application certificate.",
            security: .unauthenticated,
            parameters: [
                Parameter(name: "app", description: "The app, if there are several.", schema: #"{"type": "string"}"#)
            ],
            successes: [(200, "The certificate in DER.", [("application/x-x509-ca-cert", binary)])],
            problems: [.notFound, .rateLimited],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .post,
            path: "/fps/license",
            id: "createLicense",
            tag: .licenses,
            summary: "Get a CKC for an SPC, in the same body format, or a report for a Sync SPC.",
            security: .playback(orSignedURL: false),
            parameters: [
                Parameter(name: "assetId", description: "Like the field; not with forms and JSON.", schema: text),
                Parameter(name: "persist", description: "Like the field; not with forms and JSON.", schema: bool),
                Parameter(name: "preload", description: "Like the field; not with forms and JSON.", schema: bool),
            ],
            body: [
                ("application/octet-stream", binary), ("text/plain", #"{"type": "string", "minLength": 1}"#),
                ("application/x-www-form-urlencoded", schema("LicenseRequest")),
                ("application/json", schema("LicenseRequest")),
            ],
            successes: [
                (
                    200, "The CKC; always JSON for a Sync SPC.",
                    [
                        ("application/octet-stream", binary), ("text/plain", text),
                        (
                            "application/json",
                            ##"{"oneOf": [{"$ref": "#/components/schemas/License"}, {"$ref": "#/components/schemas/SyncReport"}]}"##
                        ),
                    ]
                )
            ],
            successHeaders: [("Keyway-Persistable", "Persistable"), ("Keyway-Dual-Expiry", "DualExpiry")],
            problems: licenseProblems
        ),
        OpenAPIOperation(
            method: .post,
            path: "/fps/licenses",
            id: "createLicenses",
            tag: .licenses,
            summary: "Get up to 32 licenses at once. An invalid item does not affect the others.",
            security: .playback(orSignedURL: false),
            body: [("application/json", schema("LicenseBatchRequest"))],
            successes: [(200, "The result of each item.", [("application/json", schema("LicenseBatch"))])],
            problems: licenseProblems
        ),
        OpenAPIOperation(
            method: .post,
            path: "/fps/challenge",
            id: "createChallenge",
            tag: .licenses,
            summary: "Get a challenge for one Sync SPC.",
            security: .playback(orSignedURL: false),
            successes: [(200, "The challenge.", [("application/json", schema("Challenge"))])],
            problems: licenseProblems
        ),
    ]

    private static let otherClients: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: "/clearkey",
            id: "createClearKeyLicense",
            tag: .licenses,
            summary: "Get raw keys for browsers without FairPlay (Clear Key), if configuration and policy allow it.",
            security: .playback(orSignedURL: false),
            body: [("application/json", schema("ClearKeyRequest"))],
            acceptsAnyType: true,
            successes: [(200, "The keys.", [("application/json", schema("ClearKeyLicense"))])],
            problems: licenseProblems
        ),
        OpenAPIOperation(
            method: .get,
            path: "/keys/{kid}",
            id: "getKey",
            tag: .licenses,
            summary: "Get a raw AES-128 key by token or signed URL, if configuration and policy allow it.",
            security: .playback(orSignedURL: true),
            parameters: [
                Parameter(
                    name: "exp",
                    description: "For a signed URL: the expiry time, in Unix seconds.",
                    schema: #"{"type": "integer", "minimum": 0}"#
                ),
                Parameter(
                    name: "acc",
                    description: "For a signed URL: the account.",
                    schema: #"{"type": "string", "minLength": 1, "maxLength": 200}"#
                ),
                Parameter(
                    name: "net",
                    description: "For a signed URL: the network that the client must be in.",
                    schema: text
                ),
                Parameter(
                    name: "key",
                    description: "For a signed URL: the ID of the secret that signed it.",
                    schema: #"{"type": "string", "pattern": "^[a-z0-9_-]{1,32}$"}"#
                ),
            ],
            successes: [(200, "The key, 16 bytes.", [("application/octet-stream", binary)])],
            problems: licenseProblems
        ),
    ]

    private static let operations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: "/healthz",
            id: "getHealth",
            tag: .operations,
            summary: "Check that the process responds.",
            security: .unauthenticated,
            successes: [(200, "ok", [("text/plain", text)])],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .get,
            path: "/readyz",
            id: "getReadiness",
            tag: .operations,
            summary: "Check that the server is ready for requests.",
            security: .unauthenticated,
            successes: [
                (200, "ready", [("text/plain", text)]),
                (503, "The failing checks, one per line.", [("text/plain", text)]),
            ],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .get,
            path: "/metrics",
            id: "getMetrics",
            tag: .operations,
            summary: "Get metrics in the Prometheus text format.",
            security: .unauthenticated,
            successes: [(200, "The metrics.", [("text/plain", text)])],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .get,
            path: "/openapi.json",
            id: "getDescription",
            tag: .operations,
            summary: "Get this document.",
            security: .unauthenticated,
            successes: [(200, "The document.", [("application/json", #"{"type": "object"}"#)])],
            mayFail: false
        ),
    ]

    static let text = #"{"type": "string"}"#
    private static let bool = #"{"type": "boolean"}"#
    private static let binary = #"{"type": "string", "format": "binary"}"#

    static func schema(_ name: String) -> String { ##"{"$ref": "#/components/schemas/\##(name)"}"## }
}
