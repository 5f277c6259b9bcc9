import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing

@Suite("A player accepts only media", .timeLimit(.minutes(10)))
struct PlayerMediaTests {
    private static func media(_ lines: String...) -> String {
        (["#EXTM3U", "#EXT-X-TARGETDURATION:4"] + lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n")
    }

    private static let page = Array("\r\n<!DOCTYPE html><html><body>Log in</body></html>".utf8)

    @Test(
        "and names what it found instead",
        arguments: [
            (page, "an HTML page"), ([], "an empty file"), ([0x1F, 0x8B, 8, 0, 1, 2], "gzip data"),
            (Array("{\"error\": 1}".utf8), "a JSON document"), (Array("#EXTM3U\n".utf8), "an HLS playlist"),
            ([UInt8](repeating: 0, count: 1880), "bytes that are all zero"),
            ([1, 2, 3, 0xFF], "data of an unknown format"),
        ] as [([UInt8], String)]
    )
    func mismatch(bytes: [UInt8], found: String) async {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8")
                ? .text(Self.media("#EXTINF:4,", "1.ts?token=secret", "#EXTINF:4,", "2.ts")) : .bytes(bytes)
        }
        let error = await stage.failure(server)
        #expect(error?.code == "media")
        #expect(error?.description == "https://stage.test/1.ts: expected a media segment, found \(found)")
        #expect(stage.output.all.isEmpty)
    }

    @Test("also where a segment is encrypted", arguments: ["AES-128", "SAMPLE-AES"])
    func encrypted(method: String) async throws {
        let stage = Stage()
        let keys = StageKeys(stage.clock)
        let tag = #"#EXT-X-KEY:METHOD=\#(method),URI="k""#
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8") ? .text(Self.media(tag, "#EXTINF:4,", "1.ts")) : .bytes(Self.page)
        }
        let error = await keys.answering(StageKeys.key) { await stage.failure(server, keys: keys.systems) }
        #expect(error?.description.hasSuffix("found an HTML page") == true, "\(String(describing: error))")
    }

    @Test("and no segment that is not media after decryption")
    func decrypted() async throws {
        let stage = Stage()
        let keys = StageKeys(stage.clock)
        let server = StageServer(stage.clock) { resource, _ in
            // A wrong initialization vector changes the first 16 bytes, and not the padding.
            let tag = #"#EXT-X-KEY:METHOD=AES-128,URI="https://keys.test/1",IV=0x7F000000000000000000000000000000"#
            return resource.url.hasSuffix("m3u8")
                ? .text(Self.media(tag, "#EXTINF:4,", "1.ts"))
                : .bytes(StageKeys.encrypted("one", "https://keys.test/1", number: 0))
        }
        let error = await keys.answering(StageKeys.key) { await stage.failure(server, keys: keys.systems) }
        #expect(error?.code == "media")
        #expect(stage.output.all.isEmpty)
    }

    @Test("as an init segment", arguments: [[], page])
    func initialization(bytes: [UInt8]) async {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8")
                ? .text(Self.media(#"#EXT-X-MAP:URI="init.mp4""#, "#EXTINF:4,", "1.m4s"))
                : resource.url.hasSuffix("init.mp4") ? .bytes(bytes) : .media("1")
        }
        let error = await stage.failure(server)
        #expect(
            error?.description.hasPrefix("https://stage.test/init.mp4: expected an init segment, found an ") == true
        )
        #expect(stage.output.all.isEmpty)
    }

    @Test("and takes an init segment as it is if only the segments are encrypted as a whole")
    func clearInitialization() async throws {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
        }
        let header = [UInt8](repeating: 0, count: 12) + [0, 0, 3, 0xE8] + [UInt8](repeating: 0, count: 83) + [1]
        let initialization = box("ftyp", Array("isom".utf8) + [0, 0, 0, 0]) + box("moov", box("mvhd", header))
        let stage = Stage()
        let keys = StageKeys(stage.clock)
        let server = StageServer(stage.clock) { resource, _ in
            switch resource.url.split(separator: "/").last {
            case "main.m3u8":
                .text(
                    Self.media(
                        #"#EXT-X-KEY:METHOD=AES-128,URI="https://keys.test/1""#,
                        #"#EXT-X-MAP:URI="init.mp4""#,
                        "#EXTINF:4,",
                        "1.m4s"
                    )
                )
            case "init.mp4": .bytes(initialization)
            default: .bytes(StageKeys.encrypted("one", "https://keys.test/1", number: 0))
            }
        }
        _ = try await keys.answering(StageKeys.key) { try await stage.play(server, keys: keys.systems) }
        #expect(stage.output.all.map(\.isInitialization) == [true, false])
        #expect(stage.output.all.first?.bytes == initialization)
    }

    @Test("and switches from a variant whose segments are not media")
    func otherVariant() async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, _ in
            guard resource.url.hasSuffix("m3u8") else {
                return resource.url.contains("high") ? .bytes(Self.page) : .media("low")
            }
            return .text(
                resource.url.contains("/low/") || resource.url.contains("/high/")
                    ? Self.media("#EXTINF:4,", "1.ts")
                    : """
                    #EXTM3U
                    #EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.64000c"
                    low/main.m3u8
                    #EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS="avc1.64000c"
                    high/main.m3u8

                    """
            )
        }
        _ = try await stage.play(server)
        #expect(stage.output.texts == ["low"])
        #expect(stage.switches.map(\.reason) == [.failed(.unreadable)])
    }

    // MARK: Durations

    @Test(
        "and plays each segment, whatever its EXTINF",
        arguments: [
            "#EXTINF:0,\n", "#EXTINF:-1,\n", "#EXTINF: 2.0 ,\n", "", "#EXTINF:\n", "#EXTINF:abc,\n", "#EXTINF:0.000,\n",
        ]
    )
    func durations(tag: String) async throws {
        let stage = Stage()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(tag)1.ts\n\(tag)2.ts\n\(tag)3.ts\n#EXT-X-ENDLIST\n"
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8") ? .text(text) : .media(String(resource.url.suffix(4)))
        }
        let report = try await stage.play(server)
        #expect(stage.output.texts == ["1.ts", "2.ts", "3.ts"])
        #expect(report.segments == [.main: 3])
        #expect(report.duration == (tag.contains("2.0") ? 6 : 0))
    }

    @Test("and fails if nothing was played", arguments: [true, false])
    func nothing(isGap: Bool) async {
        let stage = Stage()
        let text =
            isGap
            ? Self.media("#EXT-X-GAP", "#EXTINF:4,", "1.ts")
            : Self.media("#EXT-X-START:TIME-OFFSET=100", "#EXTINF:4,", "1.ts")
        let error = await stage.failure(StageServer(stage.clock) { _, _ in .text(text) })
        #expect(error?.code == "nothing-played")
        #expect(error?.description.contains("EXT-X-GAP") == isGap)
    }

    // MARK: Keys in the playlist

    @Test("and uses the key in a data: URI, without a session")
    func embeddedKey() async throws {
        let key = StageKeys.key("x")
        let percent = key.map { "%" + String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        let stage = Stage()
        let server = StageServer(stage.clock) { resource, _ in
            resource.url.hasSuffix("m3u8")
                ? .text(Self.media(#"#EXT-X-KEY:METHOD=AES-128,URI="data:,\#(percent)""#, "#EXTINF:4,", "1.ts"))
                : .bytes(StageKeys.encrypted("one", "x", number: 0))
        }
        let report = try await stage.play(server)
        #expect(stage.output.texts == ["one"])
        #expect(report.encryptedSegments == 1)
    }

    @Test(
        "and never prints a key in a data: URI",
        arguments: ["data:text/plain;base64,c2VjcmV0", "data:,secret", "DATA:,secret%0", "data:;base64,secret!"]
    )
    func secrets(uri: String) async throws {
        let stage = Stage()
        let server = StageServer(stage.clock) { _, _ in
            .text(Self.media(#"#EXT-X-KEY:METHOD=AES-128,URI="\#(uri)""#, "#EXTINF:4,", "1.ts"))
        }
        let error = try #require(await stage.failure(server))
        #expect(error.place == "data:…")
        #expect(error.description.contains("data: URI"))
        #expect(!error.description.contains("secret") && !error.description.contains("c2Vj"))
    }
}
