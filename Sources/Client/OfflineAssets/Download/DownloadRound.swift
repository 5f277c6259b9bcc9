import ContentKeySession
import Foundation
import StreamPlayer

/// How a round of transfers ended.
enum RoundEnd: Sendable {
    /// All files are there.
    case complete
    /// It was cancelled.
    case interrupted
    case failed(DownloadError)
}

/// What a round works on.
struct DownloadFiles: Sendable {
    var resources: [BundleResource]
    /// Which of them are missing.
    var missing: Set<Int>
    /// What files held that were complete and are not any more: if other bytes come now, the server has changed them.
    var expected: [Int: BundleResource.Content]
    let journal: JournalFile
    let folder: BundleFolder
    let transport: any DownloadTransport
    let faults: DiskFaults
    let tally: DownloadTally
}

/// Fetches files side by side until none is missing, or one cannot be had, or it is cancelled.
struct DownloadRound: Sendable {
    let files: DownloadFiles
    let settings: DownloadSettings
    let clock: DownloadClock
    let tell: @Sendable (DownloadEvent) -> Void

    private enum Step: Sendable {
        case transferred(Int, ResourceTransfer.Outcome)
        case committed(Int, BundleResource.Content, Result<Void, DiskError>)
        /// A pause is over.
        case due
    }

    /// Runs. When it is cancelled, it ends as soon as what is there of files under way is on the disk.
    func run() async -> RoundEnd {
        let urls = files.missing.map { ($0, files.resources[$0].url) }
        var queue = DownloadQueue(Dictionary(uniqueKeysWithValues: urls), settings: settings)
        return await withTaskGroup(of: Step.self) { group in
            var failure: DownloadError?
            var missing = files.missing
            // By URL: what was said of the first part of it that came.
            var versions: [String: Validators] = [:]
            while true {
                while failure == nil, !Task.isCancelled, let file = queue.next(now: clock.elapsed.now) {
                    let transfer = transfer(file)
                    group.addTask { .transferred(file, await transfer.run()) }
                }
                guard let step = await group.next() else { break }
                do throws(DownloadError) {
                    switch step {
                    case .due:
                        // A clock may wake a little early, and then nothing else would wake the file.
                        guard let moment = queue.nextMoment, moment > clock.elapsed.now, failure == nil,
                            !Task.isCancelled
                        else {
                            continue
                        }
                        group.addTask { [clock] in
                            try? await clock.elapsed.sleep(until: moment)
                            return .due
                        }
                    case .committed(let file, let content, let result):
                        try Self.check(result)
                        missing.remove(file)
                        files.tally.completed(file, length: content.length)
                    case .transferred(let file, .received(let piece, let content, let validators)):
                        try check(file, content, validators, &versions)
                        queue.finished(file)
                        group.addTask { [journal = files.journal] in
                            .committed(file, content, await Self.commit(file, piece, content, validators, journal))
                        }
                    case .transferred(let file, .failed(let reason, let progressed, let retryAfter)):
                        // Whoever cancels knows why, and comes back.
                        guard !Task.isCancelled, failure == nil else { continue }
                        let pause = try retry(file, reason, progressed, retryAfter, &queue)
                        group.addTask { [clock] in
                            try? await clock.elapsed.sleep(for: pause)
                            return .due
                        }
                    }
                } catch {
                    failure = failure ?? error
                    group.cancelAll()
                }
            }
            if let failure { return .failed(failure) }
            return missing.isEmpty ? .complete : .interrupted
        }
    }

    private func transfer(_ file: Int) -> ResourceTransfer {
        ResourceTransfer(
            index: file,
            resource: files.resources[file],
            transport: files.transport,
            folder: files.folder,
            journal: files.journal,
            settings: settings,
            faults: files.faults,
            tally: files.tally,
            now: { [clock] in clock.elapsed.now },
            tell: tell
        )
    }

    private static func commit(
        _ file: Int,
        _ piece: PieceFile,
        _ content: BundleResource.Content,
        _ validators: Validators,
        _ journal: JournalFile
    ) async -> Result<Void, DiskError> {
        do throws(DiskError) {
            return .success(try await journal.commit(.done(file, content, validators), of: piece))
        } catch {
            return .failure(error)
        }
    }

    private static func check(_ result: Result<Void, DiskError>) throws(DownloadError) {
        if case .failure(let error) = result { throw error.downloadError }
    }

    /// Holds a file against what is known of it and of other parts of its URL.
    private func check(
        _ file: Int,
        _ content: BundleResource.Content,
        _ validators: Validators,
        _ versions: inout [String: Validators]
    ) throws(DownloadError) {
        let resource = files.resources[file]
        if let expected = files.expected[file], expected != content {
            throw DownloadError(
                .changedOnServer,
                url: resource.url,
                "it has other bytes than when it was first downloaded: the film was changed, download it into another folder"
            )
        }
        guard resource.range != nil else { return }
        if let other = versions[resource.url], validators.contradicts(other) {
            throw DownloadError(
                .changedOnServer,
                url: resource.url,
                "it was changed between two parts of it: the film was changed, download it into another folder"
            )
        }
        versions[resource.url] = validators
    }

    private func retry(
        _ file: Int,
        _ reason: ResourceTransfer.Reason,
        _ progressed: Bool,
        _ retryAfter: Duration?,
        _ queue: inout DownloadQueue
    ) throws(DownloadError) -> Duration {
        let resource = files.resources[file]
        switch reason {
        case .disk(let error): throw error.downloadError
        case .tooFarInside:
            throw DownloadError(
                .noRanges,
                url: resource.url,
                "the server sends no parts of files, and \(resource.range?.lowerBound ?? 0) bytes before this one are too many"
            )
        case .load(let error):
            let retry = queue.failed(
                file,
                error,
                progressed: progressed,
                retryAfter: retryAfter,
                chance: clock.chance(),
                now: clock.elapsed.now
            )
            guard let (attempt, pause) = retry else { throw DownloadError(error) }
            tell(.retrying(file: resource.file, error, attempt: attempt, pause: pause))
            return pause
        }
    }
}

extension DownloadClock {
    static func secondsSince1970() -> Int { Int(clamping: time(nil)) }
}
