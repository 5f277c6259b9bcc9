import HLSPlaylist
import Testing

@Suite("Parsing limits")
struct PlaylistLimitTests {
    /// Parses a playlist strictly and leniently, and expects both to fail because of a limit.
    private func expectRefusal(
        _ text: String,
        _ change: (inout PlaylistLimits) -> Void,
        line: Int? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        var limits = PlaylistLimits()
        change(&limits)
        let options = ParsingOptions(limits: limits)
        #expect(throws: Never.self, sourceLocation: location) { try Playlist(strictlyParsing: Array(text.utf8)) }
        for isStrict in [true, false] {
            #expect(sourceLocation: location) {
                if isStrict {
                    _ = try Playlist(strictlyParsing: Array(text.utf8), options: options)
                } else {
                    _ = try Playlist.parseLeniently(Array(text.utf8), options: options)
                }
            } throws: { error in
                guard let error = error as? PlaylistError, error.rule == .limitExceeded else { return false }
                return line == nil || error.diagnostic.line == line
            }
        }
        #expect(sourceLocation: location) { try Playlist.lines(of: Array(text.utf8), options: options) } throws: {
            ($0 as? PlaylistError)?.rule == .limitExceeded
        }
    }

    private func media(_ lines: String...) -> String {
        (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines + ["#EXTINF:6,", "a.ts", ""]).joined(separator: "\n")
    }

    @Test("the length of a line")
    func lineLength() {
        expectRefusal(media("# " + String(repeating: "x", count: 99)), { $0.lineLength = 100 }, line: 3)
    }

    @Test("the size of a playlist")
    func bytes() {
        expectRefusal(media("# " + String(repeating: "x", count: 99)), { $0.bytes = 100 })
    }

    @Test("the attributes of a tag")
    func attributes() {
        let attributes = (0..<20).map { "X-A\($0)=1" }.joined(separator: ",")
        expectRefusal(media("#EXT-X-DATERANGE:ID=\"1\",\(attributes)"), { $0.attributes = 20 }, line: 3)
    }

    @Test("the number of variables")
    func variables() {
        let defines = (0..<11).map { "#EXT-X-DEFINE:NAME=\"v\($0)\",VALUE=\"\"" }
        expectRefusal(media(defines.joined(separator: "\n")), { $0.variables = 10 }, line: 13)
    }

    @Test("the total growth by variable substitution")
    func substitution() {
        let value = String(repeating: "x", count: 50)
        let uses = (0..<20).map { _ in "#EXTINF:6,\n{$v}.ts" }.joined(separator: "\n")
        expectRefusal(
            media("#EXT-X-DEFINE:NAME=\"v\",VALUE=\"\(value)\"\n\(uses)"),
            { $0.substitutedBytes = 500 },
            line: 25
        )
    }

    @Test("the length of a value after variable substitution")
    func substitutedValue() {
        let uses = String(repeating: "{$v}", count: 20)
        let text = media("#EXT-X-DEFINE:NAME=\"v\",VALUE=\"xxxxxxxxxxxxxxxxxxxx\"\n#EXTINF:6,\n\(uses)")
        expectRefusal(text, { $0.lineLength = 300 }, line: 5)
    }

    @Test("the number of segments")
    func segments() throws {
        let text = media((0..<10).map { "#EXTINF:6,\n\($0).ts" }.joined(separator: "\n"))
        var limits = PlaylistLimits()
        limits.segments = 10
        #expect { try Playlist(parsing: text, options: ParsingOptions(limits: limits)) } throws: {
            ($0 as? PlaylistError)?.rule == .limitExceeded
        }
        limits.segments = 11
        #expect(throws: Never.self) { try Playlist(parsing: text, options: ParsingOptions(limits: limits)) }
    }

    @Test("a variable's value is not searched for references")
    func noRecursion() throws {
        let text = media(
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"x\"\n#EXT-X-DEFINE:NAME=\"b\",VALUE=\"{\"\n#EXTINF:6,\n{$b}$a}.ts"
        )
        let playlist = try MediaPlaylist(parsing: Array(text.utf8))
        #expect(playlist.segments[0].uri == "{$a}.ts")
    }

    @Test("lenient parsing collects a limited number of diagnostics")
    func diagnostics() throws {
        var limits = PlaylistLimits()
        limits.diagnostics = 5
        let text = media((0..<50).map { "#EXT-X-BITRATE:x\($0)" }.joined(separator: "\n"))
        let found = try Playlist.parseLeniently(Array(text.utf8), options: ParsingOptions(limits: limits)).diagnostics
        #expect(found.count == 5)
        #expect(found.allSatisfy { $0.rule == .malformedTagValue })
    }
}
