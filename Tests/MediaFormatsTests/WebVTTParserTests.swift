import ByteCoding
import MediaFormats
import Testing

@Suite("WebVTT files")
struct WebVTTParserTests {
    /// A file with every kind of block, in order.
    static let whole = """
        WEBVTT - Ein Film
        Kind: captions
        Language: de

        NOTE
        a comment of
        two lines

        STYLE
        ::cue { color: lime }

        REGION
        id:fred
        width:40%

        1
        00:00:01.000 --> 00:00:02.500 region:fred align:start
        <v Roger>Hallo, <00:00:01.500>Welt
        - ja

        NOTE one line

        01:00.000 --> 02:00.000
        ohne Kennung

        """
    static let spoken = [
        SpokenCue(
            start: 1000,
            end: 2500,
            identifier: "1",
            settings: "region:fred align:start",
            text: "<v Roger>Hallo, <00:00:01.500>Welt\n- ja"
        ),
        SpokenCue(start: 60_000, end: 120_000, text: "ohne Kennung"),
    ]
    static let definitions = ["STYLE\n::cue { color: lime }", "REGION\nid:fred\nwidth:40%"]

    @Test("A whole file, with each type of line break, with and without a byte order mark")
    func wholeFile() throws {
        for lineBreak in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{FEFF}"] {
                let lines = Self.whole.split(separator: "\n", omittingEmptySubsequences: false)
                let document = try WebVTTDocument(mark + lines.joined(separator: lineBreak))
                #expect(document.headerText == "- Ein Film\nKind: captions\nLanguage: de")
                #expect(document.definitionTexts == Self.definitions)
                #expect(document.spoken == Self.spoken)
                #expect(document.cues.map(\.line) == [17, 23])
                #expect(document.commentCount == 2)
                #expect(document.droppedCount == 0)
                #expect(document.end == 120_000)
                #expect(document.timestampMap == nil)
            }
        }
    }

    @Test(
        "Files without a cue",
        arguments: ["WEBVTT", "WEBVTT\n", "WEBVTT\r", "WEBVTT \u{E9}", "\u{FEFF}WEBVTT\t\n\n\n"]
    )
    func noCues(_ text: String) throws {
        let bytes = Array(text.utf8)
        let hasSignature = WebVTTDocument.hasSignature(bytes.span.bytes)
        #expect(hasSignature)
        let document = try WebVTTDocument(text)
        #expect(document.cues.isEmpty)
        #expect(document.droppedCount == 0)
        #expect(document.end == 0)
    }

    @Test(
        "Input that is not WebVTT is rejected, and the error contains the line",
        arguments: ["", "WEBVT", "webvtt\n", "WEBVTTX", "\nWEBVTT", " WEBVTT", "1\n00:00:01,000 --> 00:00:02,000\na"]
    )
    func otherFiles(_ text: String) throws {
        let bytes = Array(text.utf8)
        let error = try #require(WebVTTDocument.failure(bytes))
        #expect(error.code == .invalidValue)
        #expect(error.reason?.contains("line 1") == true)
        let hasSignature = WebVTTDocument.hasSignature(bytes.span.bytes)
        #expect(!hasSignature)
    }

    @Test("The error for UTF-16 names the encoding")
    func utf16() throws {
        for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] {
            let error = try #require(WebVTTDocument.failure(mark + Array("W\0E\0".utf8)))
            #expect(error.reason?.contains("UTF-16") == true)
        }
    }

    /// W3C WebVTT, "collect a WebVTT timestamp"; nil if a browser drops the cue.
    static let timestamps: [(String, Int64?)] = [
        ("00:00.000", 0), ("59:59.999", 3_599_999), ("00:00:00.001", 1), ("01:00:00.000", 3_600_000),
        ("100:00:00.000", 360_000_000), ("1:00:00.000", 3_600_000), ("000:00:01.000", 1000),
        // Above 59, a first number is hours.
        ("60:00:00.000", 216_000_000), ("60:00.000", nil), ("1:00.000", nil), ("001:00.000", nil),
        ("00:60.000", nil), ("00:00:60.000", nil), ("00:60:00.000", nil), ("00:00", nil), ("00:00.00", nil),
        ("00:00.0000", nil), ("00:00,000", nil), ("0:0.000", nil), ("00:0:00.000", nil), ("00:00:0.000", nil),
        ("-0:00.000", nil), ("00 :00.000", nil), ("", nil), ("00", nil), (":00.000", nil), ("00:.000", nil),
        ("00:00:00:00.000", nil), ("٠٠:00.000", nil),
        ("1000000000000:00:00.000", 3_600_000_000_000_000_000), ("1000000000001:00:00.000", nil),
        ("99999999999999999999999999:00:00.000", nil),
    ]

    @Test("Timestamps", arguments: timestamps)
    func timestamp(_ text: String, _ expected: Int64?) throws {
        // As the end, the timestamp is followed by a setting; a start at 0 would hide an end at 0.
        let asStart = try WebVTTDocument("WEBVTT\n\n\(text) --> 1000000000000:59:59.999\na")
        #expect(asStart.cues.first?.start == expected)
        let asEnd = try WebVTTDocument("WEBVTT\n\n00:00.000 --> \(text)\na")
        #expect(asEnd.cues.first?.end == (expected == 0 ? nil : expected))
        #expect(
            asEnd.droppedBlocks == (expected == nil ? ["3 invalid-timing"] : expected == 0 ? ["3 never-shown"] : [])
        )
    }

    @Test("The line with the timings requires no white space, and can have more")
    func spaces() throws {
        for line in ["00:01.000-->00:02.000", "\t 00:01.000 \u{C} --> \t00:02.000", "00:01.000-->00:02.000line:0"] {
            let document = try WebVTTDocument("WEBVTT\n\n\(line)\na")
            #expect(document.cues.map(\.start) == [1000], "\(line)")
            #expect(document.cues.map(\.end) == [2000])
        }
        let settings = try WebVTTDocument("WEBVTT\n\n00:01.000 --> 00:02.000 \t line:0  size:ü --> \t\na")
        #expect(settings.spoken.map(\.settings) == ["line:0  size:ü -->"])
    }

    @Test("Blocks that a browser drops are dropped and listed, and the others are kept")
    func dropped() throws {
        let document = try WebVTTDocument(
            """
            WEBVTT

            just text
            of two lines

            x
            00:01 --> 00:02
            too short a time

            00:05.000 --> 00:05.000
            never

            00:06.000 --> 00:05.000
            never either

            NOTEwithout a space

            00:07.000 --> 00:08.000
            seen

            STYLE
            ::cue {}

            REGION
            id:a
            """
        )
        #expect(
            document.droppedBlocks == [
                "3 unknown-block", "6 invalid-timing", "10 never-shown", "13 never-shown", "16 unknown-block",
                "21 definition-after-cue", "24 definition-after-cue",
            ]
        )
        #expect(document.droppedCount == 7)
        #expect(document.spoken.map(\.text) == ["seen"])
        #expect(document.definitionTexts.isEmpty)
        #expect(document.dropped.first?.description.hasPrefix("line 3: ") == true)
    }

    /// The steps of "collect a WebVTT block": the assignment of lines to blocks if empty lines are missing.
    @Test("A line with an arrow starts a block if it cannot belong to the previous one")
    func arrows() throws {
        let document = try WebVTTDocument(
            """
            WEBVTT
            00:00.000 --> 00:01.000
            straight behind the header
            00:01.000 --> 00:02.000
            2
            00:02.000 --> 00:03.000
            00:03.000 --> 00:04.000
            d
            broken -->
            e
            00:04.000 --> 00:05.000
            f

            NOTE
            00:05.000 --> 00:06.000
            a cue, whatever it was to be

            STYLE
            00:06.000 --> 00:07.000
            g
            """
        )
        #expect(
            document.spoken == [
                SpokenCue(start: 0, end: 1000, text: "straight behind the header"),
                // The line with "2" is text: only the first line of a block can be an identifier.
                SpokenCue(start: 1000, end: 2000, text: "2"),
                SpokenCue(start: 2000, end: 3000), SpokenCue(start: 3000, end: 4000, text: "d"),
                SpokenCue(start: 4000, end: 5000, text: "f"),
                SpokenCue(
                    start: 5000,
                    end: 6000,
                    identifier: "NOTE",
                    text: "a cue, whatever it was to be"
                ),
                SpokenCue(start: 6000, end: 7000, identifier: "STYLE", text: "g"),
            ]
        )
        #expect(document.droppedBlocks == ["9 invalid-timing"])
        #expect(document.commentCount == 0)
    }

    @Test("Only white space can follow STYLE and REGION on their line, and another line must follow")
    func definitions() throws {
        let document = try WebVTTDocument("WEBVTT\n\nSTYLE \t\na\nb\n\nSTYLES\nc\n\nREGION x\nd\n\nREGION\n\n")
        #expect(document.definitionTexts == ["STYLE \t\na\nb"])
        #expect(document.droppedBlocks == ["7 unknown-block", "10 unknown-block", "13 unknown-block"])
    }

    @Test("Cues are sorted; those with the same start time keep their order")
    func order() throws {
        let document = try WebVTTDocument(
            "WEBVTT\n\n00:03.000 --> 00:04.000\na\n\n00:01.000 --> 00:02.000\nb\n\n"
                + "00:03.000 --> 00:03.500\nc\n\n00:01.000 --> 00:09.000\nd\n"
        )
        #expect(document.spoken.map(\.text) == ["b", "d", "a", "c"])
    }

    @Test("The byte 0 becomes U+FFFD, and bytes that are not UTF-8 are preserved")
    func strangeBytes() throws {
        let bytes = Array("WEBVTT\n\n00:01.000 --> 00:02.000\n".utf8) + [0x61, 0, 0xFF, 0x62]
        let document = try WebVTTDocument(bytes)
        #expect(document.spoken.map(\.text) == ["a\u{FFFD}\u{FFFD}b"])
        var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 0))
        #expect(segmenter.lastSegment().suffix(8) == [0x61, 0xEF, 0xBF, 0xBD, 0xFF, 0x62, 0x0A, 0x0A])
    }

    @Test("X-TIMESTAMP-MAP of a segment is read, in either order")
    func timestampMap() throws {
        let map = WebVTTTimestampMap(mpegTS: 900_000, local: 3_600_000)
        for line in ["LOCAL:01:00:00.000,MPEGTS:900000", "MPEGTS:900000,LOCAL:01:00:00.000"] {
            #expect(try WebVTTDocument("WEBVTT\nX-TIMESTAMP-MAP=\(line)\n\n").timestampMap == map)
        }
        for line in ["LOCAL:01:00:00.000", "MPEGTS:900000", "MPEGTS:-1,LOCAL:00:00.000", "MPEGTS:1,LOCAL:x", ""] {
            #expect(try WebVTTDocument("WEBVTT\nX-TIMESTAMP-MAP=\(line)\n\n").timestampMap == nil)
        }
        // 2^33 wraps to 0.
        #expect(WebVTTTimestampMap(mpegTS: 1 << 33 + 5).mpegTS == 5)
    }

    @Test("A truncated file contains the cues that are complete")
    func truncation() throws {
        let bytes = Array(Self.whole.utf8)
        // The end of each cue's block: the cue is complete after it.
        let ends = ["- ja", "ohne Kennung"].map { text in
            Self.whole.utf8.distance(from: Self.whole.startIndex, to: Self.whole.firstRange(of: text)!.upperBound)
        }
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            guard count >= 6 else {
                #expect(WebVTTDocument.failure(part)?.code == .invalidValue)
                continue
            }
            let document = try WebVTTDocument(part)
            let whole = ends.count { $0 <= count }
            #expect(document.spoken.prefix(whole).elementsEqual(Self.spoken.prefix(whole)), "\(count)")
            #expect(document.cues.count <= whole + 1)
        }
    }

    @Test("With any flipped bits, the result can be written and read again")
    func damage() throws {
        for place in 6..<Self.whole.utf8.count {
            for bit in 0..<8 {
                var bytes = Array(Self.whole.utf8)
                bytes[place] ^= 1 << UInt8(bit)
                guard let document = try? WebVTTDocument(bytes) else {
                    #expect(place == 6, "only the signature is a reason to refuse a file")
                    continue
                }
                var segmenter = WebVTTSegmenter(document, map: WebVTTTimestampMap(mpegTS: 0))
                let again = try WebVTTDocument(segmenter.lastSegment())
                #expect(again.spoken == document.spoken)
                #expect(again.definitionTexts == document.definitionTexts)
                #expect(again.droppedCount == 0)
            }
        }
    }

    @Test("Hostile files are rejected, or read in time proportional to their size")
    func hostile() throws {
        let large = [UInt8](repeating: 0x20, count: WebVTTDocument.maximumSize + 1)
        #expect(WebVTTDocument.failure(large)?.code == .invalidLength)
        let style = "STYLE\n" + String(repeating: "x", count: WebVTTDocument.maximumDefinitionSize / 2) + "\n\n"
        let error = WebVTTDocument.failure(Array("WEBVTT\n\n\(style)\(style)".utf8))
        #expect(error?.code == .invalidLength)
        #expect(error?.reason?.contains("line 6") == true)
        #expect(try WebVTTDocument("WEBVTT\n\n\(style)").definitionTexts.count == 1)
        // A long cue is repeated in every segment.
        let text = String(repeating: "x", count: WebVTTDocument.maximumOverlap / 2)
        let cue = "00:00.000 --> 01:00.000\n\(text)\n\n"
        let later = cue.replacing("00:00.000", with: "01:00.000").replacing("--> 01", with: "--> 02")
        let overlap = WebVTTDocument.failure(Array("WEBVTT\n\n\(later)\(cue)\(cue)".utf8))
        #expect(overlap?.code == .invalidLength)
        #expect(overlap?.reason?.contains("line 9") == true)
        #expect(try WebVTTDocument("WEBVTT\n\n\(later)\(cue)").cues.count == 2)
        // Each of these lines is checked as the end of one block and as the start of the next.
        let count = 50_000
        let arrows = try WebVTTDocument("WEBVTT\n" + String(repeating: "-->\n", count: count))
        #expect(arrows.droppedCount == count)
        #expect(arrows.dropped.count == WebVTTDocument.maximumDropped)
        let dashes = try WebVTTDocument("WEBVTT\n\n" + String(repeating: "-", count: count) + ">\n")
        #expect(dashes.droppedBlocks == ["3 invalid-timing"])
    }
}
