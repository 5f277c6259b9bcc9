public import ContentKeySession
public import Foundation
import Locking

/// A store of expired session reports in a folder, so that they survive a crash.
///
/// | File | Contents |
/// |---|---|
/// | `NAME.reports` | reports as JSON |
/// | `NAME.lock` | empty; locked while the session that the reports are for is active |
///
/// The system releases the lock of a process that ends. The reports of a session are therefore pending if its lock is
/// free, whether the session was in another process or in this one.
public final class ExpiredSessionReportFolder: ExpiredSessionReportStore {
    /// The files of an active session.
    private struct Entry {
        let name: String
        /// The file descriptor that holds the lock.
        let lock: Int32
    }

    private let files: ReportFiles
    private let active = Lock<[ContentProtectionSessionIdentifier: Entry]>([:])

    /// Opens a folder. If it does not exist, it is created with the permissions 0700, so that only its owner can access
    /// it.
    ///
    /// - Throws: Errors of the file system.
    public init(_ folder: URL) throws {
        files = ReportFiles(folder: folder)
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { active.withLock { for entry in $0.values { files.unlock(entry.lock, entry.name) } } }

    /// True: the reports are stored in files, so they are not lost when the process ends.
    public var survivesProcess: Bool { true }

    /// Adds reports that are not for an active session. They are pending immediately.
    public func add(_ reports: [ExpiredSessionReport]) {
        if !reports.isEmpty { files.write(reports, UUID().uuidString) }
    }

    /// Sets the reports of an active session.
    public func setReports(_ reports: [ExpiredSessionReport], forActive session: ContentProtectionSessionIdentifier) {
        active.withLock { active in
            if active[session] == nil {
                let name = UUID().uuidString
                // Without its lock, a report might be sent while the session is active, so none is stored.
                guard let lock = files.lock(name) else { return }
                active[session] = Entry(name: name, lock: lock)
            }
            if let name = active[session]?.name { files.write(reports, name) }
        }
    }

    /// Marks a session as ended: its reports become pending.
    public func sessionEnded(_ session: ContentProtectionSessionIdentifier) {
        guard let entry = active.withLock({ $0.removeValue(forKey: session) }) else { return }
        files.unlock(entry.lock, entry.name)
    }

    /// Returns the pending reports that were made with an application certificate: the reports added with ``add(_:)``,
    /// and those of sessions that have ended or whose process has crashed or exited. They are in the order in which
    /// their files were last written, oldest first.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) -> [ExpiredSessionReport] {
        files.endedSessions().flatMap { files.read($0).filter { $0.appIdentifier == appIdentifier } }
    }

    /// Removes reports that have been sent.
    public func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) {
        let sent = Set(reports)
        for name in files.endedSessions() {
            let all = files.read(name)
            let rest = all.filter { !sent.contains($0) }
            if rest.count < all.count { files.write(rest, name) }
        }
    }
}
