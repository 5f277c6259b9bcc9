import DRMSignaling
import KeyStore

/// What an encoder asks for: a CPIX document that keeps the rules of SPEKE v2.0.
///
///     CPIX @contentId @version            2.3
///     ContentKey @commonEncryptionScheme  on each, and one for all: cbcs or cenc
///     ContentKeyUsageRule                 at least one for each key, with an intendedTrackType, the same in all of a key's
///     KeyPeriodFilter                     at most one for a key, of a period that is there, with index or start and end
///     DRMSystem                           of keys that are there; FairPlay with cbcs alone
struct SPEKEQuestion: Sendable {
    /// A key that is asked for.
    struct Key: Sendable {
        let keyID: ContentKeyID
        /// What the encoder would have as its initialization vector, 16 bytes.
        let explicitIV: [UInt8]?
        /// The name of the track.
        let track: String
        /// What the track has, where its type says so.
        let kind: ContentTrack?
        /// When the key is used; nil: always, or a period that has a number alone.
        let validFrom: Int64?
        let validUntil: Int64?
    }

    /// As many keys as one request may ask for: they are stored in one transaction.
    static let keyLimit = 500
    /// As many bytes as its document may have.
    static let sizeLimit = 1 << 20

    /// As it came.
    let document: CPIXDocument
    /// The name of the title.
    let title: String
    /// How media are encrypted.
    let scheme: CommonEncryptionScheme
    /// In the document's order.
    let keys: [Key]

    /// Holds a document against the rules.
    ///
    /// - Throws: ``ProblemDocument`` with `unacceptable-cpix`, and a reason that is stable.
    init(_ document: CPIXDocument) throws(ProblemDocument) {
        guard let contentID = document.contentID, !contentID.isEmpty else {
            throw Self.refusal("content-id", "Missing CPIX@contentId.")
        }
        guard let version = document.declaredVersion else {
            throw Self.refusal("cpix-version", "Missing CPIX@version.")
        }
        guard version == CPIXDocument.version else {
            throw Self.refusal("cpix-version", "Unsupported CPIX@version: \(CPIXDocument.version) is served.")
        }
        guard (1...Self.keyLimit).contains(document.contentKeys.count) else {
            throw Self.refusal("content-keys", "A request asks for 1 to \(Self.keyLimit) keys.")
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
            throw Self.refusal("usage-rule", "A ContentKeyUsageRule is for a KID that no ContentKey has.")
        }
        guard document.systems.allSatisfy({ known.contains($0.keyID) }) else {
            throw Self.refusal("drm-system", "A DRMSystem is for a KID that no ContentKey has.")
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
                "Unsupported ContentKey@commonEncryptionScheme: cbcs and cenc are served."
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
            throw refusal("content-keys", "ContentKey for KID \(uuid) has a key in it: keys are made here.")
        }
        let types = Set(rules.map(\.intendedTrackType))
        guard types.count == 1, let type = types.first ?? nil, !type.isEmpty else {
            throw refusal(
                "intended-track-type",
                "KID \(uuid) has no ContentKeyUsageRule@intendedTrackType, or several."
            )
        }
        let ids = Set(rules.flatMap(\.periodIDs))
        guard ids.count <= 1 else { throw refusal("key-period", "KID \(uuid) is for several key periods.") }
        var period: CPIXDocument.KeyPeriod?
        if let id = ids.first {
            guard let found = periods[id] else {
                throw refusal("key-period", "A KeyPeriodFilter of KID \(uuid) names no ContentKeyPeriod.")
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
