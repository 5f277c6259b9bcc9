import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import SimulatedClocks
import StreamPlayer
import Synchronization
import Testing
import VirtualDevice

/// A web site with one movie, clear or encrypted with a key of the server.
struct TutorialSite: MediaLoader {
    static let film = "https://site.test/main.m3u8"
    /// WebVTT, because the player accepts only media.
    static let content = "WEBVTT\n\nthe video and the audio"
    private let files: [String: [UInt8]]

    /// - Parameter announced: the keys that EXT-X-SESSION-KEY declares.
    init(_ asset: String?, of server: TestKeyServer, announced: [String] = []) throws {
        var segment = Array(Self.content.utf8)
        var key = ""
        let format = #"KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1""#
        if let asset {
            let padding = 16 - segment.count % 16
            segment += [UInt8](repeating: UInt8(padding), count: padding)
            segment = try AES128.encryptCBC(
                segment,
                key: #require(server.keys[asset]),
                iv: #require(server.vectors[asset])
            )
            key = "#EXT-X-KEY:METHOD=AES-128,URI=\"skd://\(asset)\",\(format)\n"
        }
        let sessionKeys = announced.map { "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"skd://\($0)\",\(format)\n" }
        let main = "#EXTM3U\n\(sessionKeys.joined())#EXT-X-STREAM-INF:BANDWIDTH=1000\nmedia.m3u8\n"
        let media = "#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:4\n\(key)#EXTINF:4,\n0.ts\n#EXT-X-ENDLIST\n"
        files = ["main.m3u8": Array(main.utf8), "media.m3u8": Array(media.utf8), "0.ts": segment]
    }

    func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        guard let bytes = files[String(resource.url.split(separator: "/").last ?? "")] else {
            throw MediaLoadError(.notFound, resource.url)
        }
        return LoadedMedia(bytes: bytes, url: resource.url)
    }
}

/// An output that stores what a player writes.
final class TutorialOutput: MediaOutput {
    let supportsInitializationChanges = true
    private let pieces = EventRecorder<[UInt8]>()
    var text: String { String(decoding: pieces.all.joined(), as: UTF8.self) }
    func write(_ piece: DecryptedPiece) async throws { pieces.add(piece.bytes) }
    func finish() async throws {}
}

struct TutorialAccount: Account {
    let asked = EventRecorder<Bool>()

    func playbackToken(isFresh: Bool) async throws -> String {
        asked.add(isFresh)
        return Tokens.good
    }
}

extension KeyPathBench {
    /// Creates a session and a loader as in step 9, over this bench's device, transport and clock.
    func tutorial(
        _ settings: KeyLoaderSettings = .patient,
        account: TutorialAccount = TutorialAccount()
    ) -> (session: KeySession, loader: KeyLoader) {
        let service = keyService("http://127.0.0.1:\(proxy.port)", for: account)
        let session = KeySession(
            device: device,
            clock: SimulatedClock(time: time, wakes: false),
            responseTimeout: nil,
            renewalLead: nil
        )
        let loader = KeyLoader(
            source: session,
            service: service,
            transport: transport,
            settings: settings,
            clock: SimulatedClock(time: time),
            random: SeededNumbers(seed: 1)
        )
        return (session, loader)
    }

    /// Runs a loader while `body` runs, then ends its session.
    func running(
        _ parts: (session: KeySession, loader: KeyLoader),
        _ body: () async throws -> Void
    ) async throws {
        async let running: Void = parts.loader.run()
        do { try await body() } catch {
            await parts.session.expire()
            throw error
        }
        await parts.session.expire()
        await running
    }
}
