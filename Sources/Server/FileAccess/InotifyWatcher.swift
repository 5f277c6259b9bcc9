#if os(Linux)
import Glibc

/// Watches folders with Linux's inotify(7).
package final class InotifyWatcher: FolderWatching {
    /// The maximum number of watched folders.
    static let maximum = 10_000
    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR
            | IN_DONT_FOLLOW
    )

    private let root: String
    private let descriptor: Int32
    private var paths: [Int32: String] = [:]
    private var watched: Set<String> = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Creates a watcher without folders.
    ///
    /// - Parameter root: The path of the served folder.
    /// - Throws: ``FolderError`` if the system has no inotify, or no instance is left.
    package init(root: String) throws(FolderError) {
        self.root = root
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FolderError("watch", "") }
    }

    deinit { close(descriptor) }

    package func watch(_ path: String) throws(FolderError) {
        guard !watched.contains(path) else { return }
        guard watched.count < Self.maximum else { throw FolderError("watch", path, ENOSPC) }
        // The served folder itself may be a symbolic link.
        let mask = path.isEmpty ? Self.mask & ~UInt32(IN_DONT_FOLLOW) : Self.mask
        let number = inotify_add_watch(descriptor, path.isEmpty ? root : "\(root)/\(path)", mask)
        guard number >= 0 else { throw FolderError("watch", path) }
        // A folder that was renamed has the same number.
        if let old = paths[number] { watched.remove(old) }
        paths[number] = path
        watched.insert(path)
    }

    package func changes(limit: Duration) -> [FolderChange] {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000
        guard Glibc.poll(&poll, 1, Int32(clamping: max(0, milliseconds))) > 0 else { return [] }
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return [] }
        var changes: [FolderChange] = []
        var position = 0
        let header = MemoryLayout<inotify_event>.size
        while position + header <= count {
            let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: inotify_event.self) }
            let start = position + header
            position = start + Int(event.len)
            guard position <= count else { break }
            let name = String(decoding: buffer[start..<position].prefix { $0 != 0 }, as: UTF8.self)
            if let change = change(event, name), changes.last != change { changes.append(change) }
        }
        return changes
    }

    private func change(_ event: inotify_event, _ name: String) -> FolderChange? {
        let mask = event.mask
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .everything }
        if mask & UInt32(IN_IGNORED) != 0 {
            guard let path = paths.removeValue(forKey: event.wd) else { return nil }
            watched.remove(path)
            return .folder(path)
        }
        guard let folder = paths[event.wd], !name.isEmpty, !name.hasPrefix(".") else { return nil }
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        if mask & UInt32(IN_ISDIR) != 0 { return .folder(path) }
        // A file that was only created has no content yet.
        return mask & UInt32(IN_CREATE) == 0 ? .file(path) : nil
    }
}
#endif
