import HLSPlaylist
import Testing

@Suite("Tags that the draft does not define")
struct CustomTagTests {
    private struct CueOut: CustomTag, Equatable {
        static let name = "EXT-X-CUE-OUT"
        var seconds: Int

        init(seconds: Int) { self.seconds = seconds }

        init?(value: String?) {
            guard let seconds = value.flatMap({ Int($0) }) else { return nil }
            self.seconds = seconds
        }

        var value: String? { "\(seconds)" }
    }

    private struct CueIn: CustomTag, Equatable {
        static let name = "EXT-X-CUE-IN"
        init() {}
        init?(value: String?) { if value != nil { return nil } }
        var value: String? { nil }
    }

    private struct Owner: CustomTag, Equatable {
        static let name = "EXT-X-OWNER"
        static let isSegmentTag = false
        var value: String?
        init?(value: String?) { self.value = value }
    }

    private static let text = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXT-X-OWNER:me
        #EXT-X-CUE-OUT:12
        #EXTINF:6,
        a.ts
        #EXT-X-KEY:METHOD=AES-128,URI="k"
        #EXT-X-CUE-OUT-CONT:6
        #EXT-X-CUE-OUT:6
        #EXT-X-BITRATE:5
        #EXT-X-CUE-IN
        #EXTINF:6,
        b.ts

        """

    private static func read(_ text: String) throws -> (playlist: MediaPlaylist, diagnostics: [Diagnostic]) {
        var options = ParsingOptions()
        options.customTags = [CueOut.self, CueIn.self, Owner.self]
        let (playlist, diagnostics) = try Playlist.parseLeniently(Array(text.utf8), options: options)
        guard case .media(let media) = playlist else { throw NotMedia() }
        return (media, diagnostics)
    }

    private struct NotMedia: Error {}

    @Test("tags of registered types are read, also before the first segment, and not reported as unknown")
    func reading() throws {
        let (playlist, diagnostics) = try Self.read(Self.text)
        #expect(diagnostics.map(\.line) == [8])
        #expect(playlist.segments.map { $0.customTags(CueOut.self).map(\.seconds) } == [[12], [6]])
        #expect(playlist.segments.map { $0.customTags(CueIn.self).count } == [0, 1])
        #expect(playlist.customTags(Owner.self).map(\.value) == ["me"] && playlist.customTags(CueOut.self).isEmpty)
        #expect(try playlist.write() == Array(Self.text.utf8))
    }

    @Test("a malformed value is reported at the value")
    func malformed() throws {
        let text = Self.text.replacing("CUE-OUT:12", with: "CUE-OUT:twelve")
        let (playlist, diagnostics) = try Self.read(text)
        let error = try #require(diagnostics.first { $0.severity == .error })
        #expect(error.rule == .malformedTagValue && error.line == 4 && error.column == 15)
        #expect(playlist.segments[0].customTags(CueOut.self).isEmpty)
        #expect(throws: PlaylistError.self) {
            var options = ParsingOptions()
            options.customTags = [CueOut.self]
            _ = try MediaPlaylist(strictlyParsing: Array(text.utf8), options: options)
        }
    }

    @Test("a changed tag keeps its position, and a new one precedes the others")
    func writing() throws {
        var (playlist, _) = try Self.read(Self.text)
        playlist.segments[1].setCustomTags([CueOut(seconds: 5), CueOut(seconds: 4)])
        playlist.segments[0].setCustomTags([CueIn()])
        let expected = Self.text.replacing("#EXT-X-CUE-OUT:6\n", with: "#EXT-X-CUE-OUT:5\n#EXT-X-CUE-OUT:4\n")
            .replacing("#EXT-X-CUE-OUT:12\n", with: "#EXT-X-CUE-IN\n#EXT-X-CUE-OUT:12\n")
        #expect(String(decoding: try playlist.write(), as: UTF8.self) == expected)
        playlist.segments[1].setCustomTags([CueOut]())
        #expect(playlist.segments[1].customTags(CueOut.self).isEmpty && playlist.segments[1].tags.count == 4)
    }

    @Test("a value cannot add a line")
    func injection() throws {
        var playlist = MediaPlaylist(targetDuration: 6, segments: [MediaSegment(uri: "a.ts", duration: 6)])
        let tag = try #require(Owner(value: "a\n#EXT-X-ENDLIST"))
        playlist.segments[0].setCustomTags([tag])
        #expect(throws: PlaylistError.self) { try playlist.write() }
    }
}
