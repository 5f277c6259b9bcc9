import HTTPTypes
import KeyStore

extension OpenAPIOperation {
    /// The operations for encoders and packagers.
    static let forEncoders: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: SPEKERoutes.path,
            id: "exchangeKeys",
            tag: .encoders,
            summary:
                "Get content keys for an encoder: SPEKE v2.0 with CPIX 2.3. Equal requests return equal keys.",
            security: .administration(.encode),
            parameters: [
                Parameter(
                    name: "X-Speke-Version",
                    description: "The SPEKE version.",
                    schema: #"{"type": "string", "const": "2.0"}"#,
                    isRequired: true,
                    location: "header"
                )
            ],
            body: [("application/xml", cpix), ("text/xml", cpix)],
            successes: [(200, "The request document with its keys.", [("application/xml", cpix)])],
            successHeaders: [("X-Speke-Version", "SpekeVersion"), ("X-Speke-User-Agent", "SpekeUserAgent")],
            problems: [.unacceptableCPIX, .conflict, .overloaded]
        )
    ]

    /// The schema of a CPIX document. JSON Schema cannot describe XML: docs/speke.md has the rules.
    private static let cpix = #"{"type": "string", "description": "A CPIX document of version 2.3."}"#
}
