import ContentKeySession
import HLSPlaylist
import Locking
import StreamPlayer
import TextCoding

/// Records the tracks of a live stream: reloads their playlists, and downloads new segments at the same time.
struct StreamRecorder {
    private let download: AssetDownload
    private let journal: JournalFile
    private let settings: DownloadSettings
    /// The duration to record, in seconds.
    private let seconds: Double
    private let clock: DownloadClock
    private let loader: AssetPlaylistLoader
    private let tracker: DownloadProgressTracker
    private let recorded: Lock<(seconds: Double, files: Int)>
    private(set) var description: BundleDescription
    private var tracks: [RecordedTrack]
    /// The time of the last addition to each track, and whether its reloads have ended.
    private var lastAddition: [Duration]
    private var isFinished: [Bool]
    private var missing: [Int: DownloadError] = [:]
    private var pendingFiles: Set<Int> = []
    private var activeRounds = 0
    private var knownKeys: Set<String> = []
    private var failure: DownloadError?

    /// The maximum number of concurrent rounds; further files wait for the end of one.
    private static let maximumRounds = 4
    /// The time without new segments after which a recording ends, in target durations, and at least a minute.
    private static let maximumStaleTargetDurations = 10

    private enum Step: Sendable {
        case loaded(Int, Result<AssetPlaylistLoader.Loaded, DownloadError>, began: Duration)
        case round(RoundEnd)
    }

    /// Creates a recorder.
    init(
        download: AssetDownload,
        description: BundleDescription,
        tracks: [RecordedTrack],
        journal: JournalFile,
        settings: DownloadSettings,
        seconds: Double
    ) {
        (self.download, self.description, self.tracks) = (download, description, tracks)
        (self.journal, self.settings, self.seconds, clock) = (journal, settings, seconds, download.clock)
        var loading = settings
        // The next reload is the next attempt.
        loading.attempts = 1
        loader = AssetPlaylistLoader(
            transport: download.transport,
            settings: loading,
            time: download.clock.elapsed,
            chance: download.clock.chance
        )
        let recorded = Lock<(seconds: Double, files: Int)>((0, 0))
        self.recorded = recorded
        let now = download.clock.elapsed
        let timeline = BundleTimeline([], resources: [])
        tracker = DownloadProgressTracker(timeline, files: .max, now: { now.now }) { progress in
            let (loaded, files) = recorded.withLock { $0 }
            var ranges = LoadedTimeRanges()
            ranges.insert(0..<loaded)
            download.emit(
                .progress(
                    AssetDownloadProgress(
                        loaded: ranges,
                        expected: seconds,
                        bytes: progress.bytes,
                        received: progress.received,
                        files: progress.files,
                        allFiles: files
                    )
                )
            )
        }
        lastAddition = Array(repeating: now.now, count: tracks.count)
        isFinished = tracks.map { $0.duration >= seconds }
    }

    /// Records until every track has the duration, or the stream ends or stops.
    ///
    /// - Parameters:
    ///   - complete: The files that are already complete.
    ///   - loaded: The playlists of the tracks if they were just loaded; otherwise empty.
    /// - Returns: The segments that could not be loaded, by file.
    mutating func run(
        complete: Set<Int>,
        loaded: [AssetPlaylistLoader.Loaded]
    ) async throws(DownloadError) -> [Int: DownloadError] {
        pendingFiles = Set(description.resources.indices).subtracting(complete)
        for file in complete { tracker.completed(file, length: description.resources[file].content?.length ?? 0) }
        for (index, playlist) in loaded.enumerated() { _ = try await add(index, .success(playlist)) }
        var state = self
        await withTaskGroup(of: Step.self) { group in
            for index in state.tracks.indices where !state.isFinished[index] {
                let pause = loaded.isEmpty ? .zero : Self.target(state.tracks[index])
                state.load(index, after: pause, &group)
            }
            state.startRounds(&group)
            while let step = await group.next() {
                do throws(DownloadError) {
                    try await state.handle(step, &group)
                } catch {
                    state.failure = state.failure ?? error
                    group.cancelAll()
                }
            }
        }
        self = state
        if let failure { throw failure }
        try await download.checkCancellation()
        return missing
    }

    private mutating func handle(_ step: Step, _ group: inout TaskGroup<Step>) async throws(DownloadError) {
        switch step {
        case .round(let end):
            activeRounds -= 1
            switch end {
            case .complete(let skipped): missing.merge(skipped) { first, _ in first }
            case .failed(let error): throw error
            case .interrupted: throw AssetDownload.cancelled(download.request.url)
            }
            startRounds(&group)
        case .loaded(let index, let result, let began):
            guard failure == nil, !Task.isCancelled else { return }
            try await download.checkCancellation()
            let hasNew = try await add(index, result)
            startRounds(&group)
            guard !isFinished[index] else { return }
            // Section 6.3.4: a target duration after a load that has changed the playlist, otherwise half of one.
            let target = Self.target(tracks[index])
            load(index, after: hasNew ? max(.zero, began + target - clock.elapsed.now) : target / 2, &group)
        }
    }

    /// Adds the segments of a load to a track. Returns whether there are any.
    private mutating func add(
        _ index: Int,
        _ result: Result<AssetPlaylistLoader.Loaded, DownloadError>
    ) async throws(DownloadError) -> Bool {
        switch result {
        case .success(let loaded):
            guard case .media(let media) = loaded.playlist else {
                throw DownloadError(
                    .playlist,
                    url: loaded.url,
                    "expected a Media Playlist, found a Multivariant Playlist"
                )
            }
            let addition = try tracks[index].add(media, url: loaded.url, maximumDuration: seconds)
            isFinished[index] = tracks[index].isEnded || tracks[index].duration >= seconds
            guard addition.segmentCount > 0 else { break }
            lastAddition[index] = clock.elapsed.now
            try await store(addition, index)
            return true
        case .failure(let error):
            if error.code == .cancelled { throw error }
            // The stream has ended, and its playlist was removed.
            if error.load?.code == .notFound { try stop(index, "the playlist no longer exists") }
            if error.code == .playlist, tracks[index].playlist.segments.isEmpty { throw error }
        }
        let limit = max(Self.target(tracks[index]) * Self.maximumStaleTargetDurations, .seconds(60))
        if !isFinished[index], clock.elapsed.now - lastAddition[index] >= limit {
            try stop(index, "no new segment within \(Int(limit / .seconds(1))) seconds")
        }
        return false
    }

    /// Ends the reloads of a track before it has its duration.
    private mutating func stop(_ index: Int, _ reason: String) throws(DownloadError) {
        isFinished[index] = true
        let rest = max(0, seconds - tracks[index].duration)
        description.missing.append("\(tracks[index].name): the last \(Int(rest.rounded(.up))) seconds: \(reason)")
    }

    /// Writes the new segments of a track to the bundle, and acquires their keys.
    private mutating func store(_ addition: RecordedTrack.Addition, _ index: Int) async throws(DownloadError) {
        let first = description.resources.count
        description.resources += addition.resources
        guard description.resources.count <= settings.limits.resources,
            tracks[index].playlist.segments.count <= settings.limits.segments
        else {
            let limit = counted(settings.limits.segments, "segment")
            throw DownloadError(.limit, "media", "the recording has more than \(limit)")
        }
        description.missing += addition.missing
        let media = description.playlists.indices.filter { description.playlists[$0].kind != .multivariant }
        var playlist = try await download.write(tracks[index].playlist, as: description.playlists[media[index]])
        playlist.next = tracks[index].next
        description.playlists[media[index]] = playlist
        let new = addition.keys.groups.joined().map(\.identifier).filter { knownKeys.insert($0).inserted }
        for identifier in new where !description.keys.contains(identifier) {
            description.summary.keys.append(identifier)
        }
        description.summary.duration = tracks.map(\.duration).max() ?? 0
        try await download.write(&description)
        if !new.isEmpty {
            await download.note(addition.keys)
            do throws(DownloadError) {
                try await download.acquireKeys(description)
            } catch {
                // The stream does not wait for the server: the keys are requested again, at the latest at the end.
                guard error.code == .keys, first > 0 else { throw error }
                knownKeys.subtract(new)
            }
        }
        pendingFiles.formUnion(first..<description.resources.count)
        let progress = (seconds: tracks.map(\.duration).min() ?? 0, files: description.resources.count)
        recorded.withLock { $0 = progress }
    }

    private func load(_ index: Int, after pause: Duration, _ group: inout TaskGroup<Step>) {
        let media = description.playlists.filter { $0.kind != .multivariant }
        let url = media[index].url
        group.addTask { [loader, clock] in
            if pause > .zero { try? await clock.elapsed.sleep(for: pause) }
            let began = clock.elapsed.now
            do throws(DownloadError) {
                if Task.isCancelled { throw AssetDownload.cancelled(url) }
                return .loaded(index, .success(try await loader.loadPlaylist(url)), began: began)
            } catch {
                return .loaded(index, .failure(error), began: began)
            }
        }
    }

    /// Starts to download the files that wait.
    private mutating func startRounds(_ group: inout TaskGroup<Step>) {
        guard failure == nil, !pendingFiles.isEmpty, activeRounds < Self.maximumRounds else { return }
        let media = tracks.map(\.playlist)
        let files = DownloadFiles(
            resources: description.resources,
            missing: pendingFiles,
            expected: [:],
            journal: journal,
            folder: download.folder,
            transport: download.transport,
            check: MediaFileCheck(media),
            isLive: true,
            faults: download.faults,
            tracker: tracker
        )
        pendingFiles = []
        activeRounds += 1
        let round = DownloadRound(files: files, settings: settings, clock: clock) { [download] in download.emit($0) }
        group.addTask { .round(await round.run()) }
    }

    private static func target(_ track: RecordedTrack) -> Duration {
        .seconds(Int(min(max(track.playlist.targetDuration, 1), 3600)))
    }
}
