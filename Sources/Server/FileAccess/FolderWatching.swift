import Glibc

/// A change in the served folder.
package enum FolderChange: Hashable, Sendable {
    /// A file was written, replaced or removed.
    case file(String)
    /// A folder appeared or disappeared.
    case folder(String)
    /// Anything may have changed.
    case everything
}

/// Waits for changes in the served folder. Only one thread uses it.
package protocol FolderWatching: AnyObject {
    /// Watches a folder too; it does nothing if the folder is watched.
    ///
    /// - Throws: ``FolderError`` if the folder cannot be watched.
    func watch(_ path: String) throws(FolderError)

    /// Returns the changes since the last call; waits for one, but not longer than `limit`.
    func changes(limit: Duration) -> [FolderChange]
}

/// Reports at an interval that anything may have changed: for systems and file systems without notification.
package final class PollingWatcher: FolderWatching {
    private let interval: Duration

    /// Creates a watcher.
    package init(interval: Duration) { self.interval = interval }

    package func watch(_ path: String) throws(FolderError) {}

    package func changes(limit: Duration) -> [FolderChange] {
        let wait = min(interval, limit)
        usleep(UInt32(max(1000, wait.components.seconds * 1_000_000 + wait.components.attoseconds / 1_000_000_000_000)))
        return [.everything]
    }
}
