import StreamPlayer

/// Downloads one file: sends the request, decides by ``ResumeDecision``, writes the body, and synchronizes it
/// periodically.
struct ResourceTransfer: Sendable {
    let index: Int
    let resource: BundleResource
    let transport: any DownloadTransport
    let folder: BundleFolder
    let journal: JournalFile
    let settings: DownloadSettings
    let check: MediaFileCheck
    let faults: DiskFaultInjection
    let tracker: DownloadProgressTracker
    let now: @Sendable () -> Duration
    let emit: @Sendable (DownloadEvent) -> Void

    /// The result of a transfer.
    enum Outcome: Sendable {
        /// All bytes are written, but not yet synchronized to the disk.
        case received(PartialFile, BundleResource.Content, Validators)
        /// The transfer failed; `length` is the length of the file in bytes at that time.
        case failed(Reason, length: UInt64, retryAfter: Duration?)
    }

    /// The reason why a transfer failed.
    enum Reason: Error, Sendable {
        case load(MediaLoadError)
        case disk(DiskError)
        case rangeTooFar
        /// The server returned something other than media.
        case notMedia(MediaFileCheck.Problem)
    }

    /// The progress of a transfer, for the handling of failures.
    private struct Progress {
        var file: PartialFile
        var validators: Validators
        /// The number of bytes recorded in the journal.
        var checkpointed: UInt64
        var retryAfter: Duration?
        /// True if the response specified its length, so that an interruption is detected.
        var hasLength = false
    }

    /// Downloads the file, starting at the length recorded in the journal.
    func run() async -> Outcome {
        let watchdog = Watchdog(span: settings.idleTimeout, minimumProgress: settings.minimumProgress)
        let (outcome, isStalled) = await watchdog.watch { await transfer($0) }
        guard isStalled, case .failed(.load(let error), let length, let pause) = outcome, error.code == .cancelled
        else {
            return outcome
        }
        return .failed(.load(MediaLoadError(.deadline, resource.url)), length: length, retryAfter: pause)
    }

    private func transfer(_ counter: Watchdog.Counter) async -> Outcome {
        var known = ResumeDecision.Known()
        if case .part(let length, let validators)? = journal.entry(of: index) {
            known = ResumeDecision.Known(length: length, validators: validators)
        }
        var progress: Progress
        do throws(DiskError) {
            if let reason = ResumeDecision.obstacle(known) {
                emit(.restarting(file: resource.file, reason))
                known = ResumeDecision.Known()
            }
            let file = try PartialFile(resource.file, in: folder, keeping: known.length, faults: faults)
            // The file may have lost its end in a power failure.
            known.length = file.length
            progress = Progress(file: file, validators: known.validators, checkpointed: file.length)
        } catch {
            return .failed(.disk(error), length: 0, retryAfter: nil)
        }
        do throws(Reason) {
            try await fetch(&progress, known, counter)
            try await checkMedia(&progress)
            return .received(progress.file, progress.file.finish(), progress.validators)
        } catch {
            await checkpoint(&progress)
            return .failed(error, length: progress.file.length, retryAfter: progress.retryAfter)
        }
    }

    /// Checks that the bytes are media.
    private func checkMedia(_ progress: inout Progress) async throws(Reason) {
        let file = progress.file
        let problem: MediaFileCheck.Problem?
        do throws(DiskError) {
            problem = try check.problem(of: resource.file, length: file.length) { offset, count throws(DiskError) in
                try file.read(from: offset, count)
            }
        } catch {
            throw .disk(error)
        }
        guard let problem else { return }
        // Without a length, the end of an interrupted connection is the end of the body: more may arrive next time.
        guard progress.hasLength || !problem.isCut else { throw .load(MediaLoadError(.noConnection, resource.url)) }
        do throws(DiskError) {
            try file.truncate(to: 0)
            if progress.checkpointed > 0 { try await journal.commit(.drop(index)) }
        } catch {
            throw .disk(error)
        }
        (progress.checkpointed, progress.validators) = (0, Validators())
        throw .notMedia(problem)
    }

    private func fetch(
        _ progress: inout Progress,
        _ known: ResumeDecision.Known,
        _ counter: Watchdog.Counter
    ) async throws(Reason) {
        var known = known
        // A restarted request asks for the whole resource, so it cannot require another restart.
        for _ in 0..<2 {
            let request = ResumeDecision.request(resource, known)
            let answer = try await open(request, &progress)
            switch ResumeDecision.decide(answer, to: request, for: resource, known, limits: settings.limits) {
            case .fail(let error): throw .load(error)
            case .rangeTooFar: throw .rangeTooFar
            case .requestAgain(let reason):
                try await restart(&progress, reason)
                known = ResumeDecision.Known()
            case .write(let place, let skipping, let length, let reason):
                if let reason { try await restart(&progress, reason) }
                guard progress.file.length == place else { throw .load(MediaLoadError(.wrongRange, resource.url)) }
                (progress.validators, progress.hasLength) = (answer.validators, length != nil)
                return try await receive(answer, &progress, skipping, length, counter)
            }
        }
        throw .load(MediaLoadError(.wrongRange, resource.url))
    }

    private func open(_ request: DownloadRequest, _ progress: inout Progress) async throws(Reason) -> DownloadResponse {
        do throws(MediaLoadError) {
            var request = request
            request.headTimeout = settings.headTimeout
            let answer = try await transport.openSecurely(request)
            progress.retryAfter = answer.retryAfter
            return answer
        } catch {
            throw .load(error)
        }
    }

    private func restart(_ progress: inout Progress, _ reason: RestartReason) async throws(Reason) {
        emit(.restarting(file: resource.file, reason))
        do throws(DiskError) {
            try progress.file.truncate(to: 0)
            if progress.checkpointed > 0 { try await journal.commit(.drop(index)) }
            progress.checkpointed = 0
        } catch {
            throw .disk(error)
        }
    }

    /// Writes a body to the file.
    private func receive(
        _ answer: DownloadResponse,
        _ progress: inout Progress,
        _ skipping: UInt64,
        _ length: UInt64?,
        _ counter: Watchdog.Counter
    ) async throws(Reason) {
        var skip = skipping
        var lastCheckpoint = now()
        // A server without ranges continues after the wanted bytes. Other bodies are read to the end, so that the
        // connection can be reused.
        let bodyContinues = answer.status == 200 && resource.range != nil
        while !bodyContinues || progress.file.length < length ?? .max {
            guard let bytes = try await next(answer) else { break }
            counter.add(bytes.count)
            let passed = Int(min(skip, UInt64(bytes.count)))
            skip -= UInt64(passed)
            let available = (length ?? settings.limits.resourceBytes) - progress.file.length
            let wanted = Int(min(available, UInt64(bytes.count - passed)))
            guard bodyContinues || wanted == bytes.count - passed else {
                throw .load(MediaLoadError(length == nil ? .tooLarge : .wrongRange, resource.url))
            }
            try append(bytes, passed..<passed + wanted, to: progress.file)
            tracker.received(bytes.count, of: index, there: progress.file.length)
            let isMuch = progress.file.length - progress.checkpointed >= UInt64(max(1, settings.checkpointBytes))
            if isMuch || now() - lastCheckpoint >= settings.checkpointTime, progress.file.length < length ?? .max {
                await checkpoint(&progress)
                lastCheckpoint = now()
            }
        }
        guard progress.file.length == length ?? progress.file.length else {
            throw .load(MediaLoadError(Task.isCancelled ? .cancelled : .noConnection, resource.url))
        }
    }

    private func next(_ answer: DownloadResponse) async throws(Reason) -> [UInt8]? {
        do throws(MediaLoadError) {
            return try await answer.body()
        } catch {
            throw .load(error)
        }
    }

    private func append(_ bytes: [UInt8], _ range: Range<Int>, to file: PartialFile) throws(Reason) {
        let result = bytes.withUnsafeBytes { bytes in
            do throws(DiskError) {
                return Result<Void, DiskError>.success(try file.append(UnsafeRawBufferPointer(rebasing: bytes[range])))
            } catch {
                return .failure(error)
            }
        }
        if case .failure(let error) = result { throw .disk(error) }
    }

    /// Synchronizes the written bytes to the disk if the transfer could be resumed. If that fails, the bytes are
    /// downloaded again, and a disk error is reported by the next write.
    private func checkpoint(_ progress: inout Progress) async {
        guard progress.file.length > progress.checkpointed, progress.validators.ifRange != nil else { return }
        let length = progress.file.length
        let record = DownloadJournal.Record.part(index, length: length, progress.validators)
        if (try? await journal.commit(record, of: progress.file)) != nil { progress.checkpointed = length }
    }
}
