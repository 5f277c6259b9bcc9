public import ContentKeySession
public import HLSPlaylist

/// A key that a download needs, as specified by an EXT-X-KEY or EXT-X-SESSION-KEY tag.
public struct DownloadKey: Sendable, Hashable {
    /// The identifier for a content key session: the URI as in the playlist if it is an identifier (`skd://…`), or the
    /// absolute URL of the key (KEYFORMAT `identity`), or the name of a key that the playlist contained as `data:` URI.
    public let identifier: String
    /// The tag. The local playlists contain the same tag, except that a relative URI with KEYFORMAT `identity` is
    /// replaced by the absolute one: ``identifier``.
    public let tag: KeyTag
    /// The key of a `data:` URI, 16 bytes, which must be stored now because it is not in the local playlists; other
    /// lengths mean that the URI is malformed. Nil for other keys, and if the server's playlists were not loaded because
    /// the download was resumed.
    public internal(set) var inlineKey: RedactedBytes?

    /// Creates a key.
    public init(identifier: String, tag: KeyTag, inlineKey: RedactedBytes? = nil) {
        (self.identifier, self.tag, self.inlineKey) = (identifier, tag, inlineKey)
    }

    /// Returns whether both are the same key, which its identifier and tag specify.
    public static func == (left: DownloadKey, right: DownloadKey) -> Bool {
        left.identifier == right.identifier && left.tag == right.tag
    }

    /// Hashes the identifier and the tag.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
        hasher.combine(tag)
    }
}

/// A source of a download's keys, and a check that they work offline.
///
///     acquire ──> segments ──> checksums ──> verify ──> complete
///
/// Keys are acquired first, because media that the account is not allowed to watch is not worth downloading. They are
/// verified last: a bundle is complete only if it has been shown to play with locally stored data alone.
public protocol DownloadKeys: Sendable {
    /// Acquires keys and stores them, before any segment is downloaded. A key that is already stored and still valid is
    /// not requested again: a resumed download calls this again.
    ///
    /// If several tags specify the same key, one for each key format, all of them are passed; one usable tag is enough.
    ///
    /// - Parameters:
    ///   - keys: The keys, without duplicates, in the order in which they are needed, grouped by the content that they
    ///     decrypt: one tag of each group is enough. Never empty.
    ///   - title: The title under which the keys are stored: ``BundleDescription/title``, unique in a
    ///     ``BundleLibrary``.
    /// - Throws: ``DownloadKeysError``. The download stops and can be resumed.
    func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError)

    /// Verifies that a bundle can be played offline: that the first segments of each variant and rendition can be
    /// decrypted with stored keys. All media files are complete and verified.
    ///
    /// - Throws: ``DownloadKeysError``. The bundle stays unverified; resuming the download verifies it again.
    func verify(_ bundle: AssetBundle) async throws(DownloadKeysError)
}

/// An error of acquiring keys, or of decrypting the downloaded media with them.
public struct DownloadKeysError: Error, Hashable, CustomStringConvertible {
    /// The stable name of the error, such as `persistence-not-allowed`.
    public let code: String
    /// The identifier of the key (``DownloadKey/identifier``), or a file in the bundle. Never a key.
    public let place: String
    /// A description of the error and what to do about it.
    public let reason: String

    /// Creates an error.
    public init(code: String, place: String, reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// The location, the reason and the code, on one line.
    public var description: String { "\(place): \(reason) (\(code))" }
}
