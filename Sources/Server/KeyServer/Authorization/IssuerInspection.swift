import KeyServerModule

/// Whether the keys of a token issuer can be loaded now, for a diagnosis.
package struct IssuerInspection: Sendable {
    /// The issuer, as in the `iss` claim.
    package let issuer: String
    /// The path of the keys, or the URL without its path.
    package let source: String
    /// The number of usable keys.
    package var keyCount = 0
    /// Why no token of the issuer can be verified; nil if there are keys.
    package var problem: String?
    /// Problems of single keys.
    package var warnings: [String] = []
}

extension ServerConfiguration.TokenIssuer {
    /// Loads the keys of the issuer once, as a server does.
    package func inspect(http: OutgoingHTTP = .shared) async -> IssuerInspection {
        let trusted: TokenIssuer
        do {
            trusted = try TokenIssuer(self)
        } catch {
            return IssuerInspection(issuer: issuer, source: jwks, problem: error.description)
        }
        var inspection = IssuerInspection(issuer: issuer, source: trusted.keys.name)
        do {
            let keys = try await trusted.keys.load(http: http, timeout: JWKSCache.timeout).keys
            let usable = keys?.keys.filter { trusted.algorithms.contains($0.algorithm) } ?? []
            (inspection.keyCount, inspection.warnings) = (usable.count, keys?.warnings ?? [])
            if usable.isEmpty {
                let names = trusted.algorithms.map(\.rawValue).sorted().joined(separator: ", ")
                inspection.problem = "the set has no key for \(names)"
            }
        } catch {
            inspection.problem = "\(error)"
        }
        return inspection
    }
}
