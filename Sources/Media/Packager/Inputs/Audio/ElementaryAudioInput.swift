import ByteCoding
import FileWriting
import MediaFormats

/// An elementary audio stream: ADTS frames (`.aac`) or AC-3 or E-AC-3 syncframes (`.ac3`, `.ec3`), from a mapped file
/// or a pipe. ID3 tags are skipped; the presentation starts with the first frame.
final class ElementaryAudioInput<Framing: AudioFraming>: MediaInput {
    let name: String
    private(set) var tracks: [MediaTrack] = []

    private let source: any ByteSource
    private var framing = Framing()
    private var identity: UInt64 = 0
    private var samples = Queue<MediaSample>()
    private var decodeTime: Int64 = 0
    private var hasEnded = false
    private var mismatchedFrames = 0

    /// Reads the first frames.
    ///
    /// - Throws: ``InputFailure`` if there is no frame, or the first one cannot be described; ``FileError``.
    init(_ source: any ByteSource) throws {
        self.source = source
        name = source.name
        while tracks.isEmpty, !hasEnded { try readMore() }
        guard !tracks.isEmpty else { throw InputFailure(name, "the file contains no complete audio frame") }
    }

    var byteCount: Int? { source.byteCount }
    var position: Int { source.position }

    var warnings: [String] {
        var warnings: [String] = []
        if framing.damage > 0 {
            warnings.append("\(name): found bytes outside of audio frames \(framing.damage) times; they are skipped")
        }
        if mismatchedFrames > 0 {
            warnings.append(
                "\(name): \(mismatchedFrames) frames are skipped: their sample rate or channels differ from the first "
                    + "frame"
            )
        }
        return warnings
    }

    func next() throws -> InputEvent? {
        while samples.isEmpty {
            if hasEnded { return nil }
            try readMore()
        }
        return samples.removeFirst().map { .sample(track: 0, $0) }
    }

    /// Reads a chunk, and collects its samples in a single buffer.
    private func readMore() throws {
        var bytes: [UInt8] = []
        var new: [(range: Range<Int>, duration: UInt32)] = []
        let addSample: (AudioFrame, RawSpan) throws -> Void = { [unowned self] frame, whole in
            if self.tracks.isEmpty {
                let description = try Framing.description(of: whole)
                self.tracks = [description.track(timing: TrackTiming(timescale: UInt32(description.rate)))]
                self.identity = frame.identity
            }
            guard frame.identity == self.identity else { return self.mismatchedFrames += 1 }
            let start = bytes.count
            whole.extracting(frame.sample).withUnsafeBytes { bytes.append(contentsOf: $0) }
            new.append((start..<bytes.count, frame.duration))
        }
        do {
            let hasMore = try source.next { chunk in
                bytes.reserveCapacity(chunk.byteCount)
                try framing.feed(chunk, addSample)
            }
            if !hasMore {
                hasEnded = true
                try framing.finish(addSample)
            }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
        let buffer = BufferedBytes(bytes)
        for (range, duration) in new {
            samples.append(
                MediaSample(
                    bytes: buffer,
                    offset: range.lowerBound,
                    size: range.count,
                    decodeTime: decodeTime,
                    duration: duration
                )
            )
            decodeTime += Int64(duration)
        }
    }
}
