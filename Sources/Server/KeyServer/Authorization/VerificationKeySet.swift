import TextCoding

/// The keys of an issuer: a JWK set (RFC 7517, section 5).
///
/// Keys that are for something else, of an unknown kind, or too weak are left out; a set of which nothing is left is
/// refused, so that a broken one does not take the place of one that works.
package struct VerificationKeySet: Sendable {
    /// Why a set was refused.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        /// For the operator: it holds no key.
        package let description: String
    }

    /// The largest set, in bytes.
    package static let maximumSize = 256 * 1024
    /// How many keys a set may have.
    package static let maximumCount = 100
    /// How many keys are tried for one token.
    static let maximumTries = 8

    /// Tells sets apart: one that is read anew is another one.
    final class Identity: Sendable {}

    let identity = Identity()
    /// The usable keys, in the order of the set.
    let keys: [VerificationKey]
    /// What should have been usable and is not, for the log.
    package let warnings: [String]

    /// Reads a set.
    ///
    /// - Parameter allowingSecrets: whether secrets (`oct`, for HS256) are taken. Not from a URL: who can read a secret
    ///   there can sign with it.
    /// - Throws: ``Invalid``.
    package init(json text: [UInt8], allowingSecrets: Bool) async throws(Invalid) {
        guard text.count <= Self.maximumSize else { throw Invalid(description: "it has more than 256 KiB") }
        let members: [JSONValue]
        do throws(JSONError) {
            guard case .object(let set) = try JSONValue(parsing: text), case .array(let keys) = set["keys"] else {
                throw JSONError(reason: "a JWK set is an object with an array named keys", place: .path(""))
            }
            members = keys
        } catch {
            throw Invalid(description: error.description)
        }
        guard members.count <= Self.maximumCount else {
            throw Invalid(description: "it has more than \(Self.maximumCount) keys")
        }
        var keys: [VerificationKey] = []
        var warnings: [String] = []
        for (index, jwk) in members.enumerated() {
            do throws(VerificationKey.Rejection) {
                let key = try await VerificationKey(jwk: jwk)
                guard key.algorithm != .hs256 || allowingSecrets else {
                    throw .unusable("secrets are taken from files alone")
                }
                keys.append(key)
            } catch {
                if case .unusable(let reason) = error { warnings.append("key \(index) is left out: \(reason)") }
            }
        }
        guard !keys.isEmpty else {
            let reasons = warnings.isEmpty ? "" : " (\(warnings.prefix(3).joined(separator: "; ")))"
            throw Invalid(description: "it has no key that tokens can be verified with\(reasons)")
        }
        self.keys = keys
        self.warnings = warnings
    }

    /// Whether there is a key of that name. Without a name one has nothing to be missed.
    func knows(_ id: String?) -> Bool { id == nil || keys.contains { $0.id == id } }

    /// The keys to try for a token, at most ``maximumTries``: by name, or all of its algorithm when it names none.
    ///
    /// - Throws: ``ProblemType/tokenUnknownKey``; ``ProblemType/tokenAlgorithm`` when the key is for another algorithm.
    func candidates(for token: CompactToken) throws(ProblemDocument) -> [VerificationKey] {
        let named = token.keyID.map { id in keys.filter { $0.id == id } } ?? keys
        guard !named.isEmpty else { throw ProblemDocument(.tokenUnknownKey) }
        let fitting = named.filter { $0.algorithm == token.algorithm }
        guard !fitting.isEmpty else {
            throw ProblemDocument(.tokenAlgorithm, detail: "The key is not one for \(token.algorithm.rawValue).")
        }
        return Array(fitting.prefix(Self.maximumTries))
    }
}
