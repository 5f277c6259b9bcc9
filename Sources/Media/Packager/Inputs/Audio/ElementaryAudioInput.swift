import ByteCoding
import FileWriting
import MediaFormats
import TextCoding

/// An elementary audio stream: ADTS frames (`.aac`) or AC-3 or E-AC-3 syncframes (`.ac3`, `.ec3`), from a mapped file
/// or a pipe. ID3 tags are skipped; the presentation starts with the first frame. A part starts where the sample rate,
/// the channels or the profile change.
final class ElementaryAudioInput<Framing: AudioFraming>: MediaInput {
    /// A frame of a chunk.
    private struct Frame {
        var bytes: BufferedBytes?
        var range: Range<Int>
        var duration: UInt32
        var identity: UInt64
    }

    /// A sample, or the start of a part.
    private enum Item {
        case part(MediaTrack)
        case sample(MediaSample)
    }

    let name: String
    private(set) var tracks: [MediaTrack] = []

    private let source: any ByteSource
    private var framing = Framing()
    private var changes = ConfigurationChanges<Frame>()
    /// The tracks by configuration; nil for a configuration that cannot be read.
    private var described: [UInt64: MediaTrack?] = [:]
    private var identity: UInt64?
    private var items = Queue<Item>()
    private var decodeTime: Int64 = 0
    private var hasEnded = false
    private var unreadableFrames = 0

    /// Reads the first frames.
    ///
    /// - Throws: ``InputFailure`` if there is no frame, or the first one cannot be described; ``FileError``.
    init(_ source: any ByteSource) throws {
        self.source = source
        name = source.name
        while items.isEmpty, !hasEnded { try readMore() }
        guard case .part(let track)? = items.removeFirst() else {
            throw InputFailure(name, "the file contains no complete audio frame")
        }
        tracks = [track]
    }

    var byteCount: Int? { source.byteCount }
    var position: Int { source.position }

    var warnings: [String] {
        var warnings: [String] = []
        if framing.damage > 0 {
            warnings.append("\(name): \(counted(framing.damage, "byte sequence")) skipped outside of audio frames")
        }
        let mismatchedFrames = changes.droppedCount + (omissions.isEmpty ? unreadableFrames : 0)
        if mismatchedFrames > 0 {
            warnings.append(
                "\(name): \(counted(mismatchedFrames, "frame")) skipped, because sample rate or channels differ from the "
                    + "frames around them"
            )
        }
        return warnings
    }

    /// The audio whose configuration cannot be packaged. A few unreadable frames indicate damage.
    var omissions: [Omission] {
        guard unreadableFrames >= 8 else { return [] }
        let reason = "changes to a configuration that cannot be packaged (\(counted(unreadableFrames, "frame")))"
        return [Omission(.audio, "the audio", reason, advice: Conversion.encodeAudio)]
    }

    func next() throws -> InputEvent? {
        while items.isEmpty {
            if hasEnded { return nil }
            try readMore()
        }
        switch items.removeFirst() {
        case .sample(let sample)?: return .sample(track: 0, sample)
        case .part(let track)?:
            tracks = [track]
            return .part(reason: "the sample rate, channels or profile change")
        case nil: return nil
        }
    }

    /// Reads a chunk, and collects its samples in a single buffer.
    private func readMore() throws {
        var bytes: [UInt8] = []
        var new: [Frame] = []
        let addFrame: (AudioFrame, RawSpan) throws -> Void = { [unowned self] frame, whole in
            if self.described[frame.identity] == nil {
                // Only the first frame decides whether the file can be packaged; a later one may be damaged.
                let isFirst = self.described.isEmpty
                let description = try isFirst ? Framing.description(of: whole) : try? Framing.description(of: whole)
                let track = description.map { $0.track(timing: TrackTiming(timescale: UInt32($0.rate))) }
                self.described[frame.identity] = .some(track)
            }
            let start = bytes.count
            whole.extracting(frame.sample).withUnsafeBytes { bytes.append(contentsOf: $0) }
            new.append(Frame(range: start..<bytes.count, duration: frame.duration, identity: frame.identity))
        }
        do {
            let hasMore = try source.next { chunk in
                bytes.reserveCapacity(chunk.byteCount)
                try framing.feed(chunk, addFrame)
            }
            if !hasMore {
                hasEnded = true
                try framing.finish(addFrame)
            }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        }
        let buffer = BufferedBytes(bytes)
        for var frame in new {
            frame.bytes = buffer
            for confirmed in changes.add(frame, identity: frame.identity) { append(confirmed) }
        }
        if hasEnded { for frame in changes.finish() { append(frame) } }
    }

    private func append(_ frame: Frame) {
        guard let bytes = frame.bytes, case let track?? = described[frame.identity] else {
            unreadableFrames += 1
            return
        }
        if frame.identity != identity {
            (identity, decodeTime) = (frame.identity, 0)
            items.append(.part(track))
        }
        items.append(
            .sample(
                MediaSample(
                    bytes: bytes,
                    offset: frame.range.lowerBound,
                    size: frame.range.count,
                    decodeTime: decodeTime,
                    duration: frame.duration
                )
            )
        )
        decodeTime += Int64(frame.duration)
    }
}
