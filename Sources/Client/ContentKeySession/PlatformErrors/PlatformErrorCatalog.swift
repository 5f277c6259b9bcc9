/// The error numbers that key requests, playback and downloads report on Apple's systems, with their explanations.
///
/// Apple documents the numbers of AVFoundation, of URL loading, and those in the FairPlay Streaming Programming Guide. It does
/// not document the numbers of CoreMedia: their explanations come from an answer on Stack Overflow and the lists that repeat
/// it (`field table`), and from bug reports. ``PlatformErrorExplanation/certainty`` distinguishes these cases.
public enum PlatformErrorCatalog {
    /// All explanations, grouped by domain in the order AVFoundation, FairPlay Streaming, CoreMedia, URL loading, Foundation,
    /// key servers.
    public static let all: [PlatformErrorExplanation] =
        avFoundationAssets + avFoundationPlayback + fairPlayGuide + fairPlayReports
        + coreMediaPlaylists + coreMediaHTTP + coreMediaReports + urlLoading + foundation + keyServers

    /// Returns the explanations of a number.
    ///
    /// - Parameter domain: The domain. A number that the domain does not have is looked up in the domains in which the same
    ///   event may appear, such as CoreMedia and AVFoundation. Without a domain, and with one that is not in the catalog,
    ///   the explanations of all domains match.
    /// - Returns: The explanations, those of exactly this domain first; empty if there are none.
    public static func explanations(
        number: Int32,
        domain: PlatformErrorDomain? = nil
    ) -> [PlatformErrorExplanation] {
        let matches = byNumber[number] ?? []
        guard let domain else { return matches }
        let exact = matches.filter { $0.domains.contains(domain) }
        return exact.isEmpty ? matches.filter { !domain.related.isDisjoint(with: $0.domains) } : exact
    }

    /// Returns the explanation of a code; the first one if the number has several meanings.
    public static func explanation(of code: PlatformErrorCode) -> PlatformErrorExplanation? {
        explanations(number: code.number, domain: code.domain).first
    }

    /// Returns the explanation with a name: Keyway's, or the name of Apple's constant with or without its prefix, such as
    /// `AVErrorContentIsNotAuthorized` and `contentIsNotAuthorized`. Case is ignored.
    public static func explanation(named name: String) -> PlatformErrorExplanation? { byName[name.lowercased()] }

    /// Returns the code of an error and its underlying errors that says the most: the innermost one that the catalog
    /// explains.
    ///
    /// -11800 only refers to its underlying error, so it is chosen only if there is no underlying error.
    ///
    /// - Parameter chain: The error and its underlying errors, outermost first.
    public static func mostSpecific(of chain: [PlatformErrorCode]) -> PlatformErrorCode? {
        chain.last { $0.number != unspecified && explanation(of: $0) != nil } ?? chain.last
    }

    /// AVFoundation's number of an error whose underlying error describes the problem.
    private static let unspecified: Int32 = -11800

    private static let byNumber: [Int32: [PlatformErrorExplanation]] = Dictionary(
        grouping: all.filter { $0.number != nil },
        by: { $0.number ?? 0 }
    )

    private static let byName: [String: PlatformErrorExplanation] = {
        var names: [String: PlatformErrorExplanation] = [:]
        for explanation in all {
            names[explanation.name] = explanation
            guard let constant = explanation.constant?.lowercased() else { continue }
            names[constant] = explanation
            for prefix in ["averror", "nsurlerror", "ns"] where constant.hasPrefix(prefix) {
                names[String(constant.dropFirst(prefix.count))] = explanation
            }
        }
        // These are words of every log.
        for word in ["unknown", "cancelled"] { names[word] = nil }
        return names
    }()
}

extension [PlatformErrorDomain] {
    fileprivate func isDisjoint(with others: [PlatformErrorDomain]) -> Bool { !contains { others.contains($0) } }
}
