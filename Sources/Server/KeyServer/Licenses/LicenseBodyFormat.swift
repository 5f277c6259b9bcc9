/// The body format of a license request. The response uses the same format.
package enum LicenseBodyFormat: Sendable, Hashable, CaseIterable {
    /// `application/octet-stream`: the SPC itself.
    case octets
    /// `text/plain`: the SPC in base64.
    case text
    /// `application/x-www-form-urlencoded`: the SPC in base64, as the field `spc`.
    case form
    /// `application/json`: the SPC in base64, as the field `spc`.
    case json

    /// Determines the format from a Content-Type without its parameters. It is never guessed from the body.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType``.
    package init(contentType: String?) throws(ProblemDocument) {
        // Compare bytes instead of characters, which would be much slower, because every license request runs this.
        let type = contentType.map { text in
            let name = text.utf8.prefix { $0 != UInt8(ascii: ";") }
            return String(decoding: name.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
        }
        switch type {
        case "application/octet-stream": self = .octets
        case "text/plain": self = .text
        case "application/x-www-form-urlencoded": self = .form
        case "application/json": self = .json
        default:
            throw ProblemDocument(
                .unsupportedMediaType,
                detail: "Send application/octet-stream, text/plain (base64), application/x-www-form-urlencoded "
                    + "or application/json."
            )
        }
    }
}
