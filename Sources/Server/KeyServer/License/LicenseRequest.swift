import TextCoding

/// The request of `POST /fps/license`.
///
/// | Format | SPC | Asset ID | Persistent key | Preload |
/// |---|---|---|---|---|
/// | octets | the body | query `assetId` | query `persist` | query `preload` |
/// | text | the body, base64 | query `assetId` | query `persist` | query `preload` |
/// | form | field `spc`, base64 | field `assetId` | field `persist` | field `preload` |
/// | JSON | field `spc`, base64 | field `assetId` | field `persist` | field `preload` |
///
/// Only the SPC is required. Unknown fields of a form or an object are errors. Unknown query fields are not, because a
/// query may contain tokens and cache keys. `Base64` describes the accepted variants of base64. In a form, an unescaped
/// `+` is accepted too.
package struct LicenseRequest: Sendable, Equatable {
    /// The format of the body, which the response uses too.
    package let format: LicenseBodyFormat
    /// The SPC, at least one byte, not parsed yet.
    package let spc: [UInt8]
    /// The asset ID in the request. A request whose asset ID differs from the SPC's is refused.
    package let assetID: [UInt8]?
    /// True if the client requests a persistent key. The policy determines whether it gets one.
    package let wantsPersistableKey: Bool
    /// True if the key is loaded before playback: its lease is then a short reservation.
    package let isPreload: Bool

    /// Parses a request.
    ///
    /// - Parameters:
    ///   - body: The body, whose size the caller has limited.
    ///   - contentType: The `Content-Type` header.
    ///   - query: The query of the request target, still escaped.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType`` or
    ///   ``ProblemType/malformedRequest``.
    package init(body: [UInt8], contentType: String?, query: String?) throws(ProblemDocument) {
        format = try LicenseBodyFormat(contentType: contentType)
        switch format {
        case .octets, .text:
            var query = try FormFields((query ?? "").utf8)
            spc = try format == .octets ? body : Self.base64(body, .lenient)
            assetID = try query.read("assetId")
            wantsPersistableKey = try query.readBool("persist") ?? false
            isPreload = try query.readBool("preload") ?? false
        case .form:
            var fields = try FormFields(body)
            spc = try Self.base64(try fields.read("spc") ?? [], [.lenient, .spaceIsPlus])
            assetID = try fields.read("assetId")
            wantsPersistableKey = try fields.readBool("persist") ?? false
            isPreload = try fields.readBool("preload") ?? false
            try fields.finish()
        case .json:
            do throws(JSONError) {
                var fields = try JSONFields(JSONValue(parsing: body), path: "")
                let text = try fields.string("spc") ?? ""
                assetID = try fields.string("assetId").map { Array($0.utf8) }
                wantsPersistableKey = try fields.bool("persist") ?? false
                isPreload = try fields.bool("preload") ?? false
                try fields.finish()
                guard let decoded = Base64.decode(text, .lenient) else {
                    throw fields.error("spc", "expected base64")
                }
                spc = decoded
            } catch {
                throw ProblemDocument(malformed: error)
            }
        }
        guard !spc.isEmpty else { throw ProblemDocument(.malformedRequest, detail: "The request contains no SPC.") }
    }

    private static func base64(_ text: [UInt8], _ options: Base64.Options) throws(ProblemDocument) -> [UInt8] {
        guard let bytes = Base64.decode(text, options) else {
            throw ProblemDocument(.malformedRequest, detail: "The SPC is not valid base64.")
        }
        return bytes
    }
}
