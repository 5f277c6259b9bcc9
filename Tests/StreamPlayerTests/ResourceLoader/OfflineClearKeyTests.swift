import ContentKeySession
import HLSPlaylist
import KeywayTesting
import StreamPlayer
import Synchronization
import Testing

/// AES-128 without a network: playlists are intercepted while the title is downloaded, the keys are stored, and the
/// downloaded playlists request them from the app.
@Suite("A downloaded stream under AES-128", .timeLimit(.minutes(10)))
struct OfflineClearKeyTests {
    private static let film = [
        "https://film.test/main.m3u8": """
        #EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS="avc1.4d401e"
        hd/video.m3u8

        """,
        "https://film.test/hd/video.m3u8": """
        #EXTM3U
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:7
        #EXT-X-KEY:METHOD=AES-128,URI="one.key"
        #EXTINF:4,
        7.ts
        #EXTINF:4,
        8.ts
        #EXT-X-KEY:METHOD=AES-128,URI="https://keys.test/two?id=9"
        #EXTINF:4,
        9.ts
        #EXT-X-KEY:METHOD=NONE
        #EXTINF:4,
        10.ts
        #EXT-X-ENDLIST

        """,
    ]

    /// The service: all resources on the network.
    private final class Service: KeyTransport {
        let isCut = Mutex(false)
        let asked = Mutex<[String]>([])

        private func resource(_ url: String) -> [UInt8]? {
            if let text = film[url] { return Array(text.utf8) }
            let one = "https://film.test/hd/one.key"
            let two = "https://keys.test/two?id=9"
            return switch url {
            case one, two: StageKeys.key(url)
            case "https://film.test/hd/7.ts": StageKeys.encrypted("seven", one, number: 7)
            case "https://film.test/hd/8.ts": StageKeys.encrypted("eight", one, number: 8)
            case "https://film.test/hd/9.ts": StageKeys.encrypted("nine", two, number: 9)
            case "https://film.test/hd/10.ts": StageMedia.bytes("clear")
            default: nil
            }
        }

        func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
            guard !isCut.withLock({ $0 }) else { throw .noConnection }
            asked.withLock { $0.append(request.url) }
            guard let body = resource(request.url) else { return KeyTransportResponse(status: 404) }
            return KeyTransportResponse(status: 200, body: body)
        }
    }

    /// The downloaded resources, by their requested addresses.
    private struct Disk: MediaLoader {
        var files: [String: [UInt8]] = [:]

        func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
            guard let bytes = files[resource.url] else { throw MediaLoadError(.badAddress, resource.url) }
            return LoadedMedia(bytes: bytes, url: resource.url)
        }
    }

    /// Downloads like a device: requests unsupported addresses from the app, and the others from the network.
    private func download(_ entrance: String, _ keys: OfflineClearKeys, _ service: Service) async throws -> Disk {
        var disk = Disk()
        var waiting = [entrance]
        while let url = waiting.popLast() {
            guard disk.files[url] == nil else { continue }
            guard keys.intercepts(url) else {
                disk.files[url] = try await service.send(KeyTransportRequest(.get, url)).body
                continue
            }
            let bytes = try #require(try await keys.answer(ResourceRequest(url)).data?.bytes)
            disk.files[url] = bytes
            switch try Playlist(parsing: bytes) {
            case .multivariant(let main): waiting += main.variants.map(\.uri)
            case .media(let media): waiting += media.segments.map(\.uri)
            }
        }
        return disk
    }

    /// Plays the downloaded resources with the keys provided by the app.
    private func play(_ disk: Disk, _ entrance: String, _ keys: OfflineClearKeys) async throws -> [String] {
        let stage = Stage()
        let session = KeySession(
            keySystem: .clearKey,
            device: NoContentProtection(),
            clock: stage.clock,
            responseTimeout: nil
        )
        let requests = session.requests
        let answering = Task {
            for await request in requests {
                let asked = ResourceRequest(
                    request.identifier,
                    contentInformation: .init(allowedContentTypes: [.contentKey, .persistentContentKey])
                )
                do {
                    let key = try await keys.answer(asked).data?.bytes ?? []
                    await request.processContentKeyResponse(ContentKeyResponse(clearKeyData: key))
                } catch {
                    await request.processContentKeyResponseError(error)
                }
            }
        }
        defer { answering.cancel() }
        let player = Player(keys: PlayerKeySystems(clearKey: session), loader: disk, clock: stage.clock)
        _ = try await player.play(entrance, to: stage.output)
        return stage.output.texts
    }

    /// Keyway's player supports only HTTP schemes, so the app's addresses have hosts that do not exist.
    private func app(_ storedKeys: TestPersistentKeys, _ service: Service) throws -> OfflineClearKeys {
        OfflineClearKeys(
            store: storedKeys,
            transport: service,
            addresses: try #require(
                InterceptedAddresses(playlists: "https://playlists.invalid/", keys: "https://keys.invalid/")
            )
        )
    }

    @Test("plays the same bytes without a network, with the stored keys")
    func plays() async throws {
        let (service, storedKeys) = (Service(), TestPersistentKeys())
        let online = try app(storedKeys, service)
        let entrance = online.interceptedURL(for: "https://film.test/main.m3u8")
        let disk = try await download(entrance, online, service)
        #expect(disk.files.count == 6)
        // The keys were fetched before the segments that they decrypt, and are in the key store, not with the media.
        let asked = service.asked.withLock { $0 }
        #expect(asked.firstIndex(of: "https://keys.test/two?id=9") == 3)
        #expect(storedKeys.keys.count == 2)
        #expect(!disk.files.values.contains(StageKeys.key("https://film.test/hd/one.key")))

        service.isCut.withLock { $0 = true }
        let offline = try app(storedKeys, service)
        #expect(try await play(disk, entrance, offline) == ["seven", "eight", "nine", "clear"])
        #expect(service.asked.withLock { $0.count } == asked.count)
    }

    @Test("does not play without the keys")
    func withoutKeys() async throws {
        let (service, storedKeys) = (Service(), TestPersistentKeys())
        let online = try app(storedKeys, service)
        let entrance = online.interceptedURL(for: "https://film.test/main.m3u8")
        let disk = try await download(entrance, online, service)
        service.isCut.withLock { $0 = true }
        for identifier in storedKeys.keys.keys { storedKeys.remove(identifier) }
        let offline = try app(storedKeys, service)
        let error = await #expect(throws: PlayerError.self) { try await play(disk, entrance, offline) }
        #expect(error?.place == "https://keys.invalid/https://film.test/hd/one.key")
    }
}
