import HTTPTypes

extension OpenAPIOperation {
    /// What apps, players and whoever watches the server ask for.
    static let forPlayback: [OpenAPIOperation] = licenses + otherClients + operations

    /// Whatever may come of a request for a key: all but what only other routes say.
    private static let licenseProblems: [ProblemType] = ProblemType.all.filter {
        ![.notFound, .methodNotAllowed, .conflict].contains($0)
    }

    private static let licenses: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: "/fps/certificate",
            id: "getCertificate",
            tag: .licenses,
            summary: "The application certificate.",
            security: .anybody,
            parameters: [
                Parameter(name: "app", description: "Which, where there are several.", schema: #"{"type": "string"}"#)
            ],
            answers: [(200, "The certificate in DER.", [("application/x-x509-ca-cert", binary)])],
            problems: [.notFound, .rateLimited],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .post,
            path: "/fps/license",
            id: "makeLicense",
            tag: .licenses,
            summary: "An SPC in, its CKC out, in the same shape; a report for a Sync SPC.",
            security: .playback(orSignedURL: false),
            parameters: [
                Parameter(name: "assetId", description: "As the field; not with forms and JSON.", schema: text),
                Parameter(name: "persist", description: "As the field; not with forms and JSON.", schema: bool),
                Parameter(name: "preload", description: "As the field; not with forms and JSON.", schema: bool),
            ],
            body: [
                ("application/octet-stream", binary), ("text/plain", #"{"type": "string", "minLength": 1}"#),
                ("application/x-www-form-urlencoded", schema("LicenseRequest")),
                ("application/json", schema("LicenseRequest")),
            ],
            answers: [
                (
                    200, "The CKC; for a Sync SPC always JSON.",
                    [
                        ("application/octet-stream", binary), ("text/plain", text),
                        (
                            "application/json",
                            ##"{"oneOf": [{"$ref": "#/components/schemas/License"}, {"$ref": "#/components/schemas/SyncReport"}]}"##
                        ),
                    ]
                )
            ],
            answerHeaders: [("Keyway-Persistable", "Persistable"), ("Keyway-Dual-Expiry", "DualExpiry")],
            problems: licenseProblems
        ),
        OpenAPIOperation(
            method: .post,
            path: "/fps/licenses",
            id: "makeLicenses",
            tag: .licenses,
            summary: "Up to 32 licenses at once. One bad item does not spoil the rest.",
            security: .playback(orSignedURL: false),
            body: [("application/json", schema("LicenseBatchRequest"))],
            answers: [(200, "What came of each item.", [("application/json", schema("LicenseBatch"))])],
            problems: licenseProblems
        ),
        OpenAPIOperation(
            method: .post,
            path: "/fps/challenge",
            id: "makeChallenge",
            tag: .licenses,
            summary: "A challenge that one Sync SPC may carry.",
            security: .playback(orSignedURL: false),
            answers: [(200, "The challenge.", [("application/json", schema("Challenge"))])],
            problems: licenseProblems
        ),
    ]

    private static let otherClients: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: "/clearkey",
            id: "makeClearKeyLicense",
            tag: .licenses,
            summary: "Raw keys for browsers without FairPlay (Clear Key), where configuration and policy allow it.",
            security: .playback(orSignedURL: false),
            body: [("application/json", schema("ClearKeyRequest"))],
            takesAnyType: true,
            answers: [(200, "The keys.", [("application/json", schema("ClearKeyLicense"))])],
            problems: licenseProblems
        ),
        OpenAPIOperation(
            method: .get,
            path: "/keys/{kid}",
            id: "getKey",
            tag: .licenses,
            summary: "A raw AES-128 key by token or signed URL, where configuration and policy allow it.",
            security: .playback(orSignedURL: true),
            parameters: [
                Parameter(
                    name: "exp",
                    description: "Of a signed URL: when it ends, in Unix seconds.",
                    schema: #"{"type": "integer", "minimum": 0}"#
                ),
                Parameter(
                    name: "acc",
                    description: "Of a signed URL: the account.",
                    schema: #"{"type": "string", "minLength": 1, "maxLength": 200}"#
                ),
                Parameter(
                    name: "net",
                    description: "Of a signed URL: the network that the client must be in.",
                    schema: text
                ),
                Parameter(
                    name: "key",
                    description: "Of a signed URL: which secret signed it.",
                    schema: #"{"type": "string", "pattern": "^[a-z0-9_-]{1,32}$"}"#
                ),
            ],
            answers: [(200, "The key, 16 bytes.", [("application/octet-stream", binary)])],
            problems: licenseProblems
        ),
    ]

    private static let operations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: "/healthz",
            id: "getHealth",
            tag: .operations,
            summary: "Whether the process answers.",
            security: .anybody,
            answers: [(200, "ok", [("text/plain", text)])],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .get,
            path: "/readyz",
            id: "getReadiness",
            tag: .operations,
            summary: "Whether the server should be sent requests.",
            security: .anybody,
            answers: [
                (200, "ready", [("text/plain", text)]),
                (503, "What is not in order, a line each.", [("text/plain", text)]),
            ],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .get,
            path: "/metrics",
            id: "getMetrics",
            tag: .operations,
            summary: "Metrics in Prometheus text.",
            security: .anybody,
            answers: [(200, "The metrics.", [("text/plain", text)])],
            mayFail: false
        ),
        OpenAPIOperation(
            method: .get,
            path: "/openapi.json",
            id: "getDescription",
            tag: .operations,
            summary: "This document.",
            security: .anybody,
            answers: [(200, "The document.", [("application/json", #"{"type": "object"}"#)])],
            mayFail: false
        ),
    ]

    static let text = #"{"type": "string"}"#
    private static let bool = #"{"type": "boolean"}"#
    private static let binary = #"{"type": "string", "format": "binary"}"#

    static func schema(_ name: String) -> String { ##"{"$ref": "#/components/schemas/\##(name)"}"## }
}
