import TextCoding

/// A license request of the key system `org.w3.clearkey` (Encrypted Media Extensions, section 9.1.3):
///
///     {"kids": ["<base64url>", …], "type": "temporary"}
struct ClearKeyRequest: Equatable {
    /// The key IDs without duplicates, 16 bytes each; 1 to 32.
    let keyIDs: [[UInt8]]

    static let maximumKeyIDs = 32

    /// Parses a request. Unknown fields are ignored: the browser creates the request, and a new field must not break
    /// playback.
    ///
    /// - Throws: `malformed-request`; `refused-by-policy` for a persistent license, because the server could not end
    ///   it.
    init(_ body: [UInt8]) throws(ProblemDocument) {
        do throws(JSONError) {
            var fields = try JSONFields(JSONValue(parsing: body, maximumDepth: 4), path: "")
            let kids = try fields.array("kids") ?? []
            let type = try fields.string("type") ?? "temporary"
            guard (1...Self.maximumKeyIDs).contains(kids.count) else {
                throw fields.error("kids", "expected 1 to \(Self.maximumKeyIDs) key IDs")
            }
            var found: [[UInt8]] = []
            for (index, kid) in kids.enumerated() {
                guard case .string(let text) = kid, let keyID = Base64.decode(text, .lenient), keyID.count == 16
                else {
                    throw fields.error("kids/\(index)", "expected 16 bytes in base64url")
                }
                if !found.contains(keyID) { found.append(keyID) }
            }
            keyIDs = found
            if type == "persistent-license" { throw fields.error("type", Self.persistent) }
            guard type == "temporary" else { throw fields.error("type", "expected temporary") }
        } catch {
            if error.reason == Self.persistent {
                throw ProblemDocument(
                    .refusedByPolicy,
                    detail: "Clear Key licenses cannot be persistent: request type temporary.",
                    reason: "persistent-license-unsupported"
                )
            }
            throw ProblemDocument(malformed: error)
        }
    }

    private static let persistent = "expected temporary, found persistent-license"
}

extension JSONValue {
    /// Returns a Clear Key license: a JSON Web Key set with these keys, 16 bytes each.
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
