import ContentKeySession
import Foundation

/// The files of an ``ExpiredSessionReportFolder``. A malformed file counts as empty.
struct ReportFiles: Sendable {
    private struct Content: Codable {
        struct Report: Codable {
            let appIdentifier: Data
            let data: Data
        }

        var version = 1
        let reports: [Report]
    }

    /// The maximum size of a report file in bytes, larger than the reports of any session.
    private static let maximumSize = 4 << 20

    let folder: URL

    private func url(_ name: String, _ kind: String) -> URL { folder.appending(path: name + "." + kind) }

    // MARK: Reports

    /// Writes reports atomically; removes the file if there are none.
    func write(_ reports: [ExpiredSessionReport], _ name: String) {
        let url = url(name, "reports")
        guard !reports.isEmpty else {
            try? FileManager.default.removeItem(at: url)
            return
        }
        let content = Content(
            reports: reports.map { .init(appIdentifier: Data($0.appIdentifier), data: Data($0.data)) }
        )
        // A report that cannot be stored is skipped: the server's own timeout applies.
        guard let bytes = try? JSONEncoder().encode(content) else { return }
        try? bytes.write(to: url, options: .atomic)
    }

    /// Reads the reports of a file.
    func read(_ name: String) -> [ExpiredSessionReport] {
        let url = url(name, "reports")
        guard let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize, size <= Self.maximumSize,
            let bytes = try? Data(contentsOf: url), let content = try? JSONDecoder().decode(Content.self, from: bytes),
            content.version == 1
        else { return [] }
        return content.reports.map {
            ExpiredSessionReport(appIdentifier: Array($0.appIdentifier), data: Array($0.data))
        }
    }

    /// Returns the names of the files whose sessions are no longer active, oldest first.
    func endedSessions() -> [String] {
        let keys: [URLResourceKey] = [.contentModificationDateKey]
        let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: keys)) ?? []
        return all.filter { $0.pathExtension == "reports" }
            .map { url in
                let date = try? url.resourceValues(forKeys: Set(keys)).contentModificationDate
                return (name: url.deletingPathExtension().lastPathComponent, date: date ?? .distantPast)
            }
            .sorted { ($0.date, $0.name) < ($1.date, $1.name) }.map(\.name).filter { !isActive($0) }
    }

    // MARK: Locks

    /// Creates and locks a lock file. Returns the file descriptor that holds the lock.
    func lock(_ name: String) -> Int32? {
        let descriptor = open(url(name, "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Releases a lock and deletes its file.
    func unlock(_ descriptor: Int32, _ name: String) {
        unlink(url(name, "lock").path)
        close(descriptor)
    }

    /// Returns whether the lock is held. Deletes a lock file that a crash left.
    private func isActive(_ name: String) -> Bool {
        let path = url(name, "lock").path
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
        unlink(path)
        return false
    }
}
