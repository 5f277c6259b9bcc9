import TextCoding

/// A license request of the key system `org.w3.clearkey` (Encrypted Media Extensions, section 9.1.3):
///
///     {"kids": ["<base64url>", …], "type": "temporary"}
struct ClearKeyRequest: Equatable {
    /// The key IDs, each once, 16 bytes each; 1 to 32.
    let keyIDs: [[UInt8]]

    static let maximumKeyIDs = 32

    /// Reads a request. Fields that are none of the two are left alone: the browser writes the text, and a new one must
    /// not lock its viewers out.
    ///
    /// - Throws: `malformed-request`; `refused-by-policy` for a key to keep, since nothing would ever end it.
    init(_ body: [UInt8]) throws(ProblemDocument) {
        do throws(JSONError) {
            var fields = try JSONFields(JSONValue(parsing: body, maximumDepth: 4), path: "")
            let kids = try fields.array("kids") ?? []
            let type = try fields.string("type") ?? "temporary"
            guard (1...Self.maximumKeyIDs).contains(kids.count) else {
                throw fields.error("kids", "1 to \(Self.maximumKeyIDs) key IDs were expected")
            }
            var found: [[UInt8]] = []
            for (index, kid) in kids.enumerated() {
                guard case .string(let text) = kid, let keyID = Base64.decode(text, .lenient), keyID.count == 16
                else {
                    throw fields.error("kids/\(index)", "16 bytes in base64url were expected")
                }
                if !found.contains(keyID) { found.append(keyID) }
            }
            keyIDs = found
            if type == "persistent-license" { throw fields.error("type", Self.persistent) }
            guard type == "temporary" else { throw fields.error("type", "temporary was expected") }
        } catch {
            if error.reason == Self.persistent {
                throw ProblemDocument(
                    .refusedByPolicy,
                    detail: "A Clear Key license cannot be kept: ask for type temporary.",
                    reason: "persistent-license-unsupported"
                )
            }
            throw ProblemDocument(malformed: error)
        }
    }

    private static let persistent = "temporary was expected, and not persistent-license"
}

extension JSONValue {
    /// A Clear Key license: a JSON Web Key set with the keys that are given, 16 bytes each.
    static func clearKeyLicense(_ keys: [(keyID: [UInt8], key: [UInt8])]) -> JSONValue {
        let set = keys.map { entry in
            JSONValue.object([
                "kty": .string("oct"), "kid": .string(Base64.encodeURLSafe(entry.keyID)),
                "k": .string(Base64.encodeURLSafe(entry.key)),
            ])
        }
        return .object(["keys": .array(set), "type": .string("temporary")])
    }
}
