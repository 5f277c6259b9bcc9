import Foundation
import HLSPlaylist
import Testing

/// Playlists in the style of packagers and services. `UPDATE_CORPUS=1 swift test --filter PlaylistCorpusTests` updates
/// the expected findings, which must then be read one by one.
@Suite("Playlists in the style of packagers")
struct PlaylistCorpusTests {
    @Test("the findings are the expected ones; UPDATE_CORPUS=1 updates them", arguments: CorpusFindings.allCases)
    func findings(_ expectation: CorpusFindings) throws {
        let lines = try expectation.lines(try CorpusItem.all())
        if ProcessInfo.processInfo.environment["UPDATE_CORPUS"] != nil {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: expectation.file)
        }
        let expected = try String(contentsOf: expectation.file, encoding: .utf8)
        let difference = lines.difference(from: expected.split(separator: "\n").map(String.init))
        #expect(difference.isEmpty, "run UPDATE_CORPUS=1 swift test --filter PlaylistCorpusTests")
    }

    @Test("there are a hundred playlists or presentations, in ten styles")
    func size() throws {
        let items = try CorpusItem.all()
        #expect(items.count >= 100)
        #expect(Set(items.map { $0.name.prefix { $0 != "/" } }).count >= 10)
    }

    @Test("every playlist is read, and written back byte for byte", arguments: try CorpusItem.all())
    func roundTrip(_ item: CorpusItem) throws {
        for (name, bytes) in item.files {
            let playlist = try Playlist.parseLeniently(bytes).playlist
            #expect(try playlist.write() == bytes, "\(name)")
        }
    }

    @Test("a variant is selected from every Multivariant Playlist", arguments: try CorpusItem.all())
    func selection(_ item: CorpusItem) throws {
        // The player decodes everything, also Opus in one of the playlists, and has all key systems.
        var box = VariantSelectionTests.box
        box.codecs = CodecSupport { $0.family != .unknown }
        box.keySystems[.widevine] = []
        let selector = VariantSelector(box)
        for (name, bytes) in item.files {
            guard case .multivariant(let playlist) = try Playlist.parseLeniently(bytes).playlist else { continue }
            let selection = selector.select(from: playlist)
            #expect(selection.variant != nil, "\(name): \(selection.rejected)")
        }
    }

    @Test("the segments of every Media Playlist are resolved", arguments: try CorpusItem.all())
    func segments(_ item: CorpusItem) throws {
        for (name, bytes) in item.files {
            guard case .media(let playlist) = try Playlist.parseLeniently(bytes).playlist else { continue }
            let resolved = Array(try playlist.resolvedSegments())
            #expect(resolved.count == playlist.segments.count && !resolved.isEmpty, "\(name)")
            for segment in resolved where segment.segment.byteRange != nil {
                #expect(segment.byteRange != nil, "\(name): segment \(segment.mediaSequenceNumber)")
            }
        }
    }
}
