public import ContentKeySession
public import Foundation
import Locking

/// Expired session reports in a folder, where they are found after a crash.
///
/// | File | What is in it |
/// |---|---|
/// | `NAME.reports` | reports as JSON |
/// | `NAME.lock` | nothing; locked for as long as the session lives that may end without a word |
///
/// The system unlocks the file of a process that dies. So what a session has left is pending when nobody holds its lock: in
/// another process, and in this one.
public final class ExpiredSessionReportFolder: ExpiredSessionReportStore {
    /// A living session's files.
    private struct Entry {
        let name: String
        /// The file descriptor that holds the lock.
        let lock: Int32
    }

    private let files: ReportFiles
    private let living = Lock<[ContentProtectionSessionIdentifier: Entry]>([:])

    /// Uses a folder, which is made where it is not there. Only its owner may read it.
    ///
    /// - Throws: what the file system says.
    public init(_ folder: URL) throws {
        files = ReportFiles(folder: folder)
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { living.withLock { for entry in $0.values { files.unlock(entry.lock, entry.name) } } }

    /// True.
    public var outlivesProcess: Bool { true }

    /// Adds reports.
    public func add(_ reports: [ExpiredSessionReport]) {
        if !reports.isEmpty { files.write(reports, UUID().uuidString) }
    }

    /// Puts what a living session would report.
    public func setReports(_ reports: [ExpiredSessionReport], ofLiving session: ContentProtectionSessionIdentifier) {
        living.withLock { living in
            if living[session] == nil {
                let name = UUID().uuidString
                // Without its lock a report might be sent while the session lives: better none.
                guard let lock = files.lock(name) else { return }
                living[session] = Entry(name: name, lock: lock)
            }
            if let name = living[session]?.name { files.write(reports, name) }
        }
    }

    /// What the session has put is pending from now on.
    public func sessionEnded(_ session: ContentProtectionSessionIdentifier) {
        guard let entry = living.withLock({ $0.removeValue(forKey: session) }) else { return }
        files.unlock(entry.lock, entry.name)
    }

    /// The reports made with a certificate that wait, oldest first: of sessions that have ended, in whatever way.
    public func pendingExpiredSessionReports(withAppIdentifier appIdentifier: [UInt8]) -> [ExpiredSessionReport] {
        files.ofTheDead().flatMap { files.read($0).filter { $0.appIdentifier == appIdentifier } }
    }

    /// Removes reports that were sent.
    public func removePendingExpiredSessionReports(_ reports: [ExpiredSessionReport]) {
        let sent = Set(reports)
        for name in files.ofTheDead() {
            let all = files.read(name)
            let rest = all.filter { !sent.contains($0) }
            if rest.count < all.count { files.write(rest, name) }
        }
    }
}
