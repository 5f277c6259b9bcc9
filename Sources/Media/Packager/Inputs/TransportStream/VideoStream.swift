import ByteCoding
import MediaFormats
import TextCoding

/// An access unit that has been parsed, with what is required to start a section with it.
struct VideoFrame {
    /// The access unit.
    var unit: AccessUnit
    /// All parameter sets of the stream up to this access unit.
    var sets: [VideoUnit.SetID: [UInt8]]
    /// The parameter sets in the access unit.
    var ownSets: [VideoUnit.SetID: [UInt8]]
    /// The number of program map tables that applied when it started.
    var mapCount: Int
}

/// Parses an H.264 or HEVC stream.
final class VideoStream<Syntax: VideoSyntax>: ElementaryStream {
    let label: String
    let isVideo = true
    let configurationName = "parameter sets"
    private var assembler = AccessUnitAssembler<Syntax>()
    private var sets: [VideoUnit.SetID: [UInt8]] = [:]
    private var pending = Queue<VideoFrame>()
    private var pendingBytes = 0
    private var sections: [Int: VideoSection<Syntax>] = [:]
    private var mapCount = 0
    private var damagedCount = 0
    private var earlyCount = 0

    /// Starts at the beginning of a stream.
    init(label: String) { self.label = label }

    var notReadyReason: String {
        if sets.isEmpty { return earlyCount == 0 ? "it contains no picture" : "it contains no parameter sets" }
        return "it contains no key frame"
    }

    var warnings: [String] {
        damagedCount == 0
            ? []
            : [
                "\(label): \(counted(damagedCount, "damaged picture")) skipped, because the slice header cannot be parsed"
            ]
    }

    func consume(_ packet: TransportDemuxer.Packet) throws {
        try assembler.consume(packet) { [unowned self] unit, _ in self.add(unit) }
    }

    func finish() throws { try assembler.finish { [unowned self] unit, _ in self.add(unit) } }

    private func add(_ unit: AccessUnit) {
        mapCount = max(mapCount, unit.times?.mapCount ?? mapCount)
        guard unit.hasSlice else { return }
        guard !unit.isInvalid else {
            // Without parameter sets, slice headers cannot be parsed: the stream starts between key frames.
            if sets.isEmpty { earlyCount += 1 } else { damagedCount += 1 }
            return
        }
        var own: [VideoUnit.SetID: [UInt8]] = [:]
        for set in unit.sets {
            // The length fields of the configuration boxes have 16 bits.
            guard let id = set.id, set.range.count - 4 <= 0xFFFF else { continue }
            let bytes = Array(unit.bytes[set.range].dropFirst(4))
            own[id] = bytes
            if sets[id] != bytes { sets[id] = bytes }
        }
        pendingBytes += unit.bytes.count
        pending.append(VideoFrame(unit: unit, sets: sets, ownSets: own, mapCount: mapCount))
    }

    // MARK: - Waiting frames

    var pendingMapCount: Int? { pending.first?.mapCount }

    var pendingSize: (bytes: Int, duration: Int64) {
        guard let first = pending.first?.unit.times?.decode, let last = pending.last?.unit.times?.decode else {
            return (pendingBytes, 0)
        }
        return (pendingBytes, max(0, last - first))
    }

    func canStart(allowsRecovery: Bool) -> Bool {
        pending.first.map { VideoSection<Syntax>.canStart(with: $0, allowsRecovery: allowsRecovery) } ?? false
    }

    func hasOtherConfiguration(than part: Int) -> Bool {
        guard let frame = pending.first, let section = sections[part] else { return false }
        return section.isOther(frame) && VideoSection<Syntax>.canStart(with: frame, allowsRecovery: true)
    }

    func difference(in part: Int) -> Int64? { pending.first.flatMap { sections[part]?.difference(of: $0) } }

    func isJump(in part: Int) -> Bool { pending.first.flatMap { sections[part]?.isJump(at: $0) } ?? false }

    func presentation(in part: Int) -> Int64? { pending.first.flatMap { sections[part]?.presentation(of: $0) } }

    func accept(in part: Int, _ clock: ProgramClock) {
        guard let frame = pending.removeFirst() else { return }
        pendingBytes -= frame.unit.bytes.count
        if let section = sections[part] { return section.append(frame) }
        guard frame.unit.times?.decode != nil, VideoSection<Syntax>.canStart(with: frame, allowsRecovery: true) else {
            earlyCount += 1
            return
        }
        sections[part] = VideoSection(label: label, clock: clock, first: frame, skippedBefore: earlyCount)
        earlyCount = 0
    }

    func takeBack(from part: Int, since time: Int64) {
        guard let frames = sections[part]?.takeBack(since: time), !frames.isEmpty else { return }
        pendingBytes += frames.reduce(0) { $0 + $1.unit.bytes.count }
        var all = Queue<VideoFrame>()
        for frame in frames { all.append(frame) }
        while let frame = pending.removeFirst() { all.append(frame) }
        pending = all
    }

    func section(_ part: Int) -> (any StreamSection)? { sections[part] }
    func remove(_ part: Int) { sections[part] = nil }
}
