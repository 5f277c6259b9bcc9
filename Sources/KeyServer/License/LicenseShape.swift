/// How a licence request is written. The answer is written the same way.
public enum LicenseShape: Sendable, Hashable, CaseIterable {
    /// `application/octet-stream`: the SPC itself.
    case octets
    /// `text/plain`: the SPC in base64.
    case text
    /// `application/x-www-form-urlencoded`: the SPC in base64, as the field `spc`.
    case form
    /// `application/json`: the SPC in base64, as the field `spc`.
    case json

    /// Takes the shape from a Content-Type, whose parameters do not matter. It is never guessed from the body.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/unsupportedMediaType``.
    public init(contentType: String?) throws(ProblemDocument) {
        // As nearly everybody writes it; reading it character by character takes as long as the rest of a head.
        if let contentType, let shape = Self.named[contentType] {
            self = shape
            return
        }
        let end = contentType?.firstIndex(of: ";") ?? contentType?.endIndex
        let type = end.flatMap { contentType?[..<$0] }?.filter { $0 != " " && $0 != "\t" }.lowercased()
        guard let shape = type.flatMap({ Self.named[$0] }) else {
            throw ProblemDocument(
                .unsupportedMediaType,
                detail: "Send application/octet-stream, text/plain (base64), application/x-www-form-urlencoded "
                    + "or application/json."
            )
        }
        self = shape
    }

    private static let named: [String: LicenseShape] = [
        "application/octet-stream": .octets,
        "text/plain": .text,
        "application/x-www-form-urlencoded": .form,
        "application/json": .json,
    ]
}
