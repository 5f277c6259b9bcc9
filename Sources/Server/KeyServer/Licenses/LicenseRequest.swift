import TextCoding

/// The license request of a client: the body and the query of `POST /fps/license`, or an item of a batch.
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

    /// Creates a request.
    package init(
        spc: [UInt8],
        format: LicenseBodyFormat = .octets,
        assetID: [UInt8]? = nil,
        wantsPersistableKey: Bool = false,
        isPreload: Bool = false
    ) {
        self.spc = spc
        self.format = format
        self.assetID = assetID
        self.wantsPersistableKey = wantsPersistableKey
        self.isPreload = isPreload
    }

    /// Parses a request.
    ///
    /// - Parameters:
    ///   - body: The body, whose size the caller has limited.
    ///   - contentType: The `Content-Type` header.
    ///   - query: The query of the request target, still escaped.
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType`` or
    ///   ``ProblemType/malformedRequest``.
    package init(body: [UInt8], contentType: String?, query: String?) throws(ProblemDocument) {
        let format = try LicenseBodyFormat(contentType: contentType)
        switch format {
        case .octets, .text:
            var query = try FormFields((query ?? "").utf8)
            let spc = try format == .octets ? body : Self.base64(body, .lenient)
            try self.init(spc, format, &query)
        case .form:
            var fields = try FormFields(body)
            let spc = try Self.base64(try fields.read("spc") ?? [], [.lenient, .spaceIsPlus])
            try self.init(spc, format, &fields)
            try fields.finish()
        case .json:
            do throws(JSONError) {
                var fields = try JSONFields(JSONValue(parsing: body), path: "")
                try self.init(&fields, assetID: "assetId")
            } catch {
                throw ProblemDocument(malformed: error)
            }
        }
        guard !spc.isEmpty else { throw ProblemDocument(.malformedRequest, detail: "The request contains no SPC.") }
    }

    /// Parses the fields of a JSON object, to the last one. The SPC may be empty.
    ///
    /// - Parameter name: The name of the field with the asset ID.
    init(_ fields: inout JSONFields, assetID name: String) throws(JSONError) {
        let text = try fields.string("spc") ?? ""
        let assetID = try fields.string(name).map { Array($0.utf8) }
        let wantsPersistableKey = try fields.bool("persist") ?? false
        let isPreload = try fields.bool("preload") ?? false
        try fields.finish()
        guard let spc = Base64.decode(text, .lenient) else { throw fields.error("spc", "expected base64") }
        self.init(
            spc: spc,
            format: .json,
            assetID: assetID,
            wantsPersistableKey: wantsPersistableKey,
            isPreload: isPreload
        )
    }

    private init(
        _ spc: [UInt8],
        _ format: LicenseBodyFormat,
        _ fields: inout FormFields
    ) throws(ProblemDocument) {
        self.init(
            spc: spc,
            format: format,
            assetID: try fields.read("assetId"),
            wantsPersistableKey: try fields.readBool("persist") ?? false,
            isPreload: try fields.readBool("preload") ?? false
        )
    }

    private static func base64(_ text: [UInt8], _ options: Base64.Options) throws(ProblemDocument) -> [UInt8] {
        guard let bytes = Base64.decode(text, options) else {
            throw ProblemDocument(.malformedRequest, detail: "The SPC is not valid base64.")
        }
        return bytes
    }
}
