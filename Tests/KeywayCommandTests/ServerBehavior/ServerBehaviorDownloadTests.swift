import Foundation
import HTTPTransport
import OfflineAssets
import StreamPlayer
import Testing

@testable import keyway

/// Downloads from the same paths, with the transport and the HTTP client of the commands.
@Suite("Downloads from servers with unusual behavior", .timeLimit(.minutes(10)))
struct ServerBehaviorDownloadTests {
    /// The behaviors with another outcome in downloads: their errors are of another kind.
    private static let others: Set<String> = [
        "206 for a request without a range", "a Content-Length of 10 TB", "gzip and br are accepted for playlists",
    ]

    /// The indices of the behaviors that have the same outcome in downloads. A download does not choose another variant,
    /// does not omit subtitles, and has its own timeouts; keys are not downloaded here.
    private static let indices = ServerBehavior.all.indices.filter { index in
        let behavior = ServerBehavior.all[index]
        let isCommon = behavior.idleTimeout == .seconds(60) && !others.contains(behavior.name)
        return isCommon && !behavior.outcome.isOtherVariant && ![.key, .subtitles].contains(behavior.resource)
    }

    @Test("have the declared outcome, and what is downloaded is equal to the source", arguments: indices)
    func outcome(index: Int) async throws {
        let (behavior, site) = (ServerBehavior.all[index], try BehaviorSite.shared.get())
        let folder = try TemporaryFolder()
        var client = WebClient(proxies: HTTPProxies([:]))
        client.headers.headers = behavior.headers
        let url = "\(site.server.address)/d\(index)/main.m3u8"
        if let url = URL(string: url) { client.headers.add(url) }
        var settings = DownloadSettings()
        settings.attempts = 4
        // Also the maximum for the delays that servers require.
        (settings.initialRetryDelay, settings.maximumRetryDelay) = (.milliseconds(1), .milliseconds(1))
        let download = AssetDownload(
            .init(url: url, folder: folder.url.appending(path: "film").path),
            settings: settings,
            keys: nil,
            transport: HTTPDownloadTransport(client)
        )
        let name = behavior.testDescription
        do throws(DownloadError) {
            let bundle = try await download.run()
            #expect(behavior.outcome.code == nil, "\(name)")
            let output = PlaybackObservations()
            let player = Player(keys: PlayerKeySystems(), loader: AssetBundleLoader(bundle))
            _ = try? await player.play(bundle.mainPlaylistURL, to: output)
            #expect(output.playedMedia == site.media(behavior), "\(name)")
        } catch {
            let code = error.load?.code.rawValue ?? error.code.rawValue
            #expect(
                code == (behavior.outcome.code == "missing-extm3u" ? "playlist" : behavior.outcome.code),
                "\(name): \(error)"
            )
            #expect(!error.description.contains("s3cr3t"))
        }
    }
}
