public import HLSPlaylist

/// A key that a download needs, as one EXT-X-KEY or EXT-X-SESSION-KEY tag names it.
public struct DownloadKey: Sendable, Hashable {
    /// What a content key session knows it by: the URI as it stands in the playlist where that is a name (`skd://…`), the
    /// absolute URL where the key lies there (KEYFORMAT `identity`).
    public let identifier: String
    /// The tag. In the local playlists it is the same, but for a relative URI of KEYFORMAT `identity`, which is absolute
    /// there: ``identifier``.
    public let tag: KeyTag

    /// Names a key.
    public init(identifier: String, tag: KeyTag) { (self.identifier, self.tag) = (identifier, tag) }
}

/// Where a download's keys come from, and whether they do without a network.
///
///     acquire ──> segments ──> checksums ──> prove ──> complete
///
/// Keys come first: a film that nobody may watch is not worth its download. They are judged last: a bundle is complete
/// only when it has been shown to start playing with nothing but what is kept on this machine.
public protocol DownloadKeys: Sendable {
    /// Gets keys and keeps them, before any segment is asked for. A key that is kept already and still holds is not asked
    /// for again: a download that is resumed calls this again.
    ///
    /// Where several tags stand for one key, one for each key format, all of them come; one that can be used is enough.
    ///
    /// - Parameters:
    ///   - keys: each once, in the order in which they are needed, grouped by what they unlock: of the tags of one group
    ///     one is enough. Never empty.
    ///   - title: what the keys are kept under: ``BundleDescription/title``, unique in a ``BundleLibrary``.
    /// - Throws: ``DownloadKeysError``. The download stops where it is and may be resumed.
    func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError)

    /// Shows that a bundle starts to play offline: that each variant's and rendition's first segments decrypt with keys
    /// that are kept. All media are there, and their checksums are right.
    ///
    /// - Throws: ``DownloadKeysError``. The bundle stays as it is, unproven; resuming the download proves it again.
    func prove(_ bundle: AssetBundle) async throws(DownloadKeysError)
}

/// Why keys were not had, or do not open what was downloaded.
public struct DownloadKeysError: Error, Hashable, CustomStringConvertible {
    /// The name of what went wrong, stable, such as `persistence-not-allowed`.
    public let code: String
    /// Which key or which file: ``DownloadKey/identifier``, a name in the bundle. Never a key.
    public let place: String
    /// What is wrong, and what can be done about it.
    public let reason: String

    /// Makes an error.
    public init(code: String, place: String, reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// One line.
    public var description: String { "\(place): \(reason) (\(code))" }
}
