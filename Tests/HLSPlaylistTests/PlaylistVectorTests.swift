import HLSPlaylist
import Testing
import VectorFiles

/// Tests of linting, strict parsing and writing with every file of TestVectors/playlist.
@Suite("Playlist vectors")
struct PlaylistVectorTests {
    @Test("linting finds the declared findings", arguments: try PlaylistVectorFile.all())
    func findings(_ vector: PlaylistVectorFile) throws {
        let found = try vector.lint()
        let declared = vector.findings.map(\.description)
        #expect(found.filter { $0.severity > .note }.map(\.finding.description) == declared)
        // There may be other notes; a vector only lists the relevant ones.
        let notes = found.filter { $0.severity == .note }.map(\.finding.description)
        #expect(vector.notes.map(\.description).filter { !notes.contains($0) } == [])
    }

    @Test("strict parsing succeeds, or fails with the declared rule", arguments: try PlaylistVectorFile.all())
    func strict(_ vector: PlaylistVectorFile) throws {
        var refusal: String?
        do throws(PlaylistError) {
            _ = try vector.parse()
        } catch {
            refusal = error.rule.rawValue
        }
        #expect(refusal == vector.strict)
    }

    @Test(
        "playlists are written back byte for byte",
        arguments: try PlaylistVectorFile.all().filter { $0.strict == nil }
    )
    func roundTrip(_ vector: PlaylistVectorFile) throws {
        for (file, playlist) in zip(vector.files, try vector.parse()) {
            #expect(try playlist.write() == file.bytes)
        }
    }

    @Test(
        "playlists created from values are written identically",
        arguments: try PlaylistVectorFile.all().filter(\.isCanonical)
    )
    func canonical(_ vector: PlaylistVectorFile) throws {
        for (file, playlist) in zip(vector.files, try vector.parse()) {
            let written = String(decoding: try playlist.rebuilt.write(), as: UTF8.self)
            #expect(written == String(decoding: file.bytes, as: UTF8.self))
        }
    }

    @Test("delta updates are applied", arguments: try PlaylistVectorFile.all().filter { $0.subject == .delta })
    func delta(_ vector: PlaylistVectorFile) throws {
        let playlists = try vector.parse().map { playlist -> MediaPlaylist in
            guard case .media(let media) = playlist else { throw PlaylistVectorFile.NotMedia() }
            return media
        }
        try #require(playlists.count >= 2)
        guard playlists.count == 3 else {
            #expect { try playlists[0].applying(playlists[1]) } throws: { error in
                (error as? PlaylistError)?.rule == .skipNotInBase
            }
            return
        }
        let result = try playlists[0].applying(playlists[1])
        #expect(result == playlists[2])
        #expect(result.segments == playlists[2].segments)
    }

    @Test("without a profile, no rule of a profile is applied", arguments: try PlaylistVectorFile.all())
    func withoutProfile(_ vector: PlaylistVectorFile) throws {
        let rules = Set(LintRule.Profile.allCases.flatMap { $0.rules.map(\.id) })
        guard vector.profile != nil, let file = try vector.lintFiles().first else { return }
        #expect(!Linter().check(file).contains { rules.contains($0.rule) })
    }

    @Test("the vectors violate every rule at least once")
    func coverage() throws {
        let vectors = try PlaylistVectorFile.all()
        let broken = Set(vectors.flatMap { $0.findings + $0.notes }.map(\.rule))
        let rules = (LintRule.all + LintRule.Profile.allCases.flatMap(\.rules)).map(\.id.rawValue)
        #expect(rules.filter { !broken.contains($0) } == [])
        #expect(broken.subtracting(rules).sorted() == [])
    }
}
