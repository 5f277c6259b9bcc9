import ByteCoding
import MediaFormats

/// Creates samples from the access units of a part, in the format of MP4 files (ISO/IEC 14496-15).
final class VideoSection<Syntax: VideoSyntax>: StreamSection {
    /// A buffered frame.
    private struct Frame {
        var frame: VideoFrame
        var times: VideoTimes.Times
        var isSync: Bool
    }

    private let label: String
    private let clock: ProgramClock
    private var times: VideoTimes
    private var frames = Queue<Frame>()
    private(set) var bufferedBytes = 0
    private(set) var firstPresentation: Int64?
    private var firstDecode: Int64 = 0
    /// The presentation time of the first frame, which can be later than ``firstPresentation``.
    private var start: Int64 = 0
    /// The parameter sets in the sample entry.
    private let sets: [VideoUnit.SetID: [UInt8]]
    private let messages: [SEIMessage]
    /// True if recovery points count as sync samples, because the section starts with one.
    private let hasOpenGroups: Bool
    /// True if leading pictures, which reference pictures before the first one, are skipped.
    private var skipsLeading: Bool
    private var earlyCount: Int
    private var keptSets = 0

    /// Starts with a frame with which decoding can start.
    ///
    /// - Parameter skippedBefore: The number of frames that were skipped before it.
    init(label: String, clock: ProgramClock, first: VideoFrame, skippedBefore: Int) {
        self.label = label
        self.clock = clock
        earlyCount = skippedBefore
        sets = Self.configuration(of: first)
        messages = Self.messages(of: first.unit)
        hasOpenGroups = first.unit.randomAccess == .none
        skipsLeading = first.unit.randomAccess != .none
        times = VideoTimes(duration: (try? Syntax().description(of: sets))?.frameDuration)
        append(first)
    }

    func append(_ frame: VideoFrame) {
        let unit = frame.unit
        if unit.isSkippedLeading, skipsLeading {
            earlyCount += 1
            return
        }
        if unit.randomAccess != .none, firstPresentation != nil { skipsLeading = false }
        let isSync =
            unit.randomAccess.isSyncSample
            || hasOpenGroups && Self.messages(of: unit).contains(where: \.isImmediateRecovery)
        let times = times.next(unit.times, clock: clock)
        if firstPresentation == nil { (firstDecode, start) = (times.decode, times.presentation) }
        firstPresentation = min(firstPresentation ?? .max, times.presentation)
        bufferedBytes += unit.bytes.count
        frames.append(Frame(frame: frame, times: times, isSync: isSync))
    }

    // MARK: - Properties of frames

    /// Returns whether decoding can start with a frame: its parameter sets are known, and it is a key frame.
    static func canStart(with frame: VideoFrame, allowsRecovery: Bool) -> Bool {
        guard frame.unit.times?.decode != nil else { return false }
        guard
            frame.unit.randomAccess != .none
                || allowsRecovery && messages(of: frame.unit).contains(where: \.isImmediateRecovery)
        else { return false }
        return (try? Syntax().description(of: configuration(of: frame))) != nil
    }

    /// Returns the parameter sets with which decoding starts: those in the access unit if they are sufficient.
    private static func configuration(of frame: VideoFrame) -> [VideoUnit.SetID: [UInt8]] {
        (try? Syntax().description(of: frame.ownSets)) == nil ? frame.sets : frame.ownSets
    }

    private static func messages(of unit: AccessUnit) -> [SEIMessage] {
        unit.messages.flatMap { Syntax().messages(unit.bytes.span.bytes.extracting($0)) }
    }

    /// Returns whether a frame contains other parameter sets than the sample entry.
    func isOther(_ frame: VideoFrame) -> Bool { frame.ownSets.contains { sets[$0.key] != $0.value } }

    /// Returns the difference between a frame's decode time and the expected one; nil if it has no timestamp.
    func difference(of frame: VideoFrame) -> Int64? {
        frame.unit.times?.decode.flatMap { times.difference(of: $0, clock: clock) }
    }

    /// Returns whether a frame's timestamp is a jump.
    func isJump(at frame: VideoFrame) -> Bool {
        guard let difference = difference(of: frame) else { return false }
        return difference > ProgramClock.maximumGap
            || difference + times.lastDuration < -ProgramClock.maximumOverlap
    }

    /// Returns the presentation time of a frame on the timeline.
    func presentation(of frame: VideoFrame) -> Int64? {
        guard let difference = difference(of: frame), let expected = times.expected else { return nil }
        let delay = (frame.unit.times?.presentation ?? 0) - (frame.unit.times?.decode ?? 0)
        return expected + difference + delay
    }

    /// Removes and returns the frames from the first one that starts a group and is presented at a time or, at most a
    /// quarter of a second, before it.
    func takeBack(since time: Int64) -> [VideoFrame] {
        var kept = Queue<Frame>()
        var taken: [VideoFrame] = []
        while let frame = frames.removeFirst() {
            if taken.isEmpty, frame.times.presentation < time - ProgramClock.rate / 4 || !canStart(frame) {
                kept.append(frame)
            } else {
                bufferedBytes -= frame.frame.unit.bytes.count
                taken.append(frame.frame)
            }
        }
        frames = kept
        return taken
    }

    private func canStart(_ frame: Frame) -> Bool { Self.canStart(with: frame.frame, allowsRecovery: hasOpenGroups) }

    // MARK: - Samples

    var end: Int64? { times.expected.map { $0 + start - firstDecode } }
    var isEmpty: Bool { frames.isEmpty }
    var lastDecodeTime: Int64? { frames.last?.times.decode }
    var nextStart: Int64? { frames.first.flatMap { $0.isSync ? $0.times.presentation : nil } }

    func nextDecodeTime(isClosed: Bool) -> Int64? { frames.count > 1 || isClosed ? frames.first?.times.decode : nil }

    func next(isClosed: Bool) -> MediaSample? {
        guard nextDecodeTime(isClosed: isClosed) != nil, let frame = frames.removeFirst() else { return nil }
        bufferedBytes -= frame.frame.unit.bytes.count
        let duration = frames.first.map { $0.times.decode - frame.times.decode } ?? times.lastDuration
        let (bytes, range) = content(of: frame.frame.unit)
        return MediaSample(
            bytes: BufferedBytes(bytes),
            offset: range.lowerBound,
            size: range.count,
            decodeTime: frame.times.decode - firstDecode,
            duration: UInt32(clamping: duration),
            compositionOffset: Int32(clamping: frame.times.presentation - frame.times.decode),
            isSync: frame.isSync
        )
    }

    /// Returns the bytes of a sample. Parameter sets that are in the sample entry are removed; usually they are the first
    /// bytes, so that nothing is copied.
    private func content(of unit: AccessUnit) -> (bytes: [UInt8], range: Range<Int>) {
        var removed = unit.sets.filter { set in
            set.id.map { sets[$0].map { $0.elementsEqual(unit.bytes[set.range].dropFirst(4)) } ?? false } ?? true
        }[...]
        keptSets += unit.sets.count - removed.count
        var start = 0
        while let first = removed.first, first.range.lowerBound == start {
            start = first.range.upperBound
            removed.removeFirst()
        }
        guard !removed.isEmpty else { return (unit.bytes, start..<unit.bytes.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(unit.bytes.count)
        for set in removed {
            bytes += unit.bytes[start..<set.range.lowerBound]
            start = set.range.upperBound
        }
        bytes += unit.bytes[start...]
        return (bytes, 0..<bytes.count)
    }

    var warnings: [String] {
        var warnings: [String] = []
        func warn(_ count: Int, _ text: String) {
            if count > 0 { warnings.append("\(label): \(count) \(text)") }
        }
        warn(earlyCount, "pictures are skipped because they precede the first key frame or reference such pictures")
        warn(times.estimatedCount, "pictures have no timestamps; they are derived from the previous ones")
        warn(times.nonIncreasingCount, "pictures have decode times that do not increase")
        warn(
            keptSets,
            "parameter sets change between key frames and are kept in the samples, although the sample entry of the init "
                + "segment forbids it; players may fail there: encode the input again"
        )
        if hasOpenGroups {
            warnings.append(
                "\(label): the stream does not start with an IDR picture, so recovery points are treated as key "
                    + "frames; players may show damaged pictures after a seek"
            )
        }
        return warnings
    }
}

// MARK: - The track
extension VideoSection {
    func makeTrack(origin: Int64, language: String) throws -> MediaTrack {
        guard firstPresentation != nil else { throw TransportFailure.notReady }
        let description = try Syntax().description(of: sets)
        let timing = TrackTiming(
            timescale: UInt32(ProgramClock.rate),
            mediaTime: UInt64(clamping: start - firstDecode),
            delay: UInt64(clamping: start - origin)
        )
        var transfer: UInt8?
        for case .alternativeTransfer(let preferred) in messages { transfer = preferred }
        let displaySize = description.displaySize
        return MediaTrack(
            format: description.format,
            sampleEntry: sampleEntry(description),
            timescale: UInt32(ProgramClock.rate),
            timing: timing,
            language: language,
            width: displaySize.width,
            height: displaySize.height,
            displaySize: MediaTrack.DisplaySize(
                width: UInt32(UInt16(clamping: displaySize.width)) << 16,
                height: UInt32(UInt16(clamping: displaySize.height)) << 16
            ),
            codecs: description.codecs,
            videoRange: DynamicRange(
                container: nil,
                codec: description.usability.color,
                alternativeTransfer: transfer
            )
        )
    }

    private func sampleEntry(_ description: VideoDescription) -> SampleEntry {
        var boxes = [description.configuration]
        if let color = description.usability.color { boxes.append(RawBox(ColorInformationBox(.nclx(color)))) }
        for message in messages {
            switch message {
            case .masteringDisplay(let box): boxes.append(RawBox(box))
            case .contentLightLevel(let box): boxes.append(RawBox(box))
            default: break
            }
        }
        if let ratio = description.usability.sampleAspectRatio, ratio.width != ratio.height {
            let box = PixelAspectRatioBox(horizontal: UInt32(ratio.width), vertical: UInt32(ratio.height))
            boxes.append(RawBox(box))
        }
        let fields = VisualSampleFields(
            width: UInt16(clamping: description.size.width),
            height: UInt16(clamping: description.size.height)
        )
        return SampleEntry(format: description.sampleEntry, fields: .visual(fields), boxes: boxes)
    }
}

extension SEIMessage {
    /// True if all pictures from this one on are correct (recovery point with a count of 0).
    fileprivate var isImmediateRecovery: Bool {
        if case .recoveryPoint(let frames, _) = self { return frames == 0 }
        return false
    }
}
