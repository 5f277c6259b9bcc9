import TextCoding

/// What `POST /fps/license` asks for.
///
/// | Shape | SPC | Asset ID | Persistable key wanted | Loaded before playback |
/// |---|---|---|---|---|
/// | octets | the body | query `assetId` | query `persist` | query `preload` |
/// | text | the body, base64 | query `assetId` | query `persist` | query `preload` |
/// | form | field `spc`, base64 | field `assetId` | field `persist` | field `preload` |
/// | JSON | field `spc`, base64 | field `assetId` | field `persist` | field `preload` |
///
/// Only the SPC is required. Unknown fields of a form or object are errors; other names in the query are not, since
/// tokens and cache keys travel there. For what base64 may look like see `Base64`. A `+` that a form's client forgot to
/// escape is understood.
package struct LicenseRequest: Sendable, Equatable {
    /// How it was written, and so how to answer.
    package let shape: LicenseShape
    /// The SPC; at least one byte, and no more is known about it.
    package let spc: [UInt8]
    /// The asset ID that the client believes to ask for. The SPC's governs: one that differs is to be refused.
    package let assetID: [UInt8]?
    /// Whether the client would like to keep the key. The policy decides.
    package let wantsPersistableKey: Bool
    /// Whether the key is loaded before playback: its lease is then a short reservation.
    package let isPreload: Bool

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - body: The body, bounded by whoever read it.
    ///   - contentType: The header of that name.
    ///   - query: What stands behind `?` in the path, still escaped.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType`` or
    ///   ``ProblemType/malformedRequest``.
    package init(body: [UInt8], contentType: String?, query: String?) throws(ProblemDocument) {
        shape = try LicenseShape(contentType: contentType)
        switch shape {
        case .octets, .text:
            var query = try FormFields((query ?? "").utf8)
            spc = try shape == .octets ? body : Self.base64(body, .lenient)
            assetID = try query.take("assetId")
            wantsPersistableKey = try query.takeBool("persist") ?? false
            isPreload = try query.takeBool("preload") ?? false
        case .form:
            var fields = try FormFields(body)
            spc = try Self.base64(try fields.take("spc") ?? [], [.lenient, .spaceIsPlus])
            assetID = try fields.take("assetId")
            wantsPersistableKey = try fields.takeBool("persist") ?? false
            isPreload = try fields.takeBool("preload") ?? false
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
                    throw fields.error("spc", "this is not base64")
                }
                spc = decoded
            } catch {
                throw ProblemDocument(malformed: error)
            }
        }
        guard !spc.isEmpty else { throw ProblemDocument(.malformedRequest, detail: "There is no SPC in the request.") }
    }

    private static func base64(_ text: [UInt8], _ options: Base64.Options) throws(ProblemDocument) -> [UInt8] {
        guard let bytes = Base64.decode(text, options) else {
            throw ProblemDocument(.malformedRequest, detail: "The SPC is not in base64.")
        }
        return bytes
    }
}
