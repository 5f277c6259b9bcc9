import HTTPTypes
import KeyStore

extension OpenAPIOperation {
    /// What encoders and packagers ask.
    static let forEncoders: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: SPEKERoutes.path,
            id: "exchangeKeys",
            tag: .encoders,
            summary: "Content keys for an encoder: SPEKE v2.0 with CPIX 2.3. The same question gets the same keys.",
            security: .administration(.encode),
            parameters: [
                Parameter(
                    name: "X-Speke-Version",
                    description: "The version of SPEKE.",
                    schema: #"{"type": "string", "const": "2.0"}"#,
                    isRequired: true,
                    place: "header"
                )
            ],
            body: [("application/xml", cpix), ("text/xml", cpix)],
            answers: [(200, "The question with its keys.", [("application/xml", cpix)])],
            answerHeaders: [("X-Speke-Version", "SpekeVersion"), ("X-Speke-User-Agent", "SpekeUserAgent")],
            problems: [.unacceptableCPIX, .conflict, .overloaded]
        )
    ]

    /// A schema for JSON says little of XML: docs/speke.md has the rules.
    private static let cpix = #"{"type": "string", "description": "A CPIX document of version 2.3."}"#
}
