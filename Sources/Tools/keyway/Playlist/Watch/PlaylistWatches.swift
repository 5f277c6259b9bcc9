import ContentKeySession
import HLSPlaylist
import StreamValidation
import ToolSupport

/// The Media Playlists that `keyway playlist check --watch` watches: the one on the command line, or those of a
/// Multivariant Playlist.
struct PlaylistWatches {
    let checker: PlaylistChecker
    let input: PlaylistInput
    let subject: PlaylistChecker.Subject
    /// The time since the first load started.
    let time: ElapsedTime

    /// Watches the playlists that have not ended until the limit, their end, or Control-C.
    ///
    /// - Parameter found: The findings of the first load, to which those of the watch are added.
    func run(
        _ media: [PlaylistChecker.CheckedMedia],
        _ checks: PlaylistWatch.Checks,
        until limit: WatchLimit,
        _ found: inout CheckFindings
    ) async throws(CommandFailure) {
        guard checker.follows || !isMultivariant else {
            throw .input(
                "\(input.name) is a Multivariant Playlist, and --no-follow excludes its Media Playlists",
                next: "remove --no-follow, or give one of its Media Playlists"
            )
        }
        let now = time.now
        let items = media.map { item($0, checks, known: found.findings, now) }.filter { $0.watch.next != nil }
        guard !items.isEmpty else {
            return PlaylistChecker.printNote("no playlist is live, so there is nothing to watch", of: input.name)
        }
        let run = Task { [time] in await WatchRun(time: time, limit: limit).run(items) }
        let signals = TerminationSignals { run.cancel() }
        defer { signals.end() }
        for watch in await run.value {
            found.findings += watch.findings.map {
                CheckFinding($0.diagnostic, in: $0.file, name: watch.name, reload: $0.reload)
            }
            found.watched.append(watch.summary)
        }
    }

    private var isMultivariant: Bool {
        if case .success(let file) = subject.file { file.playlist.kind == .multivariant } else { false }
    }

    private func item(
        _ media: PlaylistChecker.CheckedMedia,
        _ checks: PlaylistWatch.Checks,
        known: [CheckFinding],
        _ now: Duration
    ) -> WatchRun.Item {
        let (loader, parent) = (checker.loader, subject.loaded.location)
        let location = media.uri.map { try? parent.child($0) } ?? input.location
        let watch = PlaylistWatch(
            media.file,
            name: media.name,
            checks: checks,
            known: Set(known.filter { $0.file == media.name }.map(\.rule)),
            isRemote: location?.isRemote ?? false,
            timeout: .seconds(checker.loader.timeout),
            began: .zero,
            now: now
        )
        return WatchRun.Item(watch: watch) { load throws(PlaylistLocation.Refusal) in
            var loader = loader
            loader.timeout = load.timeout / .seconds(1)
            let loaded: PlaylistLoader.Loaded
            if let uri = media.uri {
                loaded = try await loader.load(load.uri(uri), from: parent, limit: loader.limit)
            } else {
                loaded = try await loader.reload(input.location, load)
            }
            var options = media.options
            if loaded.location.isRemote { options.url = loaded.location.base }
            do throws(PlaylistError) {
                let name = loaded.location.isRemote ? loaded.location.base : media.file.name
                return try LintFile(name: name, bytes: loaded.bytes, options: options)
            } catch {
                throw PlaylistLocation.Refusal(reason: error.diagnostic.message)
            }
        }
    }
}
