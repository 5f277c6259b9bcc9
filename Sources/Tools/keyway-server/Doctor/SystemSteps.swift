import Foundation
import Glibc
import KeyServer
import TextCoding
import ToolSupport

/// The steps of the diagnosis about this machine: limits of the process, and the disk.
enum SystemSteps {
    /// The available memory in bytes below which the server is at risk under load.
    private static let leastMemory = 256 << 20
    /// The free space in bytes with which no license can be written soon: SQLite's write-ahead log reaches 4 MB.
    private static let leastSpace = 16 << 20
    /// The free space in bytes at which space is reported.
    private static let noticeSpace = 512 << 20
    /// The size in bytes of a write-ahead log that is not written back, because a reader or a backup holds it.
    private static let largeLog = 64 << 20

    /// Compares the limits of a process with the configuration.
    static func limits(_ configuration: ServerConfiguration) -> Diagnosis.Step {
        // As the server does at its start; it concerns only this process.
        OpenFileLimit.raise()
        var step = Diagnosis.Step(
            "limits",
            "\(configuration.limits.connections) connections per listener, "
                + counted(ProcessInfo.processInfo.activeProcessorCount, "processor")
        )
        if let warning = OpenFileLimit.warning(about: configuration) {
            step.problems.append(
                .failure(
                    "open-files",
                    "\(warning).",
                    remedy: "Set LimitNOFILE in the unit (`systemctl edit keyway-server`), or lower limits.connections."
                )
            )
        }
        guard let memory = availableMemory else { return step }
        step.details.append("\(memory >> 20) MiB of memory available")
        if memory < leastMemory {
            step.problems.append(
                .warning(
                    "memory-low",
                    "Only \(memory >> 20) MiB of memory are available.",
                    remedy: "See docs/load-and-capacity.md for what a server needs."
                )
            )
        }
        return step
    }

    /// The available memory of this machine in bytes; nil if the system does not tell.
    private static var availableMemory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
            let match = text.firstMatch(of: /MemAvailable: +([0-9]+) kB/), let size = Int(match.1)
        else { return nil }
        return size * 1024
    }

    /// Checks the disk of the data folder: whether it can be written, its free space, and the write-ahead log.
    static func disk(_ configuration: ServerConfiguration) -> Diagnosis.Step {
        guard configuration.store == nil else { return .skipped("disk", "the store is in PostgreSQL") }
        let folder = configuration.data
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            return .skipped("disk", "there is no folder \(folder)")
        }
        let free = Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
        var step = Diagnosis.Step("disk", "\(folder): \(free >> 20) MiB free")
        if let reason = unwritable(folder, status) {
            step.problems.append(
                .failure(
                    "data-read-only",
                    "The server cannot write to \(folder): \(reason).",
                    remedy: "Mount it writable (ReadWritePaths in the unit), and give it to the server's user: "
                        + "docs/operations.md.",
                    isUnreachable: true
                )
            )
        }
        let remedy = "Free space on the disk, or move the data folder: docs/operations.md."
        if free < leastSpace {
            step.problems.append(
                .failure("disk-full", "The disk of \(folder) is full: \(free >> 20) MiB are free.", remedy: remedy)
            )
        } else if free < noticeSpace {
            step.problems.append(
                .warning("disk-low", "The disk of \(folder) has only \(free >> 20) MiB free.", remedy: remedy)
            )
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: folder + "/keyway.sqlite-wal")[.size]) as? Int
        if let size, size > largeLog {
            step.problems.append(
                .warning(
                    "log-large",
                    "The write-ahead log of the database has \(size >> 20) MiB.",
                    remedy: "A long read or a backup keeps it from being written back; it ends with that: "
                        + "docs/operations.md."
                )
            )
        }
        return step
    }

    /// Returns why a folder or the database in it cannot be written; nil if both can.
    private static func unwritable(_ folder: String, _ status: statvfs) -> String? {
        if status.f_flag & UInt(ST_RDONLY) != 0 { return "the file system is mounted read-only" }
        for path in [folder, folder + "/keyway.sqlite", folder + "/keyway.sqlite-wal"] {
            guard access(path, W_OK) != 0, errno != ENOENT else { continue }
            return "\(path): \(lastSystemError())"
        }
        return nil
    }
}
