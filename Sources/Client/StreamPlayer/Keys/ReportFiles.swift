import ContentKeySession
import Foundation

/// The files of an ``ExpiredSessionReportFolder``. What is not as it should be counts as nothing.
struct ReportFiles: Sendable {
    private struct Content: Codable {
        struct Report: Codable {
            let appIdentifier: Data
            let data: Data
        }

        var version = 1
        let reports: [Report]
    }

    /// More than any session's reports have.
    private static let maximumSize = 4 << 20

    let folder: URL

    private func url(_ name: String, _ kind: String) -> URL { folder.appending(path: name + "." + kind) }

    // MARK: Reports

    /// Writes reports, all or none of them; a file without reports is none.
    func write(_ reports: [ExpiredSessionReport], _ name: String) {
        let url = url(name, "reports")
        guard !reports.isEmpty else {
            try? FileManager.default.removeItem(at: url)
            return
        }
        let content = Content(
            reports: reports.map { .init(appIdentifier: Data($0.appIdentifier), data: Data($0.data)) }
        )
        // There is nobody to tell that a report cannot be kept: the server's own deadline has to do.
        guard let bytes = try? JSONEncoder().encode(content) else { return }
        try? bytes.write(to: url, options: .atomic)
    }

    /// Reads reports.
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

    /// The names of files whose sessions do not live any more, oldest first.
    func ofTheDead() -> [String] {
        let keys: [URLResourceKey] = [.contentModificationDateKey]
        let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: keys)) ?? []
        return all.filter { $0.pathExtension == "reports" }
            .map { url in
                let date = try? url.resourceValues(forKeys: Set(keys)).contentModificationDate
                return (name: url.deletingPathExtension().lastPathComponent, date: date ?? .distantPast)
            }
            .sorted { ($0.date, $0.name) < ($1.date, $1.name) }.map(\.name).filter { !lives($0) }
    }

    // MARK: Locks

    /// Makes a lock and takes it: the file descriptor that holds it.
    func lock(_ name: String) -> Int32? {
        let descriptor = open(url(name, "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Lets go of a lock, for ever.
    func unlock(_ descriptor: Int32, _ name: String) {
        unlink(url(name, "lock").path)
        close(descriptor)
    }

    /// Whether somebody holds the lock. One that a crash left behind is taken away.
    private func lives(_ name: String) -> Bool {
        let path = url(name, "lock").path
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
        unlink(path)
        return false
    }
}
