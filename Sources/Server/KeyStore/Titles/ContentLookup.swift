/// A content key with the title and the track that it belongs to: all that a license needs to know of content.
package struct ContentLookup: Sendable {
    /// The key.
    package let record: ContentRecord
    /// The title of a key period; nil for a key that stands alone.
    package let title: TitleRecord?
    /// The track of a key period; nil for a key that stands alone.
    package let track: TrackRecord?
    /// The policies that govern the key, as of the same moment: the title's, the track's, its own, as far as there are any,
    /// otherwise the one called ``defaultPolicy``; empty where that is not there either. They are merged by the strictest
    /// value per field.
    package let policies: [PolicyRecord]
    /// How often content, titles, tracks and policies had been changed when this was read. As long as the store's number is
    /// the same, all of this still holds.
    package let catalogVersion: Int64

    /// Puts a key beside its title and track.
    ///
    /// - Parameter policy: finds a policy by its name.
    /// - Throws: what `policy` throws, and ``KeyStoreError/Code/missingReference`` where it finds none.
    package init(
        record: ContentRecord,
        title: TitleRecord?,
        track: TrackRecord?,
        catalogVersion: Int64,
        policy: (String) throws(KeyStoreError) -> PolicyRecord?
    ) throws(KeyStoreError) {
        self.record = record
        self.title = title
        self.track = track
        self.catalogVersion = catalogVersion
        var policies: [PolicyRecord] = []
        for name in Self.policyNames(governing: record.info, title, track) {
            if let found = try policy(name) {
                policies.append(found)
            } else if name != Self.defaultPolicy {
                throw KeyStoreError.noPolicy(name, record.info.place)
            }
        }
        self.policies = policies
    }

    /// The name of the policy for content that names none, neither itself nor by title and track.
    package static let defaultPolicy = "default"

    /// The names of the policies to look for.
    package static func policyNames(
        governing info: ContentInfo,
        _ title: TitleRecord?,
        _ track: TrackRecord?
    ) -> [String] {
        var names: [String] = []
        for case let name? in [title?.policyName, track?.policyName, info.policyName] where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty ? [defaultPolicy] : names
    }

    /// What the key decrypts, by its track where it has one.
    package var kind: ContentTrack { track?.kind ?? record.info.track }

    /// The stream ID of an Offline Key TLLV, 16 bytes: the track's, or the key's own where it stands alone.
    package var streamID: [UInt8]? { track?.streamID ?? record.info.streamID }

    /// The title ID of an Offline Key TLLV, 16 bytes: the title's, or the key's own where it stands alone.
    package var titleID: [UInt8]? { title?.titleID ?? record.info.titleID }
}

extension ContentInfo {
    /// Holds what makes a key period one.
    func checkPeriod() throws(KeyStoreError) {
        func refuse(_ reason: String) throws(KeyStoreError) {
            throw KeyStoreError(.invalidRecord, place: place, reason: reason)
        }
        if let titleName { try requireName(titleName, in: "\(place), title") }
        if let trackName { try requireName(trackName, in: "\(place), track") }
        if (titleName == nil) != (trackName == nil) { try refuse("a key period has a title and a track") }
        if titleName != nil {
            if keyID == nil { try refuse("a key period has a key ID") }
            if streamID != nil || titleID != nil { try refuse("stream ID and title ID belong to track and title") }
        }
        if validFrom ?? 0 < 0 || validUntil ?? 0 < 0 { try refuse("the key would be valid before 1970") }
        if let validFrom, let validUntil, validUntil <= validFrom {
            try refuse("the key would not be valid before it is no longer")
        }
    }
}
