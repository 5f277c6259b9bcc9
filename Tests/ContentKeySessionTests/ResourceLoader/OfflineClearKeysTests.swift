import ContentKeySession
import KeywayTesting
import Synchronization
import Testing

@Suite("Offline clear keys")
struct OfflineClearKeysTests {
    /// A web server with a table of responses, which can be disconnected.
    private final class Web: KeyTransport {
        struct State {
            var answers: [String: KeyTransportResponse]
            var asked: [KeyTransportRequest] = []
            var isCut = false
        }
        let state: Mutex<State>

        init(_ pages: [String: String] = [:], answers: [String: KeyTransportResponse] = [:]) {
            let pages = pages.mapValues { KeyTransportResponse(status: 200, body: Array($0.utf8)) }
            state = Mutex(State(answers: pages.merging(answers) { _, new in new }))
        }

        var asked: [String] { state.withLock { $0.asked.map(\.url) } }
        func cut() { state.withLock { $0.isCut = true } }

        func send(_ request: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse {
            let answer: Result<KeyTransportResponse, KeyTransportError> = state.withLock { state in
                state.asked.append(request)
                guard !state.isCut else { return .failure(.noConnection) }
                return .success(state.answers[request.url] ?? KeyTransportResponse(status: 404))
            }
            return try answer.get()
        }
    }

    private static let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nlow.m3u8\n"
    private static let low = """
        #EXTM3U
        #EXT-X-TARGETDURATION:4
        #EXT-X-KEY:METHOD=AES-128,URI="k"
        #EXTINF:4,
        one.ts
        #EXT-X-ENDLIST

        """
    private static let key = "sixteen secrets."
    private static let pages = [
        "https://film.example/main.m3u8": main, "https://film.example/low.m3u8": low, "https://film.example/k": key,
    ]

    private func code(_ keys: OfflineClearKeys, _ url: String) async -> ResourceError.Code? {
        do throws(ResourceError) {
            _ = try await keys.answer(ResourceRequest(url))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("are stored before the playlist that refers to them is returned, and work without a network")
    func offline() async throws {
        let (web, shelf) = (Web(Self.pages), TestPersistentKeys())
        let keys = OfflineClearKeys(store: shelf, transport: web)
        let entrance = keys.interceptedURL(for: "https://film.example/main.m3u8")
        #expect(keys.intercepts(entrance))
        let main = try await keys.answer(ResourceRequest(entrance, contentInformation: .init()))
        #expect(main.contentInformation?.contentType == .playlist)
        #expect(shelf.keys.isEmpty)
        _ = try await keys.answer(ResourceRequest("interceptedhttps://film.example/low.m3u8"))
        #expect(shelf.keys == ["https://film.example/k": Array(Self.key.utf8)])
        #expect(web.asked.last == "https://film.example/k")
        web.cut()
        let asked = web.asked.count
        // The app was restarted: only the store is the same.
        let later = OfflineClearKeys(store: shelf, transport: web)
        let request = ResourceRequest("keptkeyhttps://film.example/k", contentInformation: .init())
        let answer = try await later.answer(request)
        #expect(answer.data?.bytes == Array(Self.key.utf8))
        #expect(answer.contentInformation?.contentType == .persistentContentKey)
        #expect(web.asked.count == asked)
        #expect(await code(later, "keptkeyhttps://film.example/other") == .noConnection)
        #expect(await code(later, entrance) == .noConnection)
    }

    @Test("are fetched at the first request, and then stored")
    func onDemand() async throws {
        let (web, shelf) = (Web(Self.pages), TestPersistentKeys())
        let keys = OfflineClearKeys(store: shelf, transport: web)
        for _ in 0..<2 {
            let answer = try await keys.answer(ResourceRequest("keptkeyhttps://film.example/k"))
            #expect(answer.data?.bytes == Array(Self.key.utf8))
        }
        #expect(web.asked == ["https://film.example/k"])
        #expect(shelf.keys.count == 1)
    }

    @Test("get the app's headers, which playlists do not")
    func headers() async throws {
        let web = Web(Self.pages)
        let keys = OfflineClearKeys(
            store: TestPersistentKeys(),
            transport: web,
            headers: { url in
                url.hasPrefix("https://film.example/") ? [KeyTransportHeader("Authorization", "Bearer t")] : []
            }
        )
        _ = try await keys.answer(ResourceRequest("interceptedhttps://film.example/low.m3u8"))
        let sent = web.state.withLock { $0.asked.map(\.headers.count) }
        #expect(sent == [0, 1])
    }

    @Test("prevent the download of a playlist that could not be played")
    func unplayable() async {
        let refused = Web(Self.pages, answers: ["https://film.example/k": KeyTransportResponse(status: 403)])
        let low = "interceptedhttps://film.example/low.m3u8"
        #expect(await code(OfflineClearKeys(store: TestPersistentKeys(), transport: refused), low) == .status)
        for body in ["", "fifteen bytes..", "seventeen bytes.."] {
            let page = Web(
                Self.pages,
                answers: ["https://film.example/k": KeyTransportResponse(status: 200, body: Array(body.utf8))]
            )
            let shelf = TestPersistentKeys()
            #expect(await code(OfflineClearKeys(store: shelf, transport: page), low) == .unreadableKey)
            #expect(shelf.keys.isEmpty)
        }
        let html = Web(["https://film.example/low.m3u8": "<html></html>"])
        #expect(
            await code(OfflineClearKeys(store: TestPersistentKeys(), transport: html), low) == .unreadablePlaylist
        )
        #expect(await code(OfflineClearKeys(store: TestPersistentKeys(), transport: Web()), low) == .status)
    }

    @Test("are resolved against the playlist's address after redirects")
    func redirects() async throws {
        let moved = { (to: String) in KeyTransportResponse(status: 302, headers: [.init("location", to)]) }
        let web = Web(
            [
                "https://cdn.example/b/low.m3u8": Self.low, "https://cdn.example/b/k": Self.key,
            ],
            answers: [
                "https://film.example/low.m3u8": moved("/a/low.m3u8"),
                "https://film.example/a/low.m3u8": moved("https://cdn.example/b/low.m3u8"),
                "https://film.example/loop": moved("loop"),
                "https://film.example/down": moved("http://film.example/low.m3u8"),
                "https://film.example/file": moved("file:///etc/passwd"),
                "https://film.example/k": moved("https://cdn.example/b/k"),
            ]
        )
        let keys = OfflineClearKeys(store: TestPersistentKeys(), transport: web)
        let answer = try await keys.answer(ResourceRequest("interceptedhttps://film.example/low.m3u8"))
        let text = String(decoding: answer.data?.bytes ?? [], as: UTF8.self)
        #expect(text.contains("keptkeyhttps://cdn.example/b/k"))
        for path in ["loop", "down", "file"] {
            #expect(await code(keys, "interceptedhttps://film.example/\(path)") == .badAddress, "\(path)")
        }
        // The request for a key includes a token, which only its server may receive.
        #expect(await code(keys, "keptkeyhttps://film.example/k") == .status)
    }

    @Test("answer only intercepted addresses")
    func others() async {
        let keys = OfflineClearKeys(store: TestPersistentKeys(), transport: Web(Self.pages))
        for url in ["https://film.example/k", "skd://film", "keptkeyfile:///etc/passwd"] {
            #expect(!keys.intercepts(url))
            #expect(await code(keys, url) == .notIntercepted)
        }
    }
}
