import DRMSignaling
import KeyStore

/// A key request of an encoder: a CPIX document that conforms to SPEKE v2.0 or v2.1.
///
///     CPIX @contentId @version            2.3 with SPEKE v2.0, 2.4 with v2.1
///     ContentKey @commonEncryptionScheme  required, and the same for all keys: cbcs or cenc; with v2.1 also SAMPLE-AES and
///                                         SAMPLE-AES-CTR
///     ContentKeyUsageRule                 one for each key
///     @intendedTrackType                  required, and used once in each key period
///     VideoFilter, AudioFilter            as many in a rule as its track type has parts, which + separates
///     @intendedTrackType ALL              alone in its key period, with a VideoFilter and an AudioFilter without attributes
///     KeyPeriodFilter                     one for each key if there are key periods, otherwise none
///     ContentKeyPeriod                    an index, or an interval; see ``checkInterval(of:)``
///     DRMSystem                           at least one; for a key in the document, and a system once for each key;
///                                         FairPlay only with cbcs
///
/// Source: AWS, SPEKE API specification v2.0 and v2.1, "Standard payload components" and "Encryption contract".
struct SPEKERequest: Sendable {
    /// A requested key.
    struct Key: Sendable {
        let keyID: ContentKeyID
        /// The initialization vector that the encoder requests, 16 bytes.
        let explicitIV: [UInt8]?
        /// The name of the track.
        let track: String
        /// The kind of track, if the track type determines it.
        let kind: ContentTrack?
        /// The start of the key period; nil if there is no period, or if it has only an index.
        let validFrom: Int64?
        let validUntil: Int64?
    }

    /// The maximum number of keys in a request.
    static let keyLimit = 500
    /// The maximum size of a document, in bytes.
    static let sizeLimit = 1 << 20

    /// The unchanged document.
    let document: CPIXDocument
    /// The name of the title.
    let title: String
    /// The encryption scheme of the media.
    let scheme: CommonEncryptionScheme
    /// The keys in the order of the document.
    let keys: [Key]

    /// Checks a document.
    ///
    /// - Throws: ``ProblemDocument`` with `unacceptable-cpix` and a stable reason.
    init(_ document: CPIXDocument, _ spekeVersion: SPEKEVersion) throws(ProblemDocument) {
        guard let contentID = document.contentID, !contentID.isEmpty else {
            throw Self.refusal("content-id", "Missing CPIX@contentId.")
        }
        guard let version = document.declaredVersion else {
            throw Self.refusal("cpix-version", "Missing CPIX@version.")
        }
        guard version == spekeVersion.document.rawValue else {
            throw Self.refusal(
                "cpix-version",
                "Unsupported CPIX@version: it must be \(spekeVersion.document.rawValue) with SPEKE \(spekeVersion.rawValue)."
            )
        }
        guard (1...Self.keyLimit).contains(document.contentKeys.count) else {
            throw Self.refusal("content-keys", "A request must have 1 to \(Self.keyLimit) keys.")
        }
        self.document = document
        title = SPEKENames.title(ofContentID: contentID)
        scheme = try Self.scheme(document, spekeVersion)
        let rules = Dictionary(grouping: document.usageRules, by: \.keyID)
        let periods = Dictionary(document.periods.map { ($0.id, $0) }) { first, _ in first }
        for period in document.periods { try Self.checkInterval(of: period) }
        var keys: [Key] = []
        for key in document.contentKeys { keys.append(try Self.key(key, rules[key.keyID] ?? [], periods)) }
        self.keys = keys
        let keyIDs = Set(keys.map(\.keyID))
        try Self.checkRules(document, keyIDs)
        try Self.checkSystems(document, keyIDs)
    }
}
