import ByteCoding
import MediaFormats

/// Creates samples from an H.264 or HEVC stream, in the format of MP4 files (ISO/IEC 14496-15).
final class VideoStream<Syntax: VideoSyntax>: ElementaryStream {
    /// A buffered frame.
    private struct Frame {
        var unit: AccessUnit
        var times: VideoTimes.Times
        var isSync: Bool
        /// True if parameter sets changed before this frame.
        var isAfterChange: Bool
    }

    let label: String
    private let clock: ProgramClock
    private var assembler = AccessUnitAssembler<Syntax>()
    private var times = VideoTimes()
    private var frames = Queue<Frame>()
    private var hasEnded = false
    private(set) var bufferedBytes = 0
    private(set) var firstPresentation: Int64?

    private var sets: [VideoUnit.SetID: [UInt8]] = [:]
    /// The parameter sets of the first picture.
    private var firstSets: [VideoUnit.SetID: [UInt8]] = [:]
    private var messages: [SEIMessage] = []
    /// True if recovery points count as sync samples, because the stream starts with one.
    private var hasOpenGroups = false
    private var hasStarted = false
    /// True if leading pictures, which reference pictures before the first one, are skipped.
    private var skipsLeading = false
    private var isInBand = false
    private var isDescribed = false
    private var firstDecode: Int64 = 0

    private var earlyCount = 0
    private var damagedCount = 0
    private var setChanges = 0
    /// The presentation time of the first picture with changed parameter sets.
    private var firstChange: Int64?

    /// Starts at the beginning of a stream.
    init(label: String, clock: ProgramClock) {
        self.label = label
        self.clock = clock
    }

    var isReady: Bool { firstPresentation != nil }

    /// The number of configuration changes; 0 if the parameter sets are kept in the samples.
    var changes: Int { isInBand ? 0 : setChanges }

    var notReadyReason: String {
        if sets.isEmpty { return earlyCount == 0 ? "it contains no picture" : "it contains no parameter sets" }
        return "it contains no key frame"
    }

    func consume(_ packet: TransportDemuxer.Packet) throws {
        try assembler.consume(packet) { [unowned self] in self.consume($0, $1) }
    }

    func finish() throws {
        try assembler.finish { [unowned self] in self.consume($0, $1) }
        hasEnded = true
    }

    private func consume(_ unit: AccessUnit, _ syntax: Syntax) {
        guard unit.hasSlice else { return }
        recordParameterSets(unit)
        guard hasStarted || canStart(unit, syntax) else {
            earlyCount += 1
            return
        }
        if unit.isInvalid {
            damagedCount += 1
            return
        }
        if unit.isSkippedLeading, skipsLeading {
            earlyCount += 1
            return
        }
        if unit.randomAccess != .none, !frames.isEmpty || isDescribed { skipsLeading = false }
        let isSync = isSync(unit, syntax)
        let times = times.next(unit.times, clock: clock)
        firstPresentation = min(firstPresentation ?? .max, times.presentation)
        if setChanges > 0, firstChange == nil { firstChange = times.presentation }
        bufferedBytes += unit.bytes.count
        frames.append(Frame(unit: unit, times: times, isSync: isSync, isAfterChange: setChanges > 0))
    }

    /// Returns whether decoding can start with a picture: there are parameter sets, and it is a key frame.
    private func canStart(_ unit: AccessUnit, _ syntax: Syntax) -> Bool {
        guard !unit.isInvalid, unit.times?.decode != nil,
            let description = try? syntax.description(of: sets, isInBand: false)
        else { return false }
        let messages = messages(of: unit, syntax)
        guard unit.randomAccess != .none || messages.contains(where: \.isImmediateRecovery) else { return false }
        hasOpenGroups = unit.randomAccess == .none
        skipsLeading = unit.randomAccess != .none
        self.messages = messages
        firstSets = sets
        times = VideoTimes(duration: description.frameDuration)
        hasStarted = true
        return true
    }

    private func isSync(_ unit: AccessUnit, _ syntax: Syntax) -> Bool {
        if unit.randomAccess.isSyncSample { return true }
        return hasOpenGroups && messages(of: unit, syntax).contains(where: \.isImmediateRecovery)
    }

    private func messages(of unit: AccessUnit, _ syntax: Syntax) -> [SEIMessage] {
        unit.messages.flatMap { syntax.messages(unit.bytes.span.bytes.extracting($0)) }
    }

    /// Records parameter sets and their changes.
    private func recordParameterSets(_ unit: AccessUnit) {
        guard !unit.isInvalid else { return }
        for set in unit.sets {
            // The length fields of the configuration boxes have 16 bits.
            guard let id = set.id, set.range.count - 4 <= 0xFFFF else { continue }
            let bytes = unit.bytes[set.range].dropFirst(4)
            guard sets[id].map({ !bytes.elementsEqual($0) }) ?? true else { continue }
            if hasStarted { setChanges += 1 }
            sets[id] = Array(bytes)
        }
    }
}

// MARK: - Output
extension VideoStream {
    func makeTrack(origin: Int64, language: String) throws -> MediaTrack {
        guard let first = frames.first else { throw TransportFailure.notReady }
        isInBand = setChanges > 0
        isDescribed = true
        firstDecode = first.times.decode
        let description = try Syntax().description(of: firstSets, isInBand: isInBand)
        let timing = TrackTiming(
            timescale: UInt32(ProgramClock.rate),
            mediaTime: UInt64(clamping: first.times.presentation - firstDecode),
            delay: UInt64(clamping: first.times.presentation - origin)
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

    var nextDecodeTime: Int64? { frames.count > 1 || hasEnded ? frames.first?.times.decode : nil }

    var lastDecodeTime: Int64? { frames.last?.times.decode }

    func next() -> MediaSample? {
        guard nextDecodeTime != nil, let frame = frames.removeFirst() else { return nil }
        bufferedBytes -= frame.unit.bytes.count
        let duration = frames.first.map { $0.times.decode - frame.times.decode } ?? times.lastDuration
        let (bytes, range) = content(of: frame)
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

    /// Returns the bytes of a sample. Parameter sets are removed unless they change within the stream; usually they are
    /// the first bytes, so that nothing is copied.
    private func content(of frame: Frame) -> (bytes: [UInt8], range: Range<Int>) {
        let unit = frame.unit
        guard !isInBand, !frame.isAfterChange else { return (unit.bytes, 0..<unit.bytes.count) }
        var start = 0
        var sets = unit.sets[...]
        while let first = sets.first, first.range.lowerBound == start {
            start = first.range.upperBound
            sets.removeFirst()
        }
        guard !sets.isEmpty else { return (unit.bytes, start..<unit.bytes.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(unit.bytes.count)
        for set in sets {
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
        warn(damagedCount, "damaged pictures are skipped because their slice headers cannot be parsed")
        warn(times.estimatedCount, "pictures have no timestamps; they are derived from the previous ones")
        warn(times.nonIncreasingCount, "pictures have decode times that do not increase")
        if hasOpenGroups {
            warnings.append(
                "\(label): the stream does not start with an IDR picture, so recovery points are treated as key "
                    + "frames; players may show damaged pictures after a seek"
            )
        }
        if setChanges > 0 {
            let advice =
                isInBand
                ? "they are kept in the samples"
                : "they are kept in the samples from there on, although the sample entry of the init segment "
                    + "forbids it; players may fail there: split the input here and package each part separately"
            let start = Double((firstChange ?? 0) - (firstPresentation ?? 0)) / Double(ProgramClock.rate)
            warnings.append(
                "\(label): parameter sets change \(setChanges) times, first \((start * 1000).rounded() / 1000) s after "
                    + "the first picture; \(advice)"
            )
        }
        return warnings
    }
}

extension SEIMessage {
    /// True if all pictures from this one on are correct (recovery point with a count of 0).
    fileprivate var isImmediateRecovery: Bool {
        if case .recoveryPoint(let frames, _) = self { return frames == 0 }
        return false
    }
}
