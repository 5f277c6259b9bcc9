import HLSPlaylist
import Testing

@Suite("Resolved segments")
struct ResolvedSegmentTests {
    private static func segments(_ lines: String) throws -> [ResolvedSegment] {
        let text = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:6\n\(lines)\n"
        return Array(try MediaPlaylist(parsing: Array(text.utf8)).resolvedSegments())
    }

    @Test("keys of several formats rotate independently, and NONE ends all of them")
    func rotation() throws {
        let segments = try Self.segments(
            """
            #EXTINF:6,
            clear.ts
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="data:,1",KEYFORMAT="com.microsoft.playready"
            #EXTINF:6,
            1.ts
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://2",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXTINF:6,
            2.ts
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:6,
            clear.ts
            #EXT-X-KEY:METHOD=AES-128,URI="https://example.com/k"
            #EXTINF:6,
            3.ts
            """
        )
        let uris = segments.map { $0.keys.keys.map { $0.uri ?? "" } }
        #expect(uris == [[], ["skd://1", "data:,1"], ["data:,1", "skd://2"], [], ["https://example.com/k"]])
        #expect(segments[2].keys[.fairPlay]?.uri == "skd://2" && segments[2].keys[.identity] == nil)
        #expect(segments.map(\.keys.isEncrypted) == [false, true, true, false, true])
    }

    @Test("a key between EXT-X-MAP and the segment does not apply to the initialization section")
    func initialization() throws {
        let segments = try Self.segments(
            """
            #EXT-X-MAP:URI="init.mp4",BYTERANGE="100@50"
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXTINF:6,
            1.m4s
            #EXT-X-MAP:URI="init2.mp4"
            #EXTINF:6,
            2.m4s
            """
        )
        #expect(segments.map { $0.initialization?.keys.isEncrypted } == [false, true])
        #expect(segments.map { $0.initialization?.byteRange } == [50..<150, nil])
    }

    @Test("the IV of an identity key defaults to the Media Sequence Number, that of a FairPlay key to nil")
    func initializationVector() throws {
        let key = KeyTag(method: .aes128, uri: "https://example.com/k")
        let large = try #require(key.initializationVector(mediaSequenceNumber: .max))
        #expect(large.bytes == Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8))
        #expect(key.initializationVector(mediaSequenceNumber: 0x0102)?.bytes.suffix(3) == [0, 1, 2])
        #expect(KeyTag.fairPlay(uri: "skd://a").initializationVector(mediaSequenceNumber: 1) == nil)
        var other = KeyTag(method: .sampleAES, uri: "data:,", keyFormat: .widevine)
        #expect(other.initializationVector(mediaSequenceNumber: 1) == nil)
        other.iv = InitializationVector(bytes: 0..<16)
        #expect(other.initializationVector(mediaSequenceNumber: 1)?.bytes == Array(0..<16))
        let segments = try Self.segments(
            "#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:6,\na.ts\n#EXTINF:6,\nb.ts"
        )
        let vectors = segments.map { $0.keys.keys.first.flatMap($0.initializationVector)?.bytes.last }
        #expect(vectors == [7, 8])
    }

    @Test("byte ranges without offsets continue in the same resource")
    func byteRanges() throws {
        let lines = "#EXT-X-BYTERANGE:10@5\n#EXTINF:6,\na.ts\n#EXT-X-BYTERANGE:20\n#EXTINF:6,\na.ts\n"
        #expect(try Self.segments(lines + "#EXTINF:6,\na.ts").map(\.byteRange) == [5..<15, 15..<35, nil])
        for wrong in ["#EXT-X-BYTERANGE:1\n#EXTINF:6,\nb.ts", "#EXTINF:6,\na.ts\n#EXT-X-BYTERANGE:1\n#EXTINF:6,\na.ts"]
        {
            #expect { try Self.segments(lines + wrong) } throws: {
                ($0 as? PlaylistError)?.rule == .byteRangeWithoutOffset
            }
        }
    }

    @Test("a byte range that ends beyond 2^64 is rejected")
    func overflow() {
        let lines = "#EXT-X-BYTERANGE:10@18446744073709551600\n#EXTINF:6,\na.ts\n#EXT-X-BYTERANGE:10\n#EXTINF:6,\na.ts"
        #expect(throws: PlaylistError.self) { try Self.segments(lines) }
    }

    @Test("dates are computed backward from the first date and forward from each")
    func dates() throws {
        let segments = try Self.segments(
            """
            #EXTINF:4.5,
            a.ts
            #EXTINF:5.5,
            b.ts
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:10.000Z
            #EXTINF:6,
            c.ts
            #EXTINF:6,
            d.ts
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T01:00:00.000Z
            #EXTINF:6,
            e.ts
            """
        )
        let expected = [
            "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:04.500Z", "2026-01-01T00:00:10.000Z",
            "2026-01-01T00:00:16.000Z", "2026-01-01T01:00:00.000Z",
        ]
        #expect(segments.map { $0.programDateTime?.description } == expected)
        #expect(segments.map(\.start) == [0, 4.5, 10, 16, 22])
    }

    @Test("sequence numbers include skipped segments and discontinuities")
    func numbers() throws {
        let segments = try Self.segments(
            """
            #EXT-X-MEDIA-SEQUENCE:100
            #EXT-X-DISCONTINUITY-SEQUENCE:4
            #EXT-X-SKIP:SKIPPED-SEGMENTS=5
            #EXTINF:6,
            a.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:6,
            b.ts
            """
        )
        #expect(segments.map(\.mediaSequenceNumber) == [105, 106])
        #expect(segments.map(\.discontinuitySequenceNumber) == [4, 5])
    }

    @Test("every discontinuity counts, including two before one segment, even after a change of the segment")
    func repeatedDiscontinuity() throws {
        let gap = "#EXT-X-DISCONTINUITY\n#EXT-X-DISCONTINUITY\n"
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n\(gap)#EXTINF:6,\nb.ts\n"
        var playlist = try MediaPlaylist(parsing: Array(text.utf8))
        #expect(try playlist.resolvedSegments().map(\.discontinuitySequenceNumber) == [0, 2])
        playlist.segments[1].uri = "c.ts"
        let edited = try MediaPlaylist(parsing: try playlist.write())
        #expect(try edited.resolvedSegments().map(\.discontinuitySequenceNumber) == [0, 2])
    }

    @Test("segments are found by index, time, date and number, with the same values as by iteration")
    func access() throws {
        let lines = """
            #EXT-X-MEDIA-SEQUENCE:7
            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
            #EXT-X-KEY:METHOD=AES-128,URI="a"
            #EXTINF:4,
            a.ts
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=AES-128,URI="b"
            #EXTINF:0,
            b.ts
            #EXTINF:6,
            c.ts

            """
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + lines
        let segments = try MediaPlaylist(parsing: Array(text.utf8)).resolvedSegments()
        #expect(segments.count == 3 && segments.last?.index == 2)
        #expect(segments.reversed().map { $0.keys.keys.map(\.uri) } == [["b"], ["b"], ["a"]])
        #expect(segments[1].discontinuitySequenceNumber == 1)
        #expect(segments.segment(at: 2)?.segment.uri == "c.ts")
        #expect(segments.segment(at: 3) == nil && segments.segment(at: -1) == nil)
        let times = [-1, 0, 3.9, 4, 9.9, 10].map { segments.segment(atTime: $0)?.index }
        #expect(times == [nil, 0, 0, 2, 2, nil])
        let date = try #require(PlaylistDate("2026-01-01T00:00:03.500Z"))
        #expect(segments.segment(atDate: date)?.index == 0)
        #expect(segments.segment(atDate: date.advanced(by: 0.5))?.index == 2)
        #expect(segments.segment(atDate: date.advanced(by: 60)) == nil)
        #expect([6, 7, 9, 10, .max].map { segments.segment(numbered: $0)?.index } == [nil, 0, 2, nil, nil])
    }

    @Test("a date is created from seconds since 1970")
    func interval() {
        let date = PlaylistDate(timeIntervalSince1970: 1_767_225_600.25)
        #expect(date.description == "2026-01-01T00:00:00.250Z" && date.timeIntervalSince1970 == 1_767_225_600.25)
        #expect(PlaylistDate(timeIntervalSince1970: -0.5).description == "1969-12-31T23:59:59.500Z")
        #expect(PlaylistDate(timeIntervalSince1970: 0.999_999_9).description == "1970-01-01T00:00:01.000Z")
        #expect(PlaylistDate(timeIntervalSince1970: .nan) == PlaylistDate(seconds: 0))
    }
}
