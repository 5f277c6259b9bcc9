import TextCoding

/// A JWT in compact form (RFC 7515, section 7.1), parsed but not verified.
struct CompactToken {
    /// The maximum size of a token, in bytes.
    static let maximumSize = 8_192
    /// The maximum nesting depth of JSON in header and payload.
    static let maximumDepth = 6

    let algorithm: TokenAlgorithm
    /// The value of `kid`, 1 to 200 bytes.
    let keyID: String?
    /// The members of the payload.
    let claims: JSONObject
    /// The signed bytes: header, dot and payload, unchanged.
    let signedPart: [UInt8]
    let signature: [UInt8]

    /// Parses a token.
    ///
    /// - Throws: ``ProblemType/tokenMalformed`` and ``ProblemType/tokenAlgorithm``.
    init(_ text: String) throws(ProblemDocument) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumSize else {
            throw .malformedToken("The token must have at most \(Self.maximumSize) bytes.")
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformedToken("The token must have three parts separated by dots.") }
        let header = try Self.object(parts[0], "header")
        // RFC 7515: extensions in `crit` must be supported, and this implementation supports none.
        guard header["crit"] == nil else { throw .malformedToken("The header has unsupported critical extensions.") }
        algorithm = try Self.algorithm(header["alg"])
        keyID = try Self.keyID(header["kid"])
        claims = try Self.object(parts[1], "payload")
        guard let signature = Base64.decode(parts[2], .base64url) else {
            throw .malformedToken("The signature is not valid base64url.")
        }
        self.signature = signature
        signedPart = Array(bytes[..<parts[1].endIndex])
    }

    private static func object(_ part: ArraySlice<UInt8>, _ name: String) throws(ProblemDocument) -> JSONObject {
        guard let text = Base64.decode(part, .base64url) else {
            throw .malformedToken("The \(name) is not valid base64url.")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text, maximumDepth: maximumDepth)
        } catch {
            throw .malformedToken("The \(name) is not valid JSON: \(error.description).")
        }
        guard case .object(let members) = value else { throw .malformedToken("The \(name) is not a JSON object.") }
        return members
    }

    private static func algorithm(_ value: JSONValue?) throws(ProblemDocument) -> TokenAlgorithm {
        guard case .string(let name) = value, let algorithm = TokenAlgorithm(rawValue: name) else {
            throw ProblemDocument(.tokenAlgorithm, detail: "The algorithm must be HS256, ES256 or RS256.")
        }
        return algorithm
    }

    private static func keyID(_ value: JSONValue?) throws(ProblemDocument) -> String? {
        switch value {
        case nil: return nil
        case .string(let id) where (1...200).contains(id.utf8.count): return id
        default: throw .malformedToken("The kid in the header must be text of 1 to 200 bytes.")
        }
    }
}

extension ProblemDocument {
    static func malformedToken(_ detail: String) -> Self { Self(.tokenMalformed, detail: detail) }
}
