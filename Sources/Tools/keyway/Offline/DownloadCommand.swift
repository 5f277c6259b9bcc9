import ArgumentParser
import Dispatch
import Foundation
import HTTPTransport
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
              keyway download URL --out Films/film-7
              keyway download URL --out Films/film-7 --no-keys --variant 1280x720 --variant 640x360 --languages en,de
              keyway download URL --out Films/film-7 --no-keys --all

            FairPlay keys come from --server; clear keys (AES-128, KEYFORMAT identity) from the URLs in the playlists. Both \
            are kept encrypted beside the download.

            --variant is given once for each variant, as its limits with commas between them: 1280x720 (a size), 3000000 \
            (bits a second), hvc1 (how a codec begins); the best within them is taken. The words best and all stand alone.

            A download that was stopped, by Control-C, an error or a crash, goes on when the same command is given again. \
            One that is complete is checked, and what is damaged is fetched again. Where the URL is signed and has run out, \
            the same URL with a new query goes on.

            With --make-room a full disk does not end it: other downloads of the same folder go, one after the other, in the \
            order of "keyway offline evict", but none that is important or in use.

            Exit codes: 0 the bundle is complete, or with --no-keys all media are there; 1 the stream cannot be downloaded as \
            asked, or its keys are refused; 2 the command line is wrong; 3 the network or the disk failed, or it was \
            stopped: the same command goes on.
            """
    )

    @Argument(help: .init("A Multivariant or Media Playlist of a stream that is over.", valueName: "url"))
    var playlist: String

    @Option(
        help: .init("The folder of the download; made if it is not there.", valueName: "bundle"),
        transform: OutputPath.parse
    )
    var out: String

    @Option(help: .init("What the film is called; the name of the folder unless given.", valueName: "text"))
    var title: String?

    @OptionGroup(title: "What is downloaded") var choice: DownloadChoiceOptions

    @OptionGroup(title: "Keys") var keys: OfflineKeyOptions

    @Flag(help: "Fetch media only.")
    var noKeys = false

    @Option(help: .init("How many files are fetched at once.", valueName: "number"))
    var parallel = 4

    @Option(help: .init("How many of these from one server.", valueName: "number"))
    var perHost: Int?

    @Option(help: .init("After how many seconds without data a connection counts as broken.", valueName: "seconds"))
    var patience = 30.0

    @Flag(help: "Where the disk is full, remove other downloads.")
    var makeRoom = false

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
        try checkTitle()
        let selection = try choice.selection()
        var notes: [String] = []
        while true {
            do {
                let (bundle, received) = try await download(selection)
                var report = Report(bundle: bundle, received: received)
                report.notes += notes
                return try ReportOptions.print(report, json: output.json)
            } catch let error as DownloadError {
                guard error.code == .diskFull, makeRoom, let made = try await makeRoomForIt() else {
                    throw CommandFailure(error)
                }
                notes += made
            }
        }
    }

    /// Downloads, or goes on.
    private func download(_ selection: BundleSelection) async throws(DownloadError) -> (AssetBundle, received: UInt64) {
        var settings = DownloadSettings()
        settings.parallel = parallel
        settings.parallelPerHost = perHost ?? parallel
        settings.idleTimeout = .seconds(patience)
        settings.headTimeout = .seconds(patience)
        let request = AssetDownload.Request(url: playlist, folder: out, title: title, selection: selection)
        let download = AssetDownload(
            request,
            settings: settings,
            keys: noKeys ? nil : downloadKeys(),
            transport: HTTPDownloadTransport()
        )
        let narrating = Task { [quiet, output] in
            var narrator = DownloadNarrator(isQuiet: quiet || output.json)
            for await event in download.events { narrator.tell(event) }
            return narrator.end()
        }
        let signals = EndSignals { Task { await download.cancel() } }
        defer { signals.end() }
        do throws(DownloadError) {
            let bundle = try await download.run()
            return (bundle, await narrating.value)
        } catch {
            _ = await narrating.value
            throw error
        }
    }

    /// Removes the download that has to go first, and says so; nil: none may.
    private func makeRoomForIt() async throws -> [String]? {
        do {
            let own = (try? AssetBundle.open(folder.path))?.description.title ?? title ?? folder.lastPathComponent
            let home = try OfflineHome(library: library, keys.home)
            let eviction = LibraryEviction(home: home, keys: keys) { candidate in
                candidate.title == own || candidate.policy.priority == .important
            }
            let result = try await eviction.carryOut(toFree: 1)
            guard let gone = result.plan.evictions.first else { return nil }
            let words = "the disk was full: \(escaped(gone.title)) is gone, \(gone.size) bytes; \(gone.reason.words)"
            if !quiet, !output.json { Terminal.complain(words) }
            return [words] + result.notes
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    /// Keys are kept beside the download. Without a key server only clear keys can be had, from the URLs that name them.
    private func downloadKeys() -> any DownloadKeys {
        KeptDownloadKeys { [keys, library] in try keys.keys(try OfflineHome(library: library, keys.home)) }
    }

    private var folder: URL { URL(fileURLWithPath: out).standardizedFileURL }
    /// The folder of downloads.
    private var library: String { folder.deletingLastPathComponent().path }

    /// Keys are kept by title, and titles are removed by it: two downloads of one name would be one.
    private func checkTitle() throws {
        // One that goes on has its title already.
        guard !FileManager.default.fileExists(atPath: folder.path + "/bundle.json") else { return }
        let name = title ?? folder.lastPathComponent
        let others = ((try? BundleLibrary(library).bundles()) ?? []).filter { $0.folder != folder.path }
        guard let other = others.first(where: { (try? $0.summary.get())?.title == name }) else { return }
        throw CommandFailure.input("\(other.folder) is called \(name) already", next: "give another --title")
    }
}

/// The keys of a download, kept beside it. A film in clear needs none, and nothing is made for it.
struct KeptDownloadKeys: DownloadKeys {
    /// Opens what is kept.
    let open: @Sendable () throws -> OfflineKeys

    func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError) {
        try await kept(title).acquire(keys, title: title)
    }

    func prove(_ bundle: AssetBundle) async throws(DownloadKeysError) {
        guard bundle.description.keys.isEmpty else {
            return try await kept(bundle.description.title).prove(bundle)
        }
        do throws(PlayerError) {
            try await BundleProof.play(bundle, keys: PlayerKeySystems())
        } catch {
            throw DownloadKeysError(code: error.code, place: error.place, reason: "it does not start to play: \(error)")
        }
    }

    private func kept(_ title: String) throws(DownloadKeysError) -> OfflineKeys {
        do {
            return try open()
        } catch {
            throw DownloadKeysError(code: "storage", place: title, reason: "\(error)")
        }
    }
}

extension CommandFailure {
    /// A download does not begin, or has stopped.
    init(_ error: DownloadError) {
        let (kind, next): (Kind, String?) =
            switch error.code {
            case .load where error.isRefusedAddress:
                (.file, "where the URL is signed, the same URL with a new signature goes on")
            case .load, .storage, .diskFull, .cancelled, .busy: (.file, "the same command goes on where it stopped")
            case .damaged: (.file, "the same command fetches again what is damaged")
            case .playlist, .live, .limit, .keys, .noVariant, .noRendition, .noRanges, .changedOnServer, .otherBundle:
                (.input, nil)
            }
        self.init(kind: kind, what: "\(error)", next: next)
    }
}
