import HLSPlaylist
import Testing

@testable import Packager

@Suite("I-frame playlists of a live presentation")
struct LiveIFrameTests {
    /// NTSC film rates: a group of 144 frames lasts 6.006 s, with a Target Duration of 6 s like the Media Playlist.
    @Test("cover their entries by their Target Duration at fractional frame rates")
    func fractional() throws {
        var lists = [false, true].map {
            RenditionPlaylist(.live, targetDuration: 6, isIFramesOnly: $0)
        }
        for number in 0..<8 {
            for index in lists.indices {
                var segment = Rendition.Segment(
                    resource: Rendition.Resource(
                        uri: "\(number + 1).m4s",
                        byteRange: index == 1 ? 800..<1800 : nil
                    ),
                    byteCount: 100_000,
                    duration: RationalTime(6006, timescale: 1000)
                )
                segment.date = PlaylistDate(seconds: 1_800_000_000).advanced(by: 6.006 * Double(number))
                segment.initialization = Rendition.Resource(uri: "init-1.mp4")
                lists[index].append(segment)
                _ = lists[index].removeFirst(lists[index].excess(over: .segments(5)))
                let file = try LintFile(name: "live.m3u8", bytes: lists[index].playlist().write())
                #expect(Linter().check(file).isEmpty, "\(Linter().check(file))")
            }
        }
        for index in lists.indices {
            let playlist = lists[index].playlist()
            #expect(playlist.targetDuration == 6 && playlist.version == 6)
        }
    }
}
