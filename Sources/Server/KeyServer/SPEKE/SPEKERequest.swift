import DRMSignaling
import KeyStore

/// A key request of an encoder: a CPIX document that conforms to SPEKE v2.0.
///
///     CPIX @contentId @version            2.3
///     ContentKey @commonEncryptionScheme  required, and the same for all keys: cbcs or cenc
///     ContentKeyUsageRule                 at least one for each key, with the same intendedTrackType in all rules of a
///                                         key, and a VideoFilter or an AudioFilter
///     @intendedTrackType ALL              alone in the document, with a VideoFilter and an AudioFilter without attributes
///     KeyPeriodFilter                     at most one per key, of a period in the document with index or start and end
///     DRMSystem                           at least one; only for keys in the document; FairPlay only with cbcs
///
/// Source: AWS, SPEKE API specification, "Standard payload components" and "Encryption contract" of v2.
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
    init(_ document: CPIXDocument) throws(ProblemDocument) {
        guard let contentID = document.contentID, !contentID.isEmpty else {
            throw Self.refusal("content-id", "Missing CPIX@contentId.")
        }
        guard let version = document.declaredVersion else {
            throw Self.refusal("cpix-version", "Missing CPIX@version.")
        }
        guard version == CPIXDocument.version else {
            throw Self.refusal("cpix-version", "Unsupported CPIX@version: it must be \(CPIXDocument.version).")
        }
        guard (1...Self.keyLimit).contains(document.contentKeys.count) else {
            throw Self.refusal("content-keys", "A request must have 1 to \(Self.keyLimit) keys.")
        }
        self.document = document
        title = SPEKENames.title(ofContentID: contentID)
        scheme = try Self.scheme(document)
        let rules = Dictionary(grouping: document.usageRules, by: \.keyID)
        let periods = Dictionary(document.periods.map { ($0.id, $0) }) { first, _ in first }
        var keys: [Key] = []
        for key in document.contentKeys { keys.append(try Self.key(key, rules[key.keyID] ?? [], periods)) }
        self.keys = keys
        let known = Set(keys.map(\.keyID))
        guard rules.keys.allSatisfy(known.contains) else {
            throw Self.refusal("usage-rule", "A ContentKeyUsageRule has a KID without a ContentKey.")
        }
        for rule in document.usageRules { try Self.checkFilters(rule) }
        let types = Set(document.usageRules.compactMap(\.intendedTrackType))
        guard !types.contains(Self.allTracks) || types.count == 1 else {
            throw Self.refusal(
                "intended-track-type",
                "ContentKeyUsageRule@intendedTrackType ALL must be the only one in the document."
            )
        }
        guard !document.systems.isEmpty else {
            throw Self.refusal("drm-system", "Missing DRMSystemList, or it has no DRMSystem.")
        }
        guard document.systems.allSatisfy({ known.contains($0.keyID) }) else {
            throw Self.refusal("drm-system", "A DRMSystem has a KID without a ContentKey.")
        }
    }

    /// The track type of a key for all audio and video.
    private static let allTracks = "ALL"

    private static func checkFilters(_ rule: CPIXDocument.UsageRule) throws(ProblemDocument) {
        let uuid = rule.keyID.uuid
        guard !rule.videoFilters.isEmpty || !rule.audioFilters.isEmpty else {
            throw refusal(
                "usage-rule",
                "The ContentKeyUsageRule of KID \(uuid) has neither VideoFilter nor AudioFilter."
            )
        }
        guard rule.intendedTrackType == allTracks else { return }
        guard rule.videoFilters == [.init()], rule.audioFilters == [.init()] else {
            throw refusal(
                "usage-rule",
                "The ContentKeyUsageRule ALL must have one VideoFilter and one AudioFilter, without attributes."
            )
        }
    }

    private static func refusal(_ reason: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(.unacceptableCPIX, detail: detail, reason: reason)
    }

    private static func scheme(_ document: CPIXDocument) throws(ProblemDocument) -> CommonEncryptionScheme {
        if let key = document.contentKeys.first(where: { $0.scheme == nil }) {
            throw refusal(
                "encryption-scheme",
                "Missing ContentKey@commonEncryptionScheme for KID \(key.keyID.uuid)."
            )
        }
        let names = Set(document.contentKeys.compactMap(\.scheme))
        guard names.count == 1, let name = names.first else {
            throw refusal("encryption-scheme", "Non compliant ContentKey@commonEncryptionScheme combination.")
        }
        guard let scheme = [CommonEncryptionScheme.cbcs, .cenc].first(where: { $0.description == name }) else {
            throw refusal(
                "encryption-scheme",
                "Unsupported ContentKey@commonEncryptionScheme: it must be cbcs or cenc."
            )
        }
        return scheme
    }

    private static func key(
        _ key: CPIXDocument.ContentKey,
        _ rules: [CPIXDocument.UsageRule],
        _ periods: [String: CPIXDocument.KeyPeriod]
    ) throws(ProblemDocument) -> Key {
        let uuid = key.keyID.uuid
        guard key.value == nil else {
            throw refusal("content-keys", "ContentKey for KID \(uuid) contains a key; the server creates the keys.")
        }
        let types = Set(rules.map(\.intendedTrackType))
        guard types.count == 1, let type = types.first ?? nil, !type.isEmpty else {
            throw refusal(
                "intended-track-type",
                "KID \(uuid) has no ContentKeyUsageRule@intendedTrackType, or different ones."
            )
        }
        let ids = Set(rules.flatMap(\.periodIDs))
        guard ids.count <= 1 else { throw refusal("key-period", "KID \(uuid) has more than one key period.") }
        var period: CPIXDocument.KeyPeriod?
        if let id = ids.first {
            guard let found = periods[id] else {
                throw refusal("key-period", "A KeyPeriodFilter of KID \(uuid) refers to a missing ContentKeyPeriod.")
            }
            guard found.index != nil || found.start != nil else {
                throw refusal("key-period", "The ContentKeyPeriod of KID \(uuid) has neither index nor start.")
            }
            if let start = found.start, let end = found.end, end <= start {
                throw refusal("key-period", "The ContentKeyPeriod of KID \(uuid) ends before it starts.")
            }
            period = found
        }
        return Key(
            keyID: key.keyID,
            explicitIV: key.explicitIV,
            track: SPEKENames.track(ofType: type),
            kind: SPEKENames.kind(ofType: type),
            validFrom: period?.start,
            validUntil: period?.end
        )
    }
}
