import HLSPlaylist
import Testing

@testable import Packager

@Suite("Files of a live rendition")
struct LiveRenditionTests {
    private let start = PlaylistDate(seconds: 1_800_000_000)

    private func rendition(_ window: LiveOptions.Window?) -> LiveRendition {
        LiveRendition(
            folder: "video",
            names: PackagingJob.FileNames(),
            window: window,
            media: RenditionPlaylist(window == nil ? .event : .live, targetDuration: 6),
            iFrames: RenditionPlaylist(window == nil ? .event : .live, targetDuration: 6, isIFramesOnly: true)
        )
    }

    private func segment(_ number: Int) -> Rendition.Segment {
        var segment = Rendition.Segment(
            resource: Rendition.Resource(uri: "\(number).m4s"),
            byteCount: 1000,
            duration: RationalTime(6, timescale: 1),
            keyFrames: [(100, 0), (500, 2)].map { offset, time in
                KeyFrame(offset: offset, size: 200, presentation: RationalTime(time, timescale: 1))
            }
        )
        segment.date = start.advanced(by: 6 * Double(number))
        segment.initialization = Rendition.Resource(uri: "init-\((number - 1) / 4).mp4")
        return segment
    }

    private func deletions(_ actions: [LiveAction]) -> [String] {
        actions.compactMap { if case .delete(let name) = $0 { name } else { nil } }
    }

    @Test("are kept after their removal for their duration plus that of the longest playlist")
    func deletion() {
        var rendition = rendition(.segments(3))
        var deleted: [String: Int] = [:]
        for number in 1...20 {
            let now = start.advanced(by: 6 * Double(number))
            _ = rendition.append(segment(number), now: now)
            for name in deletions(rendition.expire(now)) { deleted[name] = number }
        }
        // Segment 1 is removed with 4; the longest playlist had 24 s before that: five segments later.
        #expect(deleted["video/1.m4s"] == 9)
        #expect(deleted["video/2.m4s"] == 10)
        #expect(deleted["video/init-0.mp4"] == deleted["video/4.m4s"])
        #expect(deleted["video/init-4.mp4"] == nil)
        #expect(deleted.count == 12 + 3)
    }

    @Test("are kept for the time shift buffer of a manifest, whatever the playlists")
    func timeShift() {
        var rendition = LiveRendition(
            folder: "video",
            names: PackagingJob.FileNames(),
            window: .segments(3),
            media: RenditionPlaylist(.live, targetDuration: 6),
            iFrames: nil,
            hasPlaylists: false,
            timeShift: 60
        )
        var deleted: [String: Int] = [:]
        for number in 1...20 {
            let now = start.advanced(by: 6 * Double(number + 1))
            #expect(rendition.append(segment(number), now: now).isEmpty, "there are no playlists")
            for name in deletions(rendition.expire(now)) { deleted[name] = number }
        }
        // The first one ends at 12 s, and is available for a minute plus its duration from there.
        #expect(deleted["video/1.m4s"] == 12)
        #expect(deleted["video/9.m4s"] == 20)
        #expect(deleted["video/10.m4s"] == nil)
    }

    @Test("are never deleted for an event")
    func event() {
        var rendition = rendition(nil)
        for number in 1...50 {
            let now = start.advanced(by: 1e6 * Double(number))
            _ = rendition.append(segment(number), now: now)
            #expect(rendition.expire(now).isEmpty)
        }
    }

    @Test("have their I-frames removed with their segments")
    func frames() {
        var rendition = rendition(.segments(3))
        for number in 1...10 { _ = rendition.append(segment(number), now: start) }
        #expect(rendition.iFrames?.segments.first?.resource.uri == "8.m4s")
        #expect(rendition.iFrames?.segments.count == 6)
        #expect(rendition.iFrames?.sequence == 14)
        #expect(rendition.media.sequence == 7)
    }

    @Test("of an earlier run are deleted when no client can need them any more")
    func leftovers() {
        var rendition = rendition(.segments(3))
        rendition.retire(["a.m4s"], now: start)
        _ = rendition.append(segment(1), now: start)
        #expect(rendition.expire(start).isEmpty)
        _ = rendition.append(segment(2), now: start.advanced(by: 6))
        #expect(deletions(rendition.expire(start.advanced(by: 6))) == ["video/a.m4s"])
    }
}
