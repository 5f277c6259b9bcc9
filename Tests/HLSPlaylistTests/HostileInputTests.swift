import HLSPlaylist
import OwnThreads
import Testing

/// Malicious playlists. Each of these would take hours if parsing took quadratic time, so the tests do not measure
/// time.
@Suite("Large and malicious playlists", .ownThreads)
struct HostileInputTests {
    static let header = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
    /// A segment, which makes the playlist a Media Playlist.
    static let end = "#EXTINF:6,\nlast.ts\n"

    static func repeated(_ count: Int, _ line: (Int) -> String) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count { bytes.append(contentsOf: line(index).utf8) }
        return bytes
    }

    /// Returns the same line many times. The bytes are doubled repeatedly, which is faster than appending each line.
    static func same(_ count: Int, _ line: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = Array(line.utf8)
        var rest = count
        while rest > 0 {
            if rest & 1 == 1 { bytes += chunk }
            chunk += chunk
            rest >>= 1
        }
        return bytes
    }

    static func media(_ body: [UInt8]) -> [UInt8] { Array(header.utf8) + body + Array(end.utf8) }

    /// Expects strict parsing, lenient parsing and the list of lines to fail with `limit-exceeded`.
    static func expectLimitExceeded(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: PlaylistError.limit, sourceLocation: sourceLocation) { try Playlist(strictlyParsing: bytes) }
        #expect(throws: PlaylistError.limit, sourceLocation: sourceLocation) { try Playlist.parseLeniently(bytes) }
    }

    @Test("200,000 segments are parsed, resolved and written back")
    func large() throws {
        let bytes = Self.media(Self.repeated(200_000) { "#EXTINF:6.006,\nsegment-\($0).ts\n" })
        var playlist = try MediaPlaylist(parsing: bytes)
        #expect(try playlist.write() == bytes)
        var numbers: [UInt64] = []
        for segment in try playlist.resolvedSegments() { numbers.append(segment.mediaSequenceNumber) }
        #expect(numbers == Array(0...200_000))
        for index in playlist.segments.indices { playlist.segments[index].title = "t" }
        #expect(try MediaPlaylist(parsing: playlist.write()) == playlist)
    }

    @Test("a line of 100 MB")
    func longLine() {
        let bytes = Array(Self.header.utf8) + Self.same(100_000_000, "a")
        #expect(throws: PlaylistError.limit) { try Playlist(parsing: bytes) }
    }

    @Test("10 million attributes in one tag")
    func attributes() {
        let tag = Array("#EXT-X-KEY:A=1".utf8) + Self.same(10_000_000, ",B=1")
        Self.expectLimitExceeded(Self.media(tag + [0x0A]))
        let short = Array("#EXT-X-KEY:METHOD=NONE".utf8) + Self.repeated(50_000) { ",A\($0)=1" }
        Self.expectLimitExceeded(Self.media(short + [0x0A]))
    }

    @Test("a variable of 500 kB with ten thousand references")
    func variables() {
        let define = "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"" + String(repeating: "x", count: 500_000) + "\"\n"
        Self.expectLimitExceeded(Self.media(Array(define.utf8) + Self.same(10_000, "#EXTINF:6,\n{$a}\n")))
    }

    @Test("3 million segments")
    func segments() { Self.expectLimitExceeded(Self.media(Self.same(3_000_000, "#EXTINF:6,\na\n"))) }

    @Test("a million variables")
    func defines() {
        Self.expectLimitExceeded(Self.media(Self.repeated(1_000_000) { "#EXT-X-DEFINE:NAME=\"v\($0)\",VALUE=\"\"\n" }))
    }

    @Test("100,000 key formats at once")
    func keyFormats() {
        Self.expectLimitExceeded(
            Self.media(Self.repeated(100_000) { "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"f\($0)\"\n" })
        )
    }

    @Test("11 million blank lines")
    func lines() {
        let bytes = Self.media(Array(repeating: 0x0A, count: 11_000_000))
        Self.expectLimitExceeded(bytes)
        #expect(throws: PlaylistError.limit) { try Playlist.lines(of: bytes) }
    }

    @Test("a million errors: the number of diagnostics is bounded")
    func diagnostics() throws {
        let bytes = Self.media(Self.same(1_000_000, "#EXT-X-VERSION:3\n"))
        #expect(try Playlist.parseLeniently(bytes).diagnostics.count == PlaylistLimits().diagnostics)
    }

    @Test("a line between 100,000 errors can be changed")
    func changedAmongErrors() throws {
        let bytes = Self.media(Self.repeated(100_000) { "#EXT-X-VERSION:\($0)\n" })
        guard case .media(var media) = try Playlist.parseLeniently(bytes).playlist else {
            Issue.record("the playlist is not a Media Playlist")
            return
        }
        #expect(media.otherLines.count == 99_999)
        media.mediaSequence = 7
        media.version = 3
        let again = try Playlist.parseLeniently(media.write()).playlist
        guard case .media(let again) = again else {
            Issue.record("the playlist is not a Media Playlist")
            return
        }
        #expect(again.mediaSequence == 7 && again.version == 3 && again.otherLines.count == 99_999)
    }

    @Test("100,000 unknown tags before one segment are preserved, even in reverse order")
    func unknownTags() throws {
        let body = Self.same(1, "#EXTINF:6,\nfirst.ts\n") + Self.repeated(100_000) { "#EXT-X-EXAMPLE:\($0)\n" }
        var playlist = try MediaPlaylist(parsing: Self.media(body))
        #expect(playlist.segments[1].tags.count == 100_000)
        playlist.segments[1].tags.reverse()
        playlist.segments[1].keys = (0..<10_000).map { .fairPlay(uri: "skd://\($0)") }
        #expect(try MediaPlaylist(parsing: playlist.write()) == playlist)
    }

    @Test("100,000 tags of one Date Range with different attributes")
    func dateRanges() throws {
        let body = Self.repeated(100_000) { "#EXT-X-DATERANGE:ID=\"a\",X-A\($0)=1,X-B\($0)=\"b\"\n" }
        let ranges = try MediaPlaylist(parsing: Self.media(body)).dateRanges
        #expect(ranges.count == 1 && ranges.first?.otherAttributes.count == 200_000)
    }

    @Test("100,000 preload hints in the header and 100,000 at the end")
    func preloadHints() throws {
        let hints = Self.repeated(100_000) { "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p\($0)\"\n" }
        var playlist = try MediaPlaylist(parsing: Self.media(hints) + hints)
        playlist.isEnded = true
        #expect(try MediaPlaylist(parsing: playlist.write()) == playlist)
    }

    @Test("100,000 segments after a thousand variables, all changed")
    func changedVariables() throws {
        let defines = Self.repeated(1_000) { "#EXT-X-DEFINE:NAME=\"v\($0)\",VALUE=\"x\"\n" }
        var playlist = try MediaPlaylist(
            parsing: Self.media(defines + Self.repeated(100_000) { "#EXTINF:6,\n{$v\($0 % 1_000)}.ts\n" })
        )
        playlist.defines[0] = DefineTag(.value(name: "v0", value: "other"))
        for index in playlist.segments.indices { playlist.segments[index].isDiscontinuity = true }
        #expect(try MediaPlaylist(parsing: playlist.write()) == playlist)
    }

    @Test("numbers at the limits of their ranges")
    func numbers() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:18446744073709551615
            #EXT-X-MEDIA-SEQUENCE:18446744073709551615
            #EXT-X-DISCONTINUITY-SEQUENCE:18446744073709551615
            #EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:60.999-23:59
            #EXTINF:\(String(repeating: "9", count: 308)),
            #EXT-X-BYTERANGE:1@18446744073709551614
            a.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:\(String(repeating: "9", count: 308)),
            a.ts
            #EXT-X-PROGRAM-DATE-TIME:0000-01-01T00:00:00+23:59
            #EXTINF:0,
            a.ts

            """
        var playlist = try MediaPlaylist(parsing: Array(text.utf8))
        let segments = Array(try playlist.resolvedSegments())
        #expect(segments.map(\.mediaSequenceNumber) == [.max, 0, 1])
        #expect(segments[2].start == .infinity && playlist.duration == .infinity)
        #expect(segments[0].byteRange == UInt64.max - 1..<UInt64.max)
        // A leap second counts as the first second of the next year, which has five digits.
        #expect(segments[0].programDateTime?.description == "10000-01-01T00:00:00.999-23:59")
        #expect(segments[0].programDateTime?.timeInterval(since: PlaylistDate(seconds: .min)) ?? 0 > 9e18)
        // The line of the date is copied if the date is not changed. A changed date cannot be written.
        playlist.segments[0].uri = "b.ts"
        #expect(try MediaPlaylist(parsing: playlist.write()) == playlist)
        playlist.segments[0].programDateTime?.nanoseconds = 0
        #expect(throws: PlaylistError.self) { try playlist.write() }
    }
}

extension PlaylistError {
    static let limit = PlaylistError(Diagnostic(rule: .limitExceeded, severity: .error, line: 0, message: ""))
}
