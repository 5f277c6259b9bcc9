import FPSCrypto

/// A track of a title: what one key at a time decrypts.
package struct TrackRecord: Sendable, Equatable {
    /// The title that it belongs to.
    package let title: String
    /// Its name within the title: 1 to 100 ASCII letters, digits, dots, hyphens and underscores.
    package let name: String
    /// What the track's keys decrypt.
    package let kind: ContentTrack
    /// The stream ID of Offline Key TLLVs, 16 bytes.
    package let streamID: [UInt8]
    /// A policy for all of the track's keys, beside the title's; nil when it has none.
    package let policyName: String?

    /// Makes a record.
    ///
    /// - Parameter streamID: 16 bytes; nil for ``defaultStreamID(title:track:)``.
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field is out of bounds.
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

    /// The stream ID of a track that is given no other: the first 16 bytes of SHA-256 over `title/track`. No name holds
    /// a slash, so that no two tracks share it.
    package static func defaultStreamID(title: String, track: String) -> [UInt8] {
        Array(SHA256.hash(Array("\(title)/\(track)".utf8)).prefix(16))
    }

    /// The row in words, for errors.
    package var place: String { "track \(title)/\(name)" }
}
