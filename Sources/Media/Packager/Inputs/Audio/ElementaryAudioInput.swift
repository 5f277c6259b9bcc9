import ByteCoding
import FileWriting
import MediaFormats

/// Audio by itself: a file of ADTS frames (`.aac`) or of AC-3 or E-AC-3 syncframes (`.ac3`, `.ec3`), from a mapped file
/// or from a pipe. ID3 tags are passed over; the presentation begins with the first frame.
final class ElementaryAudioInput<Framing: AudioFraming>: MediaInput {
    let name: String
    private(set) var tracks: [MediaTrack] = []

    private let source: any ByteSource
    private var framing = Framing()
    private var identity: UInt64 = 0
    private var samples = Queue<MediaSample>()
    private var decodeTime: Int64 = 0
    private var hasEnded = false
    private var strangers = 0

    /// Reads the first frames.
    ///
    /// - Throws: ``InputFailure`` when there is no frame, or it cannot be described; ``FileFailure``.
    init(_ source: any ByteSource) throws {
        self.source = source
        name = source.name
        while tracks.isEmpty, !hasEnded { try readMore() }
        guard !tracks.isEmpty else { throw InputFailure(name, "there is no whole audio frame") }
    }

    var byteCount: Int? { source.byteCount }
    var position: Int { source.position }

    var warnings: [String] {
        var warnings: [String] = []
        if framing.damage > 0 {
            warnings.append("\(name): \(framing.damage) times there were bytes that belong to no frame")
        }
        if strangers > 0 {
            warnings.append(
                "\(name): \(strangers) frames have another rate or other channels than the first one, and are left out"
            )
        }
        return warnings
    }

    func next() throws -> (track: Int, sample: MediaSample)? {
        while samples.isEmpty {
            if hasEnded { return nil }
            try readMore()
        }
        return samples.removeFirst().map { (0, $0) }
    }

    /// Reads a piece, and gathers its samples in one piece of memory.
    private func readMore() throws {
        var bytes: [UInt8] = []
        var new: [(range: Range<Int>, duration: UInt32)] = []
        let take: (AudioFrame, RawSpan) throws -> Void = { [unowned self] frame, whole in
            if self.tracks.isEmpty {
                let description = try Framing.description(of: whole)
                self.tracks = [description.track(timing: TrackTiming(timescale: UInt32(description.rate)))]
                self.identity = frame.identity
            }
            guard frame.identity == self.identity else { return self.strangers += 1 }
            let start = bytes.count
            whole.extracting(frame.sample).withUnsafeBytes { bytes.append(contentsOf: $0) }
            new.append((start..<bytes.count, frame.duration))
        }
        do {
            let isThere = try source.next { piece in
                bytes.reserveCapacity(piece.byteCount)
                try framing.feed(piece, take)
            }
            if !isThere {
                hasEnded = true
                try framing.finish(take)
            }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
        let gathered = GatheredBytes(bytes)
        for (range, duration) in new {
            samples.append(
                MediaSample(
                    bytes: gathered,
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
