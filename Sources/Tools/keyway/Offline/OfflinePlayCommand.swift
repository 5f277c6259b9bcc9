import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import HLSPlaylist
import OfflineAssets
import StreamPlayer
import ToolSupport
import VirtualDevice

/// `keyway offline play`.
struct OfflinePlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play a download with its stored keys, without a network.",
        discussion: """
            Media is read from the download's folder, and keys from the key storage. The first playback of a rental \
            starts its playback period; before playback, the device replaces the stored key with one that contains the \
            start of the period.

            If the device rejects a stored key (-42799 outdated, -42800 expired, -42803 replaced) and --server is \
            given, a new key is requested from the server. Without --server, the command fails with the device's \
            error.

            Each file is compared with its checksum before it is used: a file that was changed ends playback with an \
            error. A folder that is read-only can be played, except that the first playback of a rental must be recorded.

            Without --out, everything is decrypted and discarded, which tests whether the download plays.

              keyway offline play movies/movie --out - | ffplay -
              keyway offline play Movie --library movies \\
                  --server http://127.0.0.1:8080 --credentials dev
            """
    )

    @OptionGroup var title: OfflineTitleArgument

    @Option(
        help: .init(
            "A folder (an existing one, or a name that ends with /), a file, or - for standard "
                + "output. (default: the media is discarded)",
            valueName: "file|folder"
        )
    )
    var out: OutputPath?

    @OptionGroup var keys: OfflineKeyOptions

    @Option(help: .init("Stop after this much media. (default: the whole download)", valueName: "duration"))
    var duration: DurationArgument?

    @Option(
        help: .init(
            "Preferred languages, most preferred first, separated by commas. (default: the default "
                + "renditions)",
            valueName: "list"
        )
    )
    var languages: CommaList<String>?

    @Option(
        help: .init(
            "The maximum resolution among the downloaded variants, such as 1280x720. (default: no "
                + "limit)",
            valueName: "resolution"
        )
    )
    var maxResolution: ResolutionArgument?

    @Flag(help: "Read media at playback speed, at most 30 seconds ahead.")
    var realTime = false

    @Flag(help: "Do not print a line for each segment.")
    var quiet = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard duration.map({ $0.value > .zero }) ?? true else {
            throw ValidationError("--duration: expected a duration above 0s.")
        }
    }

    func run() async throws {
        do {
            try await play()
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    private func play() async throws {
        let location = try title.location()
        let bundle = try location.open()
        if let languages { try bundle.requireLanguage(of: languages.elements) }
        let storage = try OfflineStorage(library: location.library, keys.storage, mustBeWritable: false)
        let playback = try keys.keys(storage).playback(of: bundle.description.title, .storedThenServer)
        let printer = PlaybackEventPrinter(isQuiet: quiet || output.json, languages: languages?.elements ?? [])
        let media = try PlayOutput(out?.path)
        let loader = AssetBundleLoader(bundle)
        let player = Player(settings: settings(media), keys: playback.systems, loader: loader) { event in
            await printer.print(event)
        }
        let report: PlaybackReport
        do {
            report = try await playback.whileAnswering {
                try await player.play(bundle.mainPlaylistURL, to: media.output)
            }
        } catch let error as PlayerError {
            throw CommandFailure(
                kind: Self.isFile(error) ? .file : .input,
                what: error.description,
                next: await next(error, playback)
            )
        }
        playback.keys.notePlayback()
        if let error = playback.keys.error { throw CommandFailure(error) }
        var shown = Report(
            playback: report,
            headline: "Played \(escaped(bundle.description.title)) to \(escaped(media.name)), without a network",
            variant: nil,
            accesses: await playback.accesses
        )
        if let note = storage.readOnlyNote { shown.notes.append(note) }
        // The player may have continued with another variant.
        if let file = loader.damagedFiles.first {
            shown.problem = .init(
                stage: "playback",
                code: "damaged",
                reason: "\(bundle.folder)/\(file): the file has changed since it was downloaded",
                next: Self.repairAdvice
            )
        }
        shown.notes += await printer.notes
        try ReportOptions.print(shown, json: output.json, toStandardError: media.isStandardOutput)
    }

    private func settings(_ media: PlayOutput) -> PlayerSettings {
        var settings = PlayerSettings()
        if let languages {
            // What was downloaded can be chosen, whether or not players choose it by themselves (AUTOSELECT).
            settings.preferences.languages = languages.elements
            settings.preferences.isUserChoice = true
        }
        settings.maximumDuration = duration?.seconds
        // Reading files is not limited by a network, so the best variant is selected from the first segment on.
        settings.abilities.throughput = 1 << 50
        settings.abilities.displaySize = maxResolution?.value
        settings.isAdaptive = false
        settings.loadsSubtitles = media.isFolder
        // Retrying cannot help if a file is missing.
        settings.attempts = 1
        if realTime { settings.pace = .realTime(ahead: .seconds(30)) }
        return settings
    }

    private static let repairAdvice =
        "run keyway download again with the same --out, which fetches only changed files; keyway offline verify lists them"

    private static func isFile(_ error: PlayerError) -> Bool {
        switch error.cause {
        case .load(let error): error.code != .damaged
        case .output: true
        default: false
        }
    }

    /// Returns the advice of the server or the key store, or of the ledger.
    private func next(_ error: PlayerError, _ playback: OfflinePlayback) async -> String? {
        if case .load = error.cause { return Self.repairAdvice }
        let now = SystemDeviceClock().now
        let entry = await playback.keys.ledger.deciding(at: now)
        // The error of the device already states what expired and when.
        if case .key(let error) = error.cause, error.retryReason == .receivedObsoleteContentKey, let entry {
            return entry.advice(at: now)
        }
        if let advice = await playback.advice {
            guard let entry, [.storageExpired, .playbackExpired].contains(entry.state(at: now)) else { return advice }
            return "\(entry.remainingTimeText(at: now)); \(advice)"
        }
        guard case .key = error.cause else { return nil }
        guard let entry else { return "no key is stored for it: run keyway download again" }
        return entry.state(at: now).isPlayable ? nil : entry.advice(at: now)
    }
}
