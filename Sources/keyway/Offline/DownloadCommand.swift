import ArgumentParser
import Dispatch
import Foundation
import OfflineAssets
import StreamPlayer

/// `keyway download`.
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download a stream into a folder that plays without a network.",
        discussion: """
            What is downloaded is the best variant, and what a player would choose beside it:

              keyway download URL --out Films/film-7 --server http://127.0.0.1:8080 --credentials dev
              keyway download URL --out Films/film-7 --no-keys
              keyway download URL --out Films/film-7 --no-keys --variant 1280x720 --variant 640x360 --languages en,de
              keyway download URL --out Films/film-7 --no-keys --all

            --variant is given once for each variant, as its limits with commas between them: 1280x720 (a size), 3000000 \
            (bits a second), hvc1 (how a codec begins); the best within them is taken. The words best and all stand alone.

            A download that was stopped, by Control-C, an error or a crash, goes on when the same command is given again. \
            One that is complete is checked, and what is damaged is fetched again.

            Exit codes: 0 the bundle is complete, or with --no-keys all media are there; 1 the stream cannot be downloaded as \
            asked, or its keys are refused; 2 the command line is wrong; 3 the network or the disk failed, or it was \
            stopped: the same command goes on.
            """
    )

    @Argument(help: .init("A Multivariant or Media Playlist of a stream that is over.", valueName: "url"))
    var playlist: String

    @Option(help: .init("The folder of the download; made if it is not there.", valueName: "bundle"))
    var out: String

    @Option(help: .init("What the film is called; the name of the folder unless given.", valueName: "text"))
    var title: String?

    @OptionGroup(title: "What is downloaded") var choice: DownloadChoiceOptions

    @OptionGroup(title: "Keys") var keys: OfflineKeyOptions

    @Flag(help: "Fetch media only: of clear streams, or where keys are not wanted.")
    var noKeys = false

    @Option(help: .init("How many files are fetched at once.", valueName: "number"))
    var parallel = 4

    @Option(help: .init("How many of these from one server.", valueName: "number"))
    var perHost: Int?

    @Option(help: .init("After how many seconds without data a connection counts as broken.", valueName: "seconds"))
    var patience = 30.0

    @Flag(help: "Say nothing while downloading.")
    var quiet = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (1...64).contains(parallel), (1...64).contains(perHost ?? 1) else {
            throw ValidationError("--parallel and --per-host are 1 to 64.")
        }
        guard (1...3600).contains(patience) else { throw ValidationError("--patience is 1 to 3600 seconds.") }
        guard !out.isEmpty else { throw ValidationError("--out is a folder.") }
        _ = try choice.selection()
    }

    func run() async throws {
        HTTPProxy.exemptThisMachine()
        var settings = DownloadSettings()
        settings.parallel = parallel
        settings.parallelPerHost = perHost ?? parallel
        settings.idleTimeout = .seconds(patience)
        settings.headTimeout = .seconds(patience)
        let request = AssetDownload.Request(url: playlist, folder: out, title: title, selection: try choice.selection())
        let download = AssetDownload(request, settings: settings, keys: noKeys ? nil : try downloadKeys())
        let narrating = Task { [quiet, output] in
            var narrator = DownloadNarrator(isQuiet: quiet || output.json)
            for await event in download.events { narrator.tell(event) }
            return narrator.end()
        }
        let signals = [SIGINT, SIGTERM].map { Self.cancels(download, on: $0) }
        defer { for signal in signals { signal.cancel() } }
        let bundle: AssetBundle
        do throws(DownloadError) {
            bundle = try await download.run()
        } catch {
            _ = await narrating.value
            throw CommandFailure(error)
        }
        let received = await narrating.value
        try ReportOptions.print(Report(bundle: bundle, received: received), json: output.json)
    }

    /// Where keys come from: a key server, if there is one. They are kept beside the download.
    private func downloadKeys() throws -> any DownloadKeys {
        guard keys.server != nil else { return NoDownloadKeys() }
        let folder = URL(fileURLWithPath: out).standardizedFileURL.deletingLastPathComponent().path
        return try keys.keys(try OfflineHome(library: folder, keys.home))
    }

    /// The first signal stops the download in order; the second one the process, as it would have.
    private static func cancels(_ download: AssetDownload, on number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            signal(number, SIG_DFL)
            Task { await download.cancel() }
        }
        source.resume()
        return source
    }
}

/// Where nobody was named who has keys: only a clear stream becomes a bundle.
struct NoDownloadKeys: DownloadKeys {
    func acquire(_ keys: [[DownloadKey]], title _: String) async throws(DownloadKeysError) {
        throw DownloadKeysError(
            code: "no-key-system",
            place: keys.first?.first?.identifier ?? "the stream",
            reason: "the stream is encrypted; --no-keys fetches its media alone"
        )
    }

    func prove(_ bundle: AssetBundle) async throws(DownloadKeysError) {
        do throws(PlayerError) {
            try await BundleProof.play(bundle, keys: PlayerKeySystems())
        } catch {
            throw DownloadKeysError(code: error.code, place: error.place, reason: "it does not start to play: \(error)")
        }
    }
}

extension CommandFailure {
    /// A download does not begin, or has stopped.
    init(_ error: DownloadError) {
        let (kind, next): (Kind, String?) =
            switch error.code {
            case .load, .storage, .diskFull, .cancelled, .busy: (.file, "the same command goes on where it stopped")
            case .damaged: (.file, "the same command fetches again what is damaged")
            case .playlist, .live, .limit, .keys, .noVariant, .noRendition, .noRanges, .changedOnServer, .otherBundle:
                (.input, nil)
            }
        self.init(kind: kind, what: "\(error)", next: next)
    }
}
