import Dispatch
import FileWriting
import Foundation
import Locking

/// The journal file of a download.
///
/// Steps are committed in groups: first the data of their files is synchronized to the disk, then the directory entries
/// of those files, and then the lines of the journal. A step is reported only after it is on the disk.
final class JournalFile: Sendable {
    private struct Pending {
        let file: PartialFile?
        let record: DownloadJournal.Record
        let done: CheckedContinuation<Result<Void, DiskError>, Never>
    }

    private struct State {
        var pending: [Pending] = []
        var journal: DownloadJournal
        /// The length up to the last whole line, in bytes.
        var length: Int
        /// The files whose directory entries are on the disk.
        var named: Set<String> = []
    }

    private let descriptor: Int32
    private let folder: BundleFolder
    private let faults: DiskFaultInjection
    private let state: Lock<State>
    // Synchronization to the disk takes long and blocks.
    private let queue = DispatchQueue(label: "keyway.download.journal")

    /// Opens or creates a bundle's journal. An invalid part at its end is truncated.
    ///
    /// - Parameters:
    ///   - folder: The folder of the bundle.
    ///   - resources: The files of the bundle.
    ///   - isGrowing: True if files are added at the end while the journal is open.
    ///   - faults: Injected errors.
    init(
        in folder: BundleFolder,
        resources: [BundleResource],
        isGrowing: Bool = false,
        faults: DiskFaultInjection = .none
    ) throws(DownloadError) {
        let name = AssetBundle.journalFile
        let bytes: [UInt8]
        do throws(AssetBundleError) {
            bytes = folder.has(name) ? try folder.read(name, atMost: 1 << 30) : []
        } catch {
            throw DownloadError(.storage, folder.path(of: name), error.reason)
        }
        // The files of a recording are not planned; their positions do not change.
        let plan = DownloadJournal.plan(of: isGrowing ? [] : resources)
        let (journal, length) = DownloadJournal.read(bytes, plan: plan, files: resources.count)
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        descriptor = Foundation.open(folder.path(of: name), flags, 0o600)
        (self.folder, self.faults) = (folder, faults)
        state = Lock(State(journal: journal, length: length))
        do throws(DiskError) {
            guard descriptor >= 0 else { throw DiskError(file: name, number: errno) }
            try cut(to: length)
            guard length == 0 else { return }
            let header = DownloadJournal.header(plan: plan)
            try write(header)
            state.withLock { $0.length = header.count }
        } catch {
            throw error.downloadError
        }
        try? folder.synchronize()
    }

    deinit { if descriptor >= 0 { Foundation.close(descriptor) } }

    /// Returns the recorded state of a file.
    func entry(of file: Int) -> DownloadJournal.Entry? { state.withLock { $0.journal.entries[file] } }

    /// Commits a step to the disk, after the bytes of its file.
    func commit(_ record: DownloadJournal.Record, of file: PartialFile? = nil) async throws(DiskError) {
        let result = await withCheckedContinuation { continuation in
            state.withLock { $0.pending.append(Pending(file: file, record: record, done: continuation)) }
            queue.async { self.commitPending() }
        }
        try result.get()
    }

    private func commitPending() {
        let pending = state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
        guard !pending.isEmpty else { return }
        var results = pending.map { step in Self.result { () throws(DiskError) in try step.file?.synchronize() } }
        synchronizeNames(of: pending)
        let good = pending.indices.filter { (try? results[$0].get()) != nil }
        let written = Self.result { () throws(DiskError) in try append(good.map { pending[$0].record }) }
        if case .failure = written { for index in good { results[index] = written } }
        for (step, result) in zip(pending, results) { step.done.resume(returning: result) }
    }

    /// Synchronizes directory entries. A file whose entry is lost in a crash is downloaded again, so an error is
    /// ignored.
    private func synchronizeNames(of pending: [Pending]) {
        let new = pending.compactMap(\.file).filter { file in
            state.withLock { $0.named.insert(file.name).inserted }
        }
        for name in Set(new.map(\.folder)) { try? folder.synchronize(folder: name) }
    }

    private func append(_ records: [DownloadJournal.Record]) throws(DiskError) {
        guard !records.isEmpty else { return }
        let lines = records.flatMap(\.line)
        let length = state.withLock { $0.length }
        do throws(DiskError) {
            try write(lines)
        } catch {
            // A partial line in the middle would invalidate all lines after it.
            try? cut(to: length)
            throw error
        }
        state.withLock { state in
            state.length += lines.count
            for record in records { state.journal.apply(record) }
        }
    }

    private func write(_ bytes: [UInt8]) throws(DiskError) {
        let number =
            faults.write(AssetBundle.journalFile, bytes.count)
            ?? bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        if let number { throw DiskError(file: AssetBundle.journalFile, number: number) }
        guard Durability.synchronizeContent(descriptor) == 0 else {
            throw DiskError(file: AssetBundle.journalFile, number: errno)
        }
    }

    private func cut(to length: Int) throws(DiskError) {
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw DiskError(file: AssetBundle.journalFile, number: errno)
        }
    }

    private static func result(_ body: () throws(DiskError) -> Void) -> Result<Void, DiskError> {
        do throws(DiskError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
