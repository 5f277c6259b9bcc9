import Foundation
import StreamPlayer
import Testing

@Suite("Loading media from files, and shared code of loaders")
struct FileMediaLoaderTests {
    private let loader = FileMediaLoader()

    private func failure(_ resource: MediaResource) async -> MediaLoadError? {
        do throws(MediaLoadError) {
            _ = try await loader.load(resource)
            return nil
        } catch {
            return error
        }
    }

    @Test("reads whole files or ranges")
    func files() async throws {
        let path = NSTemporaryDirectory() + "media-\(UUID().uuidString)"
        try Data("abcdef".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let url = URL(fileURLWithPath: path).absoluteString
        #expect(try await loader.load(MediaResource(url)).bytes == Array("abcdef".utf8))
        #expect(try await loader.load(MediaResource(url, range: 2..<4)).bytes == Array("cd".utf8))
        #expect(await failure(MediaResource(url, range: 4..<9))?.code == .wrongRange)
        #expect(await failure(MediaResource(url, range: 0..<(.max)))?.code == .tooLarge)
        #expect(await failure(MediaResource(url, maximumSize: 5))?.code == .tooLarge)
        #expect(await failure(MediaResource(url, range: 0..<6, maximumSize: 5))?.code == .tooLarge)
        #expect(await failure(MediaResource(url, maximumSize: -1))?.code == .tooLarge)
        #expect(try await loader.load(MediaResource(url, maximumSize: .max)).bytes == Array("abcdef".utf8))
        #expect(await failure(MediaResource(url + "-none"))?.code == .notFound)
        #expect(await failure(MediaResource("http://127.0.0.1/a"))?.code == .badAddress)
    }

    @Test(
        "writes a Range field only for a nonempty range",
        arguments: [(2..<5, "bytes=2-4"), (0..<1, "bytes=0-0"), (2..<2, nil), (0..<0, nil), (nil, nil)]
            as [(Range<UInt64>?, String?)]
    )
    func rangeField(range: Range<UInt64>?, field: String?) {
        #expect(MediaResource("https://a.test/b", range: range).rangeField == field)
    }

    @Test(
        "extracts from an HTTP response only what was requested",
        arguments: [
            (200, nil, "abcdefg", nil), (206, nil, nil, .wrongRange), (204, nil, nil, .status),
            (404, nil, nil, .notFound), (410, 2..<5, nil, .notFound), (503, 2..<5, nil, .status),
            (200, 2..<5, "cde", nil), (200, 5..<9, nil, .wrongRange), (200, 2..<2, nil, .wrongRange),
            (206, 2..<9, "abcdefg", nil), (206, 2..<5, nil, .wrongRange), (206, 0..<0, nil, .wrongRange),
        ] as [(Int, Range<UInt64>?, String?, MediaLoadError.Code?)]
    )
    func answers(status: Int, range: Range<UInt64>?, text: String?, code: MediaLoadError.Code?) {
        let resource = MediaResource("https://a.test/b?token=secret", range: range)
        do throws(MediaLoadError) {
            let media = try LoadedMedia(
                status: status,
                body: Array("abcdefg".utf8),
                url: "https://c.test",
                for: resource
            )
            #expect(String(decoding: media.bytes, as: UTF8.self) == text)
            #expect(media.url == "https://c.test")
        } catch {
            #expect(error == MediaLoadError(code ?? .cancelled, resource.url, status: status))
        }
    }

    @Test("rejects a body that is longer than the maximum")
    func tooLarge() {
        let resource = MediaResource("https://a.test/b", maximumSize: 2)
        let error = #expect(throws: MediaLoadError.self) {
            _ = try LoadedMedia(status: 200, body: [1, 2, 3], url: resource.url, for: resource)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test(
        "displays a URL without its secrets",
        arguments: [
            ("https://a.test/b.m3u8?token=s#t", "https://a.test/b.m3u8"), ("https://u:p@a.test/b", "https://a.test/b"),
            ("https://a.test/b@c", "https://a.test/b@c"), ("https://u:p@x@a.test/b", "https://a.test/b"),
            ("skd://film/hd", "skd://film/hd"), ("seg@1.ts", "seg@1.ts"), ("", ""),
        ]
    )
    func places(url: String, place: String) {
        #expect(MediaLoadError(.status, url).place == place)
    }

    @Test("A local file that is missing is not temporary, unlike a resource of a server, and its error says so")
    func missing() async {
        for path in ["/does/not/exist.m3u8", "/"] {
            let error = await #expect(throws: MediaLoadError.self) {
                try await loader.load(MediaResource("file://\(path)"))
            }
            #expect(error?.code == .notFound && error?.isTemporary == false)
            #expect(error?.description == "file://\(path): the file does not exist, or cannot be read")
        }
        #expect(MediaLoadError(.notFound, "https://a.example/1.ts", status: 404).isTemporary)
        #expect(MediaLoadError(.wrongRange, "https://a.example/1.ts").isTemporary)
        #expect(!MediaLoadError(.wrongRange, "file:///1.ts").isTemporary)
    }
}
