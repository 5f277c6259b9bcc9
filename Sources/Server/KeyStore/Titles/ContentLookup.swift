/// A content key with its title and track: all content data that a license request needs.
package struct ContentLookup: Sendable {
    /// The key.
    package let record: ContentRecord
    /// The title of a key period; nil for a separate key.
    package let title: TitleRecord?
    /// The track of a key period; nil for a separate key.
    package let track: TrackRecord?
    /// The policies that apply to the key, read in the same transaction: those of the title, the track and the key. If
    /// there are none, the policy named ``defaultPolicy``, if it exists. They are merged by the strictest value per
    /// field.
    package let policies: [PolicyRecord]
    /// The number of changes of content, titles, tracks and policies when the key was read. The lookup is current as
    /// long as the store's number is the same.
    package let catalogVersion: Int64

    /// Creates a lookup.
    ///
    /// - Parameter policy: Returns the policy with a name.
    /// - Throws: The errors of `policy`, and ``KeyStoreError/Code/missingReference`` if a policy does not exist.
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

    /// The name of the policy for content without policies of its own, its title or its track.
    package static let defaultPolicy = "default"

    /// Returns the names of the policies that apply.
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

    /// The kind of media that the key decrypts: the track's, if the key has a track.
    package var kind: ContentTrack { track?.kind ?? record.info.track }

    /// The stream ID of an Offline Key TLLV, 16 bytes: the track's, or that of a separate key.
    package var streamID: [UInt8]? { track?.streamID ?? record.info.streamID }

    /// The title ID of an Offline Key TLLV, 16 bytes: the title's, or that of a separate key.
    package var titleID: [UInt8]? { title?.titleID ?? record.info.titleID }
}

extension ContentInfo {
    /// Checks the fields of a key period.
    func checkPeriod() throws(KeyStoreError) {
        func reject(_ reason: String) throws(KeyStoreError) {
            throw KeyStoreError(.invalidRecord, place: place, reason: reason)
        }
        if let titleName { try requireName(titleName, in: "\(place), title") }
        if let trackName { try requireName(trackName, in: "\(place), track") }
        if (titleName == nil) != (trackName == nil) { try reject("a key period requires a title and a track") }
        if titleName != nil {
            if keyID == nil { try reject("a key period requires a key ID") }
            if streamID != nil || titleID != nil {
                try reject("a key period has no stream ID or title ID; set them in its track and title")
            }
        }
        if validFrom ?? 0 < 0 || validUntil ?? 0 < 0 { try reject("a time is before 1970") }
        if let validFrom, let validUntil, validUntil <= validFrom {
            try reject("the end of validity is not later than its start")
        }
    }
}
