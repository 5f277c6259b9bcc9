import HTTPRequests

/// The source of an issuer's keys.
package enum JWKSSource: Sendable {
    /// A JWK set in a file. It is read again if its time or size changes, at most every five seconds. A file with
    /// secrets, for HS256, must fulfill the rules for secret files.
    case file(path: String, isSecret: Bool)
    /// A JWK set at a URL. It is fetched again when it is old, or when a token has an unknown key ID.
    case url(OutgoingURL)
    /// These keys, which never change.
    case fixed(VerificationKeySet)
}

extension JWKSSource {
    /// The result of loading a source once.
    struct Loaded: Sendable {
        /// The keys; nil if the file has not changed, or if the keys are fixed.
        var keys: VerificationKeySet?
        /// The stamp of the file; nil for a URL.
        var stamp: JWKSFile.Stamp?
        /// The lifetime of the response, in milliseconds; nil if it has none.
        var maximumAge: Int64?
    }

    /// A response that is not a key set.
    private struct UnexpectedStatus: Error, CustomStringConvertible {
        let status: Int
        var description: String { "the response has status \(status)" }
    }

    /// The name of the source in messages: a path, or a URL without its path, which may contain a secret.
    var name: String {
        switch self {
        case .file(let path, _): path
        case .url(let url): url.description
        case .fixed: "the configuration"
        }
    }

    /// Loads the keys once.
    ///
    /// - Parameter known: The stamp of the file when it was read last; nil if it was not.
    /// - Throws: `JWKSFile.ReadError`, `VerificationKeySet.Invalid`, `BoundedHTTP.Failure` and an error for another status
    ///   than 200. Their descriptions contain no keys.
    func load(unless known: JWKSFile.Stamp? = nil, http: OutgoingHTTP, timeout: Duration) async throws -> Loaded {
        switch self {
        case .fixed:
            return Loaded()
        case .file(let path, let isSecret):
            guard let read = try JWKSFile(path: path, isSecret: isSecret).read(unless: known) else {
                return Loaded(stamp: known)
            }
            let keys = try await VerificationKeySet(json: read.text, allowingSecrets: isSecret)
            return Loaded(keys: keys, stamp: read.stamp)
        case .url(let url):
            let answer = try await http.get(url, limit: VerificationKeySet.maximumSize, timeout: timeout)
            guard answer.status == 200 else { throw UnexpectedStatus(status: answer.status) }
            return Loaded(
                keys: try await VerificationKeySet(json: answer.body, allowingSecrets: false),
                maximumAge: KeyServer.maximumAge(cacheControl: answer.cacheControl).map { $0 * 1_000 }
            )
        }
    }
}
