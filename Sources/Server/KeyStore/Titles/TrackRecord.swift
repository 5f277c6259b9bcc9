import FPSCrypto

/// A track of a title: the media that one key at a time decrypts.
package struct TrackRecord: Sendable, Equatable {
    /// The name of the title.
    package let title: String
    /// The track's name within the title: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// The kind of media that the track's keys decrypt.
    package let kind: ContentTrack
    /// The stream ID of Offline Key TLLVs, 16 bytes.
    package let streamID: [UInt8]
    /// The name of a policy that applies to all keys of the track in addition to the title's policy, or nil.
    package let policyName: String?

    /// Creates a record.
    ///
    /// - Parameter streamID: 16 bytes, or nil for ``defaultStreamID(title:track:)``.
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field is out of bounds.
    package init(
        title: String,
        name: String,
        kind: ContentTrack,
        streamID: [UInt8]? = nil,
        policyName: String? = nil
    ) throws(KeyStoreError) {
        try requireName(title, in: "track, title")
        try requireName(name, in: "track of \(title)")
        let streamID = streamID ?? Self.defaultStreamID(title: title, track: name)
        try requireCount(streamID, 16...16, "stream ID", in: "track \(title)/\(name)")
        if let policyName { try requireName(policyName, in: "track \(title)/\(name), policy") }
        self.title = title
        self.name = name
        self.kind = kind
        self.streamID = streamID
        self.policyName = policyName
    }

    /// Returns the default stream ID: the first 16 bytes of the SHA-256 of `title/track`. Names contain no slash, so no
    /// two tracks have the same ID.
    package static func defaultStreamID(title: String, track: String) -> [UInt8] {
        Array(SHA256.hash(Array("\(title)/\(track)".utf8)).prefix(16))
    }

    /// The description of the row for error messages.
    package var place: String { "track \(title)/\(name)" }
}
