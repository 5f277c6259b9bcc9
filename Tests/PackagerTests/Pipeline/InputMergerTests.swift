import MediaFormats
import Testing

@testable import Packager

/// An input with given events.
private final class ListedInput: MediaInput {
    let name = "listed"
    let warnings: [String] = []
    let byteCount: Int? = nil
    let position = 0
    let tracks: [MediaTrack]
    private var events: [InputEvent]

    /// Samples of one second each, in one part for each count.
    init(timescale: UInt32, counts: [Int]) {
        let timing = TrackTiming(timescale: timescale)
        tracks = [MediaTrack(format: .ac3, sampleEntry: nil, timescale: timescale, timing: timing, codecs: "x")]
        events = counts.enumerated().flatMap { part, count -> [InputEvent] in
            let samples = (0..<count).map { index in
                InputEvent.sample(
                    track: 0,
                    MediaSample(
                        bytes: BufferedBytes([]),
                        offset: 0,
                        size: 0,
                        decodeTime: Int64(index) * Int64(timescale),
                        duration: timescale
                    )
                )
            }
            return (part > 0 ? [.part(reason: "test")] : []) + samples
        }
    }

    func next() -> InputEvent? { events.isEmpty ? nil : events.removeFirst() }
}

@Suite("Several inputs with parts")
struct InputMergerTests {
    /// Returns the decode times of each input's samples in seconds, by part.
    private func times(_ inputs: [any MediaInput]) throws -> [[[Int64]]] {
        var merger = InputMerger(inputs)
        var parts: [[[Int64]]] = [inputs.map { _ in [] }]
        while let event = try merger.next() {
            switch event {
            case .sample(let input, let track, let sample):
                let media = merger.tracks[input][track]
                parts[parts.count - 1][input].append(Int64(media.presentation(sample).seconds))
            case .part: parts.append(inputs.map { _ in [] })
            case .end, .splice, .metadata: break
            }
        }
        return parts
    }

    @Test("pass together if each of them starts a part")
    func together() throws {
        let inputs = [
            ListedInput(timescale: 10, counts: [3, 2]), ListedInput(timescale: 90, counts: [4, 3]),
        ]
        #expect(try times(inputs) == [[[0, 1, 2], [0, 1, 2, 3]], [[0, 1], [0, 1, 2]]])
    }

    @Test("are divided at the splice of another one, and their times start again at 0")
    func continuing() throws {
        let inputs = [
            ListedInput(timescale: 10, counts: [3, 2, 2]), ListedInput(timescale: 90, counts: [9]),
        ]
        #expect(try times(inputs) == [[[0, 1, 2], [0, 1, 2]], [[0, 1], [0, 1]], [[0, 1], [0, 1, 2, 3]]])
    }

    @Test("that have ended have no tracks in later parts")
    func ended() throws {
        let inputs = [
            ListedInput(timescale: 10, counts: [3, 2]), ListedInput(timescale: 90, counts: [2]),
        ]
        #expect(try times(inputs) == [[[0, 1, 2], [0, 1]], [[0, 1], []]])
    }
}
