import KeyStore
import Synchronization

/// Content that was looked up before, with its keys: reading it anew for every license takes as long as everything that
/// is decided on it.
///
/// What is here may be out of date. Nothing is granted on it unless the store finds, in the transaction that grants, that
/// the catalog is still at the version at which it was read; and nothing is refused on it either.
final class ContentShelf: Sendable {
    private struct State {
        var version: Int64 = -1
        var contents: [[UInt8]: ContentLookup] = [:]
    }

    private let state = Mutex(State())
    /// Some kilobytes each. What plays at one time is less; when it is full it is emptied.
    private static let capacity = 10_000

    /// What an SPC's asset ID meant when it was looked up: content, by its own asset ID or by an ``AssetAlias``.
    func content(name: [UInt8]) -> ContentLookup? { state.withLock { $0.contents[name] } }

    /// Puts up what was read just now. If it is of another version, nothing else here holds any more.
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
