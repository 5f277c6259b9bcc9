import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import Foundation
import HLSPlaylist
import HTTPTransport
import StreamPlayer
import VirtualDevice

/// `keyway play`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play an encrypted stream: get its keys as an app does, decrypt it, and hand it on in clear.",
        discussion: """
            The playlists and segments come from a web server or from files, the keys from a key server by way of a \
            content key session and a key loader, the device is a virtual one. What comes out is fragmented MP4 or a \
            transport stream, in a file, a folder or a pipe:

              keyway play URL --server http://127.0.0.1:8080 --credentials dev --out - | ffplay -
              keyway play URL --server http://127.0.0.1:8080 --credentials dev --out clear/
              keyway play URL --out clear.mp4

            Without --out everything is decrypted and nothing is kept, which shows whether a stream plays. Without \
            --server only clear media and clear keys (METHOD=AES-128, SAMPLE-AES with KEYFORMAT identity) are played. \
            A live stream is played until --duration or Control-C.
            """
    )

    @Argument(help: .init("A Multivariant or Media Playlist: a URL, or a file.", valueName: "url"))
    var playlist: String

    @Option(help: .init("The key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String?

    @Option(
        help: .init("A folder (a name that ends with /), a file, or - for standard output.", valueName: "path"),
        transform: OutputPath.parse
    )
    var out: String?

    @OptionGroup var device: PlayDeviceOptions

    @Option(help: .init("The token that the key server wants.", valueName: "text|@file"))
    var token: String?

    @Option(help: .init("Stop after so many seconds of media.", valueName: "seconds"))
    var duration: Double?

    @Option(help: .init("Variants up to so many bits a second.", valueName: "number"))
    var maxBandwidth: UInt64?

    @Option(help: .init("Variants up to this size of the picture, such as 1280x720.", valueName: "size"))
    var maxResolution: String?

    @Option(help: .init("Languages, the first first, with commas.", valueName: "list"))
    var languages: String?

    @Flag(help: "Take media no faster than a viewer would watch them, 30 seconds ahead.")
    var realTime = false

    @Flag(help: "Get keys when they are needed, and none ahead.")
    var noPreload = false

    @Flag(help: "Ask for each key on its own, as of a key server without a route for several at once.")
    var noBatch = false

    @Flag(help: "Stay with the first variant.")
    var noSwitching = false

    @Flag(help: "Say nothing of each segment.")
    var quiet = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        if let server, KeyServerClient.url(server) == nil {
            throw ValidationError("--server is a URL that begins with http:// or https://.")
        }
        guard server == nil || device.isGiven else {
            throw ValidationError("--server needs one of --credentials, --ask and --dask.")
        }
        guard duration.map({ $0 > 0 }) ?? true else { throw ValidationError("--duration is more than 0.") }
        guard maxResolution == nil || resolution != nil else {
            throw ValidationError("--max-resolution is a size such as 1280x720.")
        }
    }

    private var resolution: Resolution? {
        let parts = maxResolution?.split(separator: "x", omittingEmptySubsequences: false).map { UInt64($0) } ?? []
        guard parts.count == 2, let width = parts[0], let height = parts[1] else { return nil }
        return Resolution(width: width, height: height)
    }

    func run() async throws {
        let narrator = PlayNarrator(isQuiet: quiet || output.json)
        let media = try PlayOutput(out)
        let keys = try await PlayKeys(server: server, device: device, token: token, usesBatches: !noBatch)
        let player = Player(settings: settings(media), keys: keys.systems, loader: HTTPMediaLoader()) { event in
            if case .loadedMultivariant(let playlist) = event, !noPreload { await keys.preload(playlist) }
            await narrator.tell(event)
        }
        let report: PlaybackReport
        do {
            report = try await keys.whileAnswering { try await player.play(Self.url(playlist), to: media.output) }
        } catch let error as PlayerError {
            let advice = await keys.advice
            throw CommandFailure(kind: error.exitKind, what: error.description, next: advice)
        }
        let shown = await narrator.report(report, playlist: playlist, to: media.name, keys: keys)
        // The media have standard output to themselves.
        try ReportOptions.print(shown, json: output.json, toStandardError: media.isStandardOutput)
    }

    private func settings(_ media: PlayOutput) -> PlayerSettings {
        var settings = PlayerSettings()
        settings.abilities.bandwidthCap = maxBandwidth
        settings.abilities.displaySize = resolution
        if let languages { settings.preferences.languages = languages.split(separator: ",").map(String.init) }
        settings.maximumDuration = duration
        settings.isAdaptive = !noSwitching
        settings.loadsSubtitles = media.isFolder
        if realTime { settings.pace = .realTime(ahead: .seconds(30)) }
        return settings
    }

    /// A path becomes a `file:` URL.
    private static func url(_ text: String) -> String {
        text.contains("://") ? text : URL(fileURLWithPath: text).absoluteString
    }
}

extension PlayerError {
    fileprivate var exitKind: CommandFailure.Kind {
        switch cause {
        case .load, .output: .file
        case .playlist, .notMedia, .nothingPlayable, .noKeySystem, .key, .media, .live: .input
        }
    }
}
