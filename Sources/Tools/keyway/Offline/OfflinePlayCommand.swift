import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import HLSPlaylist
import OfflineAssets
import StreamPlayer
import VirtualDevice

/// `keyway offline play`.
struct OfflinePlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play a download with its kept keys, without a network.",
        discussion: """
            Nothing is fetched: media come from the download's folder, keys from what is kept. The first play of a \
            rental begins its playback period, and the key that the device makes then takes the old one's place before \
            anything is shown.

            When the device does not take a kept key (-42799 outdated, -42800 expired, -42803 replaced), the key server \
            is asked for another if --server is given; it decides. Without it the device's reason is the answer.

              keyway offline play films/film --out - | ffplay -
              keyway offline play Film --library films --server http://127.0.0.1:8080 --credentials dev
            """
    )

    @OptionGroup var title: OfflineTitleArgument

    @Option(
        help: .init("A folder (a name that ends with /), a file, or - for standard output.", valueName: "path"),
        transform: OutputPath.parse
    )
    var out: String?

    @OptionGroup var keys: OfflineKeyOptions

    @Option(help: .init("Stop after so many seconds of media.", valueName: "seconds"))
    var duration: Double?

    @Option(help: .init("Languages, the first first, with commas.", valueName: "list"))
    var languages: String?

    @Option(
        help: .init(
            "Of the downloaded variants, one up to this size of the picture, such as 1280x720.",
            valueName: "size"
        )
    )
    var maxResolution: String?

    @Flag(help: "Take media no faster than a viewer would watch them, 30 seconds ahead.")
    var realTime = false

    @Flag(help: "Say nothing of each segment.")
    var quiet = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard duration.map({ $0 > 0 }) ?? true else { throw ValidationError("--duration is more than 0.") }
        guard maxResolution == nil || resolution != nil else {
            throw ValidationError("--max-resolution is a size such as 1280x720.")
        }
    }

    private var resolution: Resolution? {
        let sides = maxResolution?.split(separator: "x", omittingEmptySubsequences: false).map { UInt64($0) } ?? []
        guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
        return Resolution(width: width, height: height)
    }

    func run() async throws {
        do {
            try await play()
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    private func play() async throws {
        let place = try title.place()
        let bundle = try place.open()
        let home = try OfflineHome(library: place.library, keys.home)
        let playback = try keys.keys(home).playback(of: bundle.description.title, .keptThenServer)
        let narrator = PlayNarrator(isQuiet: quiet || output.json)
        let media = try PlayOutput(out)
        let player = Player(settings: settings(media), keys: playback.systems, loader: AssetBundleLoader(bundle)) {
            event in
            await narrator.tell(event)
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
        let shown = Report(
            playback: report,
            headline: "Played \(escaped(bundle.description.title)) to \(escaped(media.name)), without a network",
            variant: nil,
            accesses: await playback.accesses
        )
        try ReportOptions.print(shown, json: output.json, toStandardError: media.isStandardOutput)
    }

    private func settings(_ media: PlayOutput) -> PlayerSettings {
        var settings = PlayerSettings()
        if let languages { settings.preferences.languages = languages.split(separator: ",").map(String.init) }
        settings.maximumDuration = duration
        // Files come as fast as anybody wants them: the best variant plays from the first segment on.
        settings.abilities.throughput = 1 << 50
        settings.abilities.displaySize = resolution
        settings.isAdaptive = false
        settings.loadsSubtitles = media.isFolder
        // A file that is not there will not come.
        settings.attempts = 1
        if realTime { settings.pace = .realTime(ahead: .seconds(30)) }
        return settings
    }

    private static func isFile(_ error: PlayerError) -> Bool {
        switch error.cause {
        case .load, .output: true
        default: false
        }
    }

    /// What can be done about it: what the server or the store said, or else what the ledger knows.
    private func next(_ error: PlayerError, _ playback: OfflinePlayback) async -> String? {
        if let advice = await playback.advice { return advice }
        guard case .key = error.cause else { return nil }
        let now = SystemDeviceClock().now
        return playback.keys.ledger.deciding(at: now)?.advice(at: now)
            ?? "no key is kept for it: run keyway download again"
    }
}
