import Packager
import Testing

@testable import keyway

@Suite("The queue of uploads")
struct UploadQueueTests {
    private static func queue(_ changes: [(String, LiveFileChange.Kind)]) -> UploadQueue {
        var queue = UploadQueue()
        for (path, kind) in changes { queue.append(LiveFileChange(path: path, kind: kind), now: .now) }
        return queue
    }

    /// The next groups, as the paths of their changes.
    private static func next(_ queue: inout UploadQueue) -> [[String]] {
        queue.next().map { group in
            group.map { entry in
                switch entry.change.kind {
                case .replaced(let bytes): "\(entry.change.path)=\(bytes)"
                case .written(let range, let isComplete): "\(entry.change.path)@\(range)\(isComplete ? "." : "")"
                case .deleted: "-\(entry.change.path)"
                }
            }
        }
    }

    @Test("uploads the folders at the same time, and files of the whole presentation alone and in order")
    func order() {
        var queue = Self.queue([
            ("video/1.m4s", .written(0..<5, isComplete: false)), ("video/media.m3u8", .replaced([1])),
            ("audio/1.m4s", .written(0..<3, isComplete: true)), ("main.m3u8", .replaced([2])),
            ("main.mpd", .replaced([3])), ("video/1.m4s", .written(5..<9, isComplete: true)),
            ("audio/0.m4s", .deleted),
        ])
        #expect(Self.next(&queue) == [["video/1.m4s@0..<5", "video/media.m3u8=[1]"], ["audio/1.m4s@0..<3."]])
        #expect(Self.next(&queue) == [["main.m3u8=[2]"]])
        #expect(Self.next(&queue) == [["main.mpd=[3]"]])
        #expect(!queue.isEmpty)
        #expect(Self.next(&queue) == [["video/1.m4s@5..<9."], ["-audio/0.m4s"]])
        #expect(queue.isEmpty)
        #expect(Self.next(&queue).isEmpty)
    }

    @Test("leaves out versions of a playlist that a later one replaces, and nothing else")
    func replaced() {
        var queue = Self.queue([
            ("v/media.m3u8", .replaced([1])), ("v/1.m4s", .written(0..<1, isComplete: false)),
            ("v/media.m3u8", .replaced([2])), ("v/iframes.m3u8", .replaced([3])),
            ("v/1.m4s", .written(1..<2, isComplete: true)), ("v/media.m3u8", .replaced([4])),
        ])
        #expect(
            Self.next(&queue) == [["v/1.m4s@0..<1", "v/iframes.m3u8=[3]", "v/1.m4s@1..<2.", "v/media.m3u8=[4]"]]
        )
    }
}
