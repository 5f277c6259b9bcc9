import DRMSignaling
import KeyStore

/// The rules of SPEKE for the parts of a document. Messages that AWS's documentation specifies have its words.
extension SPEKERequest {
    /// The track type of a key for all audio and video.
    private static let allTracks = "ALL"

    static func refusal(_ reason: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(.unacceptableCPIX, detail: detail, reason: reason)
    }

    /// Returns the encryption scheme of all keys.
    static func scheme(
        _ document: CPIXDocument,
        _ version: SPEKEVersion
    ) throws(ProblemDocument) -> CommonEncryptionScheme {
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
        switch (name, version) {
        case ("cbcs", _), ("SAMPLE-AES", .v2_1): return .cbcs
        case ("cenc", _), ("SAMPLE-AES-CTR", .v2_1): return .cenc
        default:
            throw refusal(
                "encryption-scheme",
                "Unsupported ContentKey@commonEncryptionScheme: it must be cbcs or cenc."
            )
        }
    }

    /// Checks that the usage rules refer to keys, and that each key period has a track type only once.
    static func checkRules(_ document: CPIXDocument, _ keyIDs: Set<ContentKeyID>) throws(ProblemDocument) {
        guard document.usageRules.allSatisfy({ keyIDs.contains($0.keyID) }) else {
            throw refusal("usage-rule", "A ContentKeyUsageRule has a KID without a ContentKey.")
        }
        var types: [String?: Set<String>] = [:]
        for rule in document.usageRules {
            try checkFilters(rule)
            guard let type = rule.intendedTrackType else { continue }
            guard types[rule.periodIDs.first, default: []].insert(type).inserted else {
                throw refusal(
                    "intended-track-type",
                    "The ContentKeyUsageRule of KID \(rule.keyID.uuid) has an intendedTrackType that another rule of "
                        + "the same key period has."
                )
            }
        }
        guard types.values.allSatisfy({ !$0.contains(allTracks) || $0.count == 1 }) else {
            throw refusal(
                "intended-track-type",
                "ContentKeyUsageRule@intendedTrackType ALL must be the only one of its key period."
            )
        }
    }

    private static func checkFilters(_ rule: CPIXDocument.UsageRule) throws(ProblemDocument) {
        let uuid = rule.keyID.uuid
        let count = rule.videoFilters.count + rule.audioFilters.count
        guard count > 0 else {
            throw refusal(
                "usage-rule",
                "The ContentKeyUsageRule of KID \(uuid) has neither VideoFilter nor AudioFilter."
            )
        }
        guard rule.intendedTrackType == allTracks else {
            let parts = rule.intendedTrackType?.split(separator: "+", omittingEmptySubsequences: false).count ?? 1
            guard count == parts else {
                throw refusal(
                    "usage-rule",
                    "The ContentKeyUsageRule of KID \(uuid) must have one VideoFilter or AudioFilter for each part of "
                        + "its intendedTrackType."
                )
            }
            return
        }
        guard rule.videoFilters == [.init()], rule.audioFilters == [.init()] else {
            throw refusal(
                "usage-rule",
                "The ContentKeyUsageRule ALL must have one VideoFilter and one AudioFilter, without attributes."
            )
        }
    }

    /// Checks that DRM systems are requested, only for keys in the document, and each once for a key.
    static func checkSystems(_ document: CPIXDocument, _ keyIDs: Set<ContentKeyID>) throws(ProblemDocument) {
        guard !document.systems.isEmpty else {
            throw refusal("drm-system", "Missing DRMSystemList, or it has no DRMSystem.")
        }
        guard document.systems.allSatisfy({ keyIDs.contains($0.keyID) }) else {
            throw refusal("drm-system", "A DRMSystem has a KID without a ContentKey.")
        }
        var found: [ContentKeyID: Set<SystemID>] = [:]
        for system in document.systems where !found[system.keyID, default: []].insert(system.systemID).inserted {
            throw refusal("drm-system", "There are two DRMSystem elements of a system for KID \(system.keyID.uuid).")
        }
    }

    /// Checks that a key period has an index or an interval (CPIX 2.4, ContentKeyPeriod). A start without an end is
    /// accepted: the key is then valid from the start.
    static func checkInterval(of period: CPIXDocument.KeyPeriod) throws(ProblemDocument) {
        let (start, end) = (period.start, period.end)
        let (offset, endOffset, duration) = (period.startOffset, period.endOffset, period.duration)
        let isInterval = start != nil || (offset != nil && (endOffset != nil || duration != nil))
        guard period.index != nil || isInterval else {
            throw refusal(
                "key-period",
                "A ContentKeyPeriod has neither index nor start, nor startOffset with endOffset or duration."
            )
        }
        guard (end == nil || start != nil) && (endOffset == nil || offset != nil) else {
            throw refusal("key-period", "A ContentKeyPeriod has an end without a start.")
        }
        guard duration == nil || (end == nil && endOffset == nil) else {
            throw refusal("key-period", "A ContentKeyPeriod has both an end and a duration.")
        }
        if let start, let end = period.endTime, end <= start {
            throw refusal("key-period", "A ContentKeyPeriod ends before it starts.")
        }
        if let offset, let endOffset, endOffset <= offset {
            throw refusal("key-period", "A ContentKeyPeriod ends before it starts.")
        }
    }

    /// Returns a requested key.
    static func key(
        _ key: CPIXDocument.ContentKey,
        _ rules: [CPIXDocument.UsageRule],
        _ periods: [String: CPIXDocument.KeyPeriod]
    ) throws(ProblemDocument) -> Key {
        let uuid = key.keyID.uuid
        guard key.value == nil else {
            throw refusal("content-keys", "ContentKey for KID \(uuid) contains a key; the server creates the keys.")
        }
        guard let rule = rules.first, rules.count == 1, let type = rule.intendedTrackType, !type.isEmpty else {
            throw refusal(
                "intended-track-type",
                "KID \(uuid) must have one ContentKeyUsageRule with an intendedTrackType."
            )
        }
        guard rule.periodIDs.count <= 1 else {
            throw refusal("key-period", "KID \(uuid) has more than one key period.")
        }
        guard !rule.periodIDs.isEmpty || periods.isEmpty else {
            throw refusal("key-period", "KID \(uuid) has no KeyPeriodFilter, but the document has key periods.")
        }
        let period = rule.periodIDs.first.flatMap { periods[$0] }
        guard rule.periodIDs.isEmpty || period != nil else {
            throw refusal("key-period", "A KeyPeriodFilter of KID \(uuid) refers to a missing ContentKeyPeriod.")
        }
        return Key(
            keyID: key.keyID,
            explicitIV: key.explicitIV,
            track: SPEKENames.track(ofType: type),
            kind: SPEKENames.kind(ofType: type),
            validFrom: period?.start,
            validUntil: period?.endTime
        )
    }
}
