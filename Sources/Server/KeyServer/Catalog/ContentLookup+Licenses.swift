import KeyServerModule
import KeyStore

// The catalog's content as the Key Server Module needs it.

extension ContentLookup {
    /// Checks the validity of a key period. Before its start and after its end there is no key, except for the times
    /// that the policy allows.
    func requireValid(at now: Int64, under policy: LicensePolicy) throws(ProblemDocument) {
        let info = record.info
        if let from = info.validFrom, now + Int64(policy.preload?.rawValue ?? 0) < from {
            throw ProblemDocument(.refusedByPolicy, detail: "The key is not valid yet.", reason: "key-not-valid")
        }
        if let until = info.validUntil, now - Int64(policy.catchUp?.rawValue ?? 0) >= until {
            throw ProblemDocument(.refusedByPolicy, detail: "The key is no longer valid.", reason: "key-not-valid")
        }
    }
}

extension Content {
    /// Creates the content with its key and its IDs.
    init(_ lookup: ContentLookup) throws(KeyStoreError) {
        // The store checks on reading and writing that both have 16 bytes, so neither is nil.
        guard let key = LicensedKey(key: lookup.record.contentKey, iv: lookup.record.iv),
            let content = Content(
                key: key,
                track: TrackKind(lookup.kind),
                streamID: lookup.streamID,
                titleID: lookup.titleID,
                assetID: lookup.record.info.assetID
            )
        else { throw KeyStoreError(.corrupt, place: "content", reason: "the key, IV or ID is not 16 bytes") }
        self = content
    }
}

extension TrackKind {
    init(_ track: ContentTrack) {
        switch track {
        case .audio: self = .audio
        case .video, .sd, .hd, .uhd: self = .video
        case .unspecified: self = .unspecified
        }
    }
}
