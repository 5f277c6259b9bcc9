import TextCoding

/// The format of a license request's body, in which players and apps send an SPC.
///
/// | Format | Body |
/// |---|---|
/// | octets | the SPC |
/// | text | the SPC in base64, or as a `data:` URI |
/// | form | `spc=` and other fields, form-encoded, or form-encoded as a whole |
/// | multipart | the same fields as `multipart/form-data`, whatever the declared type |
/// | JSON | an object with the fields, or a batch |
/// | XML | an element for each field |
///
/// The first bytes determine the format, because many clients send no Content-Type, or the one that their HTTP library
/// sets by itself. That is not a guess: an SPC starts with its version, 00 00 00 01 to 03, with which no text starts, and
/// base64 has none of `{`, `[` and `<`, and a `=` only at its end. Content-Type decides about bodies that start in no such way.
package enum LicenseBodyFormat: Sendable, Hashable, CaseIterable {
    case octets, text, form, multipart, json, xml

    /// Determines the format.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType``.
    package init(_ body: [UInt8], contentType: String?) throws(ProblemDocument) {
        let declared = Self.declared(contentType)
        if Self.startsLikeSPC(body.prefix(4)) {
            self = .octets
            return
        }
        let text = body[Self.content(of: body)]
        if declared == .multipart || MultipartForm.matches(text) {
            self = .multipart
        } else if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
            self = .json
        } else if text.first == UInt8(ascii: "<") {
            self = .xml
        } else if Self.startsLikeBase64(text) || text.starts(with: Self.dataScheme) {
            self = .text
        } else if declared == .octets {
            self = .octets
        } else if declared != .json, declared != .xml, Self.startsLikeForm(text) {
            self = .form
        } else if let declared {
            self = declared
        } else {
            throw ProblemDocument(
                .unsupportedMediaType,
                detail: "Send the SPC as application/octet-stream, text/plain (base64), "
                    + "application/x-www-form-urlencoded, multipart/form-data, application/json or application/xml."
            )
        }
    }

    /// The format that a Content-Type without its parameters declares; nil for other types.
    static func declared(_ contentType: String?) -> LicenseBodyFormat? {
        // Compare bytes instead of characters, which would be much slower, because every license request runs this.
        let type = contentType.map { text in
            let name = text.utf8.prefix { $0 != UInt8(ascii: ";") }
            return String(decoding: name.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
        }
        switch type {
        case "application/octet-stream": return .octets
        case "text/plain": return .text
        case "application/x-www-form-urlencoded": return .form
        case "multipart/form-data": return .multipart
        case "application/json": return .json
        case "application/xml", "text/xml": return .xml
        default: return nil
        }
    }

    /// The start of a `data:` URI (RFC 2397).
    static let dataScheme = Array("data:".utf8)

    /// Returns whether bytes start with a version that an SPC can have: 1 to 3, 4 bytes.
    static func startsLikeSPC(_ bytes: some Collection<UInt8>) -> Bool {
        let version = Array(bytes.prefix(4))
        return version.count == 4 && version[..<3].allSatisfy { $0 == 0 } && (1...3).contains(version[3])
    }

    /// Returns whether a text starts with an SPC's version in base64.
    static func startsLikeBase64(_ text: ArraySlice<UInt8>) -> Bool {
        Base64.decode(text.prefix(8), .lenient).map { startsLikeSPC($0) } ?? false
    }

    /// Returns whether a text starts with the name of a field: letters, digits and `_ - .`, and then `=` or `%3D`.
    private static func startsLikeForm(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.prefix(64).prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        let rest = text[name.endIndex...]
        guard !name.isEmpty else { return false }
        if startsWithEscapedEquals(rest) { return true }
        // Base64 has `=` only at its end.
        return rest.first == UInt8(ascii: "=") && rest.count > 2
    }

    /// Returns whether a text starts with an escaped `=`.
    static func startsWithEscapedEquals(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 3 && text.prefix(2).elementsEqual("%3".utf8) && (text[text.startIndex + 2] | 0x20) == 0x64
    }

    /// Returns the range of a text without a byte order mark and white space around it.
    static func content(of body: [UInt8]) -> Range<Int> {
        var start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var end = body.count
        while start < end, isBlank(body[start]) { start += 1 }
        while end > start, isBlank(body[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
