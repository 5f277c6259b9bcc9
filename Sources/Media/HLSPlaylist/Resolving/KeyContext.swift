/// The keys that apply at one position of a Media Playlist: an EXT-X-KEY tag for each key format (section 4.4.4.4). All
/// of them provide the same key; a client uses the first one whose key format it supports.
public struct KeyContext: Hashable, Sendable {
    /// The tags, in the order of the playlist. Empty without encryption.
    public private(set) var keys: [KeyTag] = []

    /// Creates a context without encryption.
    public init() {}

    /// True if segments at this position are encrypted.
    public var isEncrypted: Bool { !keys.isEmpty }

    /// The tag with a key format; nil when there is none.
    public subscript(keyFormat: KeyFormat) -> KeyTag? { keys.first { $0.keyFormat == keyFormat } }

    /// Applies the next EXT-X-KEY tag. A tag with METHOD=NONE removes all keys. Any other tag replaces the tag of the
    /// same key format.
    public mutating func apply(_ key: KeyTag) {
        if key.method == .none {
            keys = []
        } else if let index = keys.firstIndex(where: { $0.keyFormat == key.keyFormat }) {
            // The new tag is appended, so that the order is the same as in a playlist that starts here.
            keys.remove(at: index)
            keys.append(key)
        } else {
            keys.append(key)
        }
    }
}

extension KeyTag {
    /// Returns the initialization vector of a Media Segment, if the playlist specifies it (section 5.2).
    ///
    /// - Parameter mediaSequenceNumber: The Media Sequence Number of the segment.
    /// - Returns: The IV attribute. Without the attribute, the Media Sequence Number if the key format is `identity`
    ///   and the method AES-128 or SAMPLE-AES; otherwise nil. For FairPlay, nil even if the playlist incorrectly has an
    ///   IV, because the CKC contains the vector.
    public func initializationVector(mediaSequenceNumber: UInt64) -> InitializationVector? {
        if keyFormat == .fairPlay || method == .none || method == .aes256GCM || method == .sampleAESCTR { return nil }
        if let iv { return iv }
        return keyFormat == .identity ? InitializationVector(mediaSequenceNumber: mediaSequenceNumber) : nil
    }
}
