import KeyStore
import Synchronization

/// A cache of content with its keys. Reading content from the store for every license would take as long as the rest of
/// the decision.
///
/// Cached content may be out of date. The store grants a license based on it only if the catalog still has the version
/// at which the content was read; it checks this in the same transaction. Requests are never refused based on cached
/// content.
final class ContentCache: Sendable {
    private struct State {
        var version: Int64 = -1
        var contents: [[UInt8]: ContentLookup] = [:]
    }

    private let state = Mutex(State())
    /// The maximum number of entries, of some kilobytes each; more than is played at one time. A full cache is emptied.
    private static let capacity = 10_000

    /// Returns the cached content for an SPC's asset ID, which is the content's asset ID or an ``AssetAlias``.
    func content(name: [UInt8]) -> ContentLookup? { state.withLock { $0.contents[name] } }

    /// Stores content that was just read. If its catalog version is another one, the other entries are removed.
    func keep(_ content: ContentLookup, name: [UInt8]) {
        state.withLock { state in
            if state.version != content.catalogVersion || state.contents.count >= Self.capacity {
                state.contents.removeAll()
                state.version = content.catalogVersion
            }
            state.contents[name] = content
        }
    }
}
