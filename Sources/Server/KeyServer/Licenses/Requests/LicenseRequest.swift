import TextCoding

/// The license request of a client: the body and the query of `POST /fps/license`, or an item of a batch.
///
/// | Format | SPC | Other fields |
/// |---|---|---|
/// | octets | the body | query |
/// | text | the body, base64 or a `data:` URI | query |
/// | form, multipart, JSON, XML | field `spc`: base64, a `data:` URI, or in a form the SPC itself | body, then query |
///
/// The other fields are `assetId`, `persist` and `preload`; ``LicenseFieldNames`` can rename the first. Only the SPC is
/// required. Unknown fields are ignored: players and apps send fields of their own. `Base64` describes the accepted
/// variants of base64. In a form, an unescaped `+` is accepted too.
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
    /// The playback token in a field; nil if no field has one.
    package var token: String?
    /// The fields of the body for the webhook, by name.
    package var forwarded: [String: String] = [:]

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
    package init(
        body: [UInt8],
        contentType: String?,
        query: String?,
        names: LicenseFieldNames = LicenseFieldNames()
    ) throws(ProblemDocument) {
        let format = try LicenseBodyFormat(body, contentType: contentType)
        let fields = try LicenseFields(body, format, contentType: contentType, query: query)
        let spc: [UInt8]
        switch format {
        case .octets: spc = body
        case .text: spc = try Self.spc(in: body)
        case .form: spc = try Self.spc(in: try fields.bytes(names.spc) ?? [], .spaceIsPlus)
        case .multipart, .json, .xml: spc = try Self.spc(in: try fields.bytes(names.spc) ?? [])
        }
        guard !spc.isEmpty else { throw ProblemDocument(.malformedRequest, detail: "The request contains no SPC.") }
        try self.init(spc, format, fields, names)
    }

    /// Parses an item of a batch.
    init(batchItem json: JSONValue, _ names: LicenseFieldNames) throws(ProblemDocument) {
        let fields: LicenseFields
        do throws(JSONError) {
            fields = try LicenseFields(json)
        } catch {
            throw ProblemDocument(malformed: error)
        }
        let spc = try Self.spc(in: try fields.bytes(names.spc) ?? [])
        guard !spc.isEmpty else { throw ProblemDocument(.malformedRequest, detail: "The item contains no SPC.") }
        var names = names
        names.asset.insert("asset-id", at: 0)
        try self.init(spc, .json, fields, names)
    }

    private init(
        _ spc: [UInt8],
        _ format: LicenseBodyFormat,
        _ fields: LicenseFields,
        _ names: LicenseFieldNames
    ) throws(ProblemDocument) {
        self.init(
            spc: spc,
            format: format,
            assetID: try fields.bytes(names.asset),
            wantsPersistableKey: try fields.bool(names.persist) ?? false,
            isPreload: try fields.bool([LicenseFieldNames.preload]) ?? false
        )
        token = try fields.bytes(names.token).flatMap { String(validating: $0, as: UTF8.self) }
        forwarded = names.forwarded.isEmpty ? [:] : fields.texts(names.forwarded)
    }

    /// Returns the SPC in a text or a field: the SPC itself, its base64, or a `data:` URI.
    private static func spc(in value: [UInt8], _ options: Base64.Options = []) throws(ProblemDocument) -> [UInt8] {
        if LicenseBodyFormat.startsLikeSPC(value.prefix(4)) { return value }
        var text = value[LicenseBodyFormat.content(of: value)]
        if text.starts(with: LicenseBodyFormat.dataScheme) {
            guard let spc = DataURI(String(decoding: text, as: UTF8.self))?.bytes else {
                throw ProblemDocument(.malformedRequest, detail: "The data: URI with the SPC is malformed.")
            }
            return spc
        }
        if options.contains(.spaceIsPlus), text.last != UInt8(ascii: "="), !text.contains(UInt8(ascii: "%")) {
            // Blanks at the end may be `+`, with which an SPC can end. Base64 without padding has a multiple of four
            // digits, without line breaks.
            let missing = (4 - text.count(where: { $0 >= 0x20 }) % 4) % 4
            let blanks = value[text.endIndex...].prefix { $0 == 0x20 }
            if missing <= blanks.count { text = value[text.startIndex..<text.endIndex + missing] }
        }
        if !LicenseBodyFormat.startsLikeBase64(text) {
            // White space at the start may be a `+`, with which an SPC does not start.
            text = value[...]
        }
        // Base64 has no `%`: the text was escaped once more.
        var bytes = Array(text)
        if bytes.contains(UInt8(ascii: "%")) { bytes = PercentEncoding.decode(bytes) ?? bytes }
        guard let spc = Base64.decode(bytes, [.lenient, options]) else {
            throw ProblemDocument(.malformedRequest, detail: "The SPC is not valid base64.")
        }
        return spc
    }
}
