import HLSPlaylist
import Testing

@Suite("Numbers and dates")
struct NumberAndDateTests {
    @Test(
        "all formats of a date result in the same point in time",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("2026-01-01T00:00:00.000Z", 1_767_225_600, 0),
            ("2026-01-01T01:00:00.5+01:00", 1_767_225_600, 500_000_000), ("2025-12-31T18:30:00-0530", 1_767_225_600, 0),
            ("2026-01-01T00:00:00", 1_767_225_600, 0), ("2024-02-29T12:00:00.123456789Z", 1_709_208_000, 123_456_789),
            ("1969-12-31T23:59:59.999Z", -1, 999_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
        ] as [(String, Int64, Int32)]
    )
    func dates(_ text: String, _ seconds: Int64, _ nanoseconds: Int32) throws {
        let date = try #require(PlaylistDate(text))
        #expect(date.seconds == seconds && date.nanoseconds == nanoseconds)
        let again = try #require(PlaylistDate(date.description))
        #expect(again == date)
    }

    @Test(
        "text that is not a date is rejected",
        arguments: [
            "", "2026", "2026-01-01", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T25:00:00Z",
            "2026-01-01T00:60:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00ZZ",
            "2026-01-01T00:00:00+1", "-026-01-01T00:00:00Z", "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z",
        ]
    )
    func noDates(_ text: String) {
        #expect(PlaylistDate(text) == nil)
    }

    @Test("a date is advanced by fractions and across days, but not beyond the supported range")
    func advanced() throws {
        let date = try #require(PlaylistDate("2026-12-31T23:59:59.750Z"))
        #expect(date.advanced(by: 0.25).description == "2027-01-01T00:00:00.000Z")
        #expect(date.advanced(by: -86400.75).description == "2026-12-30T23:59:59.000Z")
        #expect(date.advanced(by: .nan) == date && date.advanced(by: 1e300) == date)
        #expect(date.advanced(by: 6.006).timeInterval(since: date) == 6.006)
    }

    @Test(
        "a duration is parsed and written without loss",
        arguments: [
            ("6", 6, "6"), ("6.006", 6.006, "6.006"), ("0.1", 0.1, "0.1"), ("5.", 5, "5"), (".5", 0.5, "0.5"),
            ("0000006.00600000000000000000", 6.006, "6.006"), ("4.00008", 4.00008, "4.00008"), ("0", 0, "0"),
            ("123456789.5", 123_456_789.5, "123456789.5"), ("0.000001", 1e-6, "0.000001"),
            ("9007199254740993", 9_007_199_254_740_992, "9007199254740992"),
        ] as [(String, Double, String)]
    )
    func durations(_ text: String, _ value: Double, _ written: String) throws {
        let source = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:\(text),\na.ts\n"
        let playlist = try MediaPlaylist(parsing: Array(source.utf8))
        #expect(playlist.segments[0].duration == value)
        let copy = MediaPlaylist(targetDuration: 6, segments: [MediaSegment(uri: "a.ts", duration: value)])
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:\(written),\na.ts\n".utf8)
        #expect(try copy.write() == bytes)
    }

    @Test(
        "text that is not a duration is rejected",
        arguments: ["", ".", "1.2.3", "-1", "+1", "1e3", "0x10", "inf", "nan"]
    )
    func noDurations(_ text: String) {
        #expect(throws: PlaylistError.self) {
            try Playlist(
                strictlyParsing: Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:\(text),\na.ts\n".utf8)
            )
        }
    }

    @Test("numbers that cannot be written are rejected", arguments: [-1, .nan, .infinity])
    func unwritable(_ duration: Double) {
        let playlist = MediaPlaylist(targetDuration: 6, segments: [MediaSegment(uri: "a.ts", duration: duration)])
        #expect(throws: PlaylistError.self) { try playlist.write() }
    }

    @Test(
        "a written attribute is parsed with the same value",
        arguments: [0, -0.5, 12.345678901234, 1e-7, 1e15, -1e22, 1e-300, 1.7e308]
    )
    func attribute(_ offset: Double) throws {
        var playlist = MediaPlaylist(targetDuration: 6)
        playlist.start = StartTag(timeOffset: offset)
        #expect(try MediaPlaylist(parsing: playlist.write()).start?.timeOffset == offset)
    }
}
