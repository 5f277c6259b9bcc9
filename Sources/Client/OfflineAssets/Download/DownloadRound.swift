import ContentKeySession
import Foundation
import StreamPlayer

/// The result of a round of transfers.
enum RoundEnd: Sendable {
    /// All files are complete, except for missing segments.
    case complete(missing: [Int: DownloadError])
    /// The round was cancelled.
    case interrupted
    case failed(DownloadError)
}

/// The inputs of a round.
struct DownloadFiles: Sendable {
    var resources: [BundleResource]
    /// The indices of the missing files.
    var missing: Set<Int>
    /// The contents of files that were complete and are now damaged: if other bytes are received, the resource has
    /// changed on the server.
    var expected: [Int: BundleResource.Content]
    let journal: JournalFile
    let folder: BundleFolder
    let transport: any DownloadTransport
    /// The check of complete files.
    let check: MediaFileCheck
    /// True if a segment whose URL the server rejects is missing, because new URLs were rejected as well.
    var allowsRefusedSegments = false
    /// True if every segment that cannot be loaded is missing, because a live stream continues without it.
    var isLive = false
    let faults: DiskFaultInjection
    let tracker: DownloadProgressTracker
}

/// Downloads files concurrently until none is missing, one fails, or the round is cancelled.
struct DownloadRound: Sendable {
    let files: DownloadFiles
    let settings: DownloadSettings
    let clock: DownloadClock
    let emit: @Sendable (DownloadEvent) -> Void

    private enum Step: Sendable {
        case transferred(Int, ResourceTransfer.Outcome)
        case committed(Int, BundleResource.Content, Result<Void, DiskError>)
        /// A delay has ended.
        case due
    }

    /// Runs the round. When it is cancelled, it returns as soon as the partial files are synchronized to the disk.
    func run() async -> RoundEnd {
        let urls = files.missing.map { ($0, files.resources[$0].url) }
        var queue = DownloadQueue(Dictionary(uniqueKeysWithValues: urls), settings: settings)
        return await withTaskGroup(of: Step.self) { group in
            var failure: DownloadError?
            var missing = files.missing
            var skipped: [Int: DownloadError] = [:]
            // The validators of the first received part, by URL.
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
                        // A clock may wake slightly early; then nothing else would retry the file.
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
                        files.tracker.completed(file, length: content.length)
                    case .transferred(let file, .received(let partialFile, let content, let validators)):
                        try check(file, content, validators, &versions)
                        queue.finished(file)
                        group.addTask { [journal = files.journal] in
                            .committed(
                                file,
                                content,
                                await Self.commit(file, partialFile, content, validators, journal)
                            )
                        }
                    case .transferred(let file, .failed(let reason, let length, let retryAfter)):
                        // The caller that cancels handles the interruption.
                        guard !Task.isCancelled, failure == nil else { continue }
                        do throws(DownloadError) {
                            let pause = try retry(file, reason, length, retryAfter, &queue)
                            group.addTask { [clock] in
                                try? await clock.elapsed.sleep(for: pause)
                                return .due
                            }
                        } catch {
                            guard canSkip(file, error) else { throw error }
                            queue.finished(file)
                            missing.remove(file)
                            skipped[file] = error
                            files.tracker.completed(file, length: 0)
                            emit(.missing(file: files.resources[file].file, error))
                        }
                    }
                } catch {
                    failure = failure ?? error
                    group.cancelAll()
                }
            }
            if let failure { return .failed(failure) }
            return missing.isEmpty ? .complete(missing: skipped) : .interrupted
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
            check: files.check,
            faults: files.faults,
            tracker: files.tracker,
            now: { [clock] in clock.elapsed.now },
            emit: emit
        )
    }

    private static func commit(
        _ file: Int,
        _ partialFile: PartialFile,
        _ content: BundleResource.Content,
        _ validators: Validators,
        _ journal: JournalFile
    ) async -> Result<Void, DiskError> {
        do throws(DiskError) {
            return .success(try await journal.commit(.done(file, content, validators), of: partialFile))
        } catch {
            return .failure(error)
        }
    }

    private static func check(_ result: Result<Void, DiskError>) throws(DownloadError) {
        if case .failure(let error) = result { throw error.downloadError }
    }

    /// Checks a file against its expected content and the other parts of its URL.
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
                "the resource has changed on the server since it was first downloaded: download it into another folder"
            )
        }
        guard resource.range != nil else { return }
        if let other = versions[resource.url], validators.contradicts(other) {
            throw DownloadError(
                .changedOnServer,
                url: resource.url,
                "the resource has changed on the server between two of its parts: download it into another folder"
            )
        }
        versions[resource.url] = validators
    }

    /// Returns whether the download can complete without a file: a segment that the server does not have, or returns in
    /// a form that is not media.
    private func canSkip(_ file: Int, _ error: DownloadError) -> Bool {
        guard settings.allowsMissingSegments, !files.check.initializations.contains(files.resources[file].file) else {
            return false
        }
        switch (error.code, error.load?.code) {
        case (.notMedia, _): return true
        case (.load, _) where files.isLive: return true
        case (.load, .notFound), (.load, .status): return !error.isRefusedAddress || files.allowsRefusedSegments
        default: return false
        }
    }

    private func retry(
        _ file: Int,
        _ reason: ResourceTransfer.Reason,
        _ length: UInt64,
        _ retryAfter: Duration?,
        _ queue: inout DownloadQueue
    ) throws(DownloadError) -> Duration {
        let resource = files.resources[file]
        switch reason {
        case .disk(let error): throw error.downloadError
        case .notMedia(let problem): throw DownloadError(.notMedia, url: resource.url, "the resource \(problem.reason)")
        case .rangeTooFar:
            throw DownloadError(
                .noRanges,
                url: resource.url,
                "the server does not support byte ranges, and the range starts at byte \(resource.range?.lowerBound ?? 0), after the limit of bytes to skip"
            )
        case .load(let error):
            let retry = queue.failed(
                file,
                error,
                length: length,
                retryAfter: retryAfter,
                chance: clock.chance(),
                now: clock.elapsed.now
            )
            guard let (attempt, pause) = retry else { throw DownloadError(error) }
            emit(.retrying(file: resource.file, error, attempt: attempt, pause: pause))
            return pause
        }
    }
}

extension DownloadClock {
    static func secondsSince1970() -> Int { Int(clamping: time(nil)) }
}
