import TextCoding

/// The keys of an issuer: a JWK set (RFC 7517, section 5).
///
/// Keys for other purposes, of unknown types, or that are too weak are skipped. A set without usable keys is refused,
/// so that it does not replace a valid one.
package struct VerificationKeySet: Sendable {
    /// The reason why a set was refused.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        /// The message for the operator, without keys.
        package let description: String
    }

    /// The maximum size of a set, in bytes.
    package static let maximumSize = 256 * 1024
    /// The maximum number of keys in a set.
    package static let maximumCount = 100
    /// The maximum number of keys to try for one token.
    static let maximumTries = 8

    /// The identity of a set: a set that is read again is a different one.
    final class Identity: Sendable {}

    let identity = Identity()
    /// The usable keys, in the order of the set.
    let keys: [VerificationKey]
    /// The reasons why keys with a supported algorithm are not usable, for the log.
    package let warnings: [String]

    /// Parses a set.
    ///
    /// - Parameter allowingSecrets: Whether secrets (`oct`, for HS256) are accepted. They are not accepted from URLs,
    ///   because every client that can read a secret there could sign tokens with it.
    /// - Throws: ``Invalid``.
    package init(json text: [UInt8], allowingSecrets: Bool) async throws(Invalid) {
        guard text.count <= Self.maximumSize else { throw Invalid(description: "the set is larger than 256 KiB") }
        let members: [JSONValue]
        do throws(JSONError) {
            guard case .object(let set) = try JSONValue(parsing: text), case .array(let keys) = set["keys"] else {
                throw JSONError(reason: "a JWK set must be an object with an array named keys", place: .path(""))
            }
            members = keys
        } catch {
            throw Invalid(description: error.description)
        }
        guard members.count <= Self.maximumCount else {
            throw Invalid(description: "the set has more than \(Self.maximumCount) keys")
        }
        var keys: [VerificationKey] = []
        var warnings: [String] = []
        for (index, jwk) in members.enumerated() {
            do throws(VerificationKey.Rejection) {
                let key = try await VerificationKey(jwk: jwk)
                guard key.algorithm != .hs256 || allowingSecrets else {
                    throw .unusable("secrets are accepted only from files")
                }
                keys.append(key)
            } catch {
                if case .unusable(let reason) = error { warnings.append("key \(index) is skipped: \(reason)") }
            }
        }
        guard !keys.isEmpty else {
            let reasons = warnings.isEmpty ? "" : " (\(warnings.prefix(3).joined(separator: "; ")))"
            throw Invalid(description: "the set has no key that can verify tokens\(reasons)")
        }
        self.keys = keys
        self.warnings = warnings
    }

    /// Returns whether the set contains a key with this ID. Without an ID, the result is true.
    func hasKey(_ id: String?) -> Bool { id == nil || keys.contains { $0.id == id } }

    /// Returns the keys to try for a token, at most ``maximumTries``: by key ID, or all with its algorithm if it has
    /// none.
    ///
    /// - Throws: ``ProblemType/tokenUnknownKey``; ``ProblemType/tokenAlgorithm`` when the key is for another algorithm.
    func candidates(for token: CompactToken) throws(ProblemDocument) -> [VerificationKey] {
        let named = token.keyID.map { id in keys.filter { $0.id == id } } ?? keys
        guard !named.isEmpty else { throw ProblemDocument(.tokenUnknownKey) }
        let fitting = named.filter { $0.algorithm == token.algorithm }
        guard !fitting.isEmpty else {
            throw ProblemDocument(.tokenAlgorithm, detail: "The token's key is not for \(token.algorithm.rawValue).")
        }
        return Array(fitting.prefix(Self.maximumTries))
    }
}
