/// The keys that apply at one place of a Media Playlist: an EXT-X-KEY tag for each key format (section 4.4.4.4). All of
/// them yield the same key; a client takes the first whose key format it knows.
public struct KeyContext: Hashable, Sendable {
    /// The tags, in the order of the playlist. Empty when nothing is encrypted.
    public private(set) var keys: [KeyTag] = []

    /// Nothing is encrypted.
    public init() {}

    /// Whether the segments here are encrypted.
    public var isEncrypted: Bool { !keys.isEmpty }

    /// The tag of a key format.
    public subscript(keyFormat: KeyFormat) -> KeyTag? { keys.first { $0.keyFormat == keyFormat } }

    /// Takes the next EXT-X-KEY tag: one with the method NONE ends all, another replaces that of its key format.
    public mutating func apply(_ key: KeyTag) {
        if key.method == .none {
            keys = []
        } else if let index = keys.firstIndex(where: { $0.keyFormat == key.keyFormat }) {
            // The later tag stands later, as it would in a playlist that begins here.
            keys.remove(at: index)
            keys.append(key)
        } else {
            keys.append(key)
        }
    }
}

extension KeyTag {
    /// The initialization vector with which a media segment is encrypted, as far as the playlist says (section 5.2).
    ///
    /// - Parameter mediaSequenceNumber: That of the segment.
    /// - Returns: The IV attribute; without one, the media sequence number if the key format is `identity` and the
    ///   method AES-128 or SAMPLE-AES; otherwise nil. With FairPlay the vector comes with the key, even if the playlist
    ///   wrongly gives one.
    public func initializationVector(mediaSequenceNumber: UInt64) -> InitializationVector? {
        if keyFormat == .fairPlay || method == .none || method == .aes256GCM || method == .sampleAESCTR { return nil }
        if let iv { return iv }
        return keyFormat == .identity ? InitializationVector(mediaSequenceNumber: mediaSequenceNumber) : nil
    }
}
