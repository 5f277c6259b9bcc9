import MediaFormats

/// Divides the frames of all streams of a transport stream into parts. A value without I/O.
///
/// Each stream passes a splice at its own frame, because streams are interleaved: those before it belong to the old part,
/// the others to the new one.
///
/// | Event | A stream passes to the new part at its first frame that |
/// |---|---|
/// | timestamps jump, in all streams | has the new timestamps; if the first picture is not a key frame there is no part, and the timestamps are shifted to close the gap |
/// | timestamps jump by more than ten seconds in one stream only | none: they are shifted |
/// | a configuration changes, or a stream starts late | is presented at that time or later; video: the next key frame |
/// | the program map lists other streams | starts after the map and can start a part; audio: is presented with that picture or later |
struct TransportSplitter {
    /// The tolerance for finding out whether a part starts at a key frame: 0.2 s.
    static let startTolerance = ProgramClock.rate / 5

    /// A stream and its position.
    fileprivate final class Lane {
        let stream: any ElementaryStream
        /// The number of the part of its next frame.
        var part: Int
        /// True if no more packets follow.
        var isFinished = false
        /// The latest time of the newest part when the stream had its last frame.
        var mark: (part: Int, time: Int64) = (-1, 0)

        init(_ stream: any ElementaryStream, part: Int) {
            self.stream = stream
            self.part = part
        }
    }

    /// A jump of timestamps in some streams, about which the others decide.
    fileprivate struct Jump {
        /// The difference of the timestamps, and the time at which they jump.
        var difference: Int64
        var time: Int64?
        /// The streams that have jumped.
        var lanes: [Lane]
    }

    private enum Choice { case accept, pass, wait }

    private let limits: TransportStreamInput.Limits
    /// The parts with samples that have not been returned; frames are added to the last ones.
    private(set) var parts: [TransportPart] = []
    private var lanes: [Lane] = []
    private var jump: Jump?
    private var hasEnded = false

    init(_ limits: TransportStreamInput.Limits) { self.limits = limits }

    // MARK: - State

    /// True while it is not known whether a jump of timestamps starts a part.
    var isUndecided: Bool { jump != nil }

    /// Returns whether a part is the last one so far.
    func isLast(_ part: TransportPart) -> Bool { part === parts.last }

    /// Returns whether all frames of a track of a part are known.
    func isClosed(_ part: TransportPart, _ track: Int) -> Bool {
        hasEnded || hasPassed(part.sources[track].stream, part)
    }

    private func hasPassed(_ stream: any ElementaryStream, _ part: TransportPart) -> Bool {
        guard let lane = lanes.first(where: { $0.stream === stream }) else { return true }
        return lane.part > part.number
    }

    /// Returns whether all streams of a part are identified, or have no frame in it.
    func isIdentified(_ part: TransportPart) -> Bool {
        part.streams.allSatisfy { $0.section(part.number)?.firstPresentation != nil || hasPassed($0, part) }
    }

    /// Removes the first part if all of its samples have been returned, and another one follows.
    mutating func removeFirstIfExhausted() -> Bool {
        guard parts.count > 1, let part = parts.first,
            part.sources.indices.allSatisfy({ isClosed(part, $0) && part.sources[$0].section.isEmpty })
        else { return false }
        parts.removeFirst()
        for lane in lanes { lane.part = max(lane.part, part.number + 1) }
        return true
    }

    /// The video of the first part that has no key frame in it but continues in the next one: reading started shortly
    /// before a splice.
    private var lateVideo: (any ElementaryStream)? {
        guard parts.count > 1, let part = parts.first else { return nil }
        return part.streams.first { stream in
            stream.isVideo && stream.section(part.number)?.firstPresentation == nil && hasPassed(stream, part)
                && parts[1].streams.contains { $0 === stream }
        }
    }

    /// Returns whether the first part may still be removed by ``removeFirstWithoutKeyFrame()``.
    var awaitsKeyFrame: Bool { !hasEnded && lateVideo != nil }

    /// Removes the first part if its video has no key frame, and the next part has one.
    ///
    /// - Returns: The part.
    mutating func removeFirstWithoutKeyFrame() -> TransportPart? {
        guard let part = parts.first, lateVideo?.section(parts[1].number)?.firstPresentation != nil,
            part.streams.allSatisfy({ hasEnded || hasPassed($0, part) })
        else { return nil }
        parts.removeFirst()
        for lane in lanes { lane.part = max(lane.part, part.number + 1) }
        return part
    }

    private func part(_ number: Int) -> TransportPart? {
        guard let first = parts.first?.number, parts.indices.contains(number - first) else { return nil }
        return parts[number - first]
    }

    // MARK: - Changes

    /// Continues with the streams of a program map.
    ///
    /// - Parameter mapCount: The number of the map.
    mutating func begin(_ streams: [any ElementaryStream], entries: [ProgramMapTable.Stream], mapCount: Int) {
        if jump != nil { resolve(isForced: true) }
        assign()
        let last = parts.last
        let isUnused = last.map { part in part.streams.allSatisfy { $0.section(part.number) == nil } } ?? true
        let number = isUnused ? last?.number ?? 0 : (last?.number ?? 0) + 1
        var splice = TransportPart.Splice(reason: "the program map lists other streams")
        if number > 0 { splice.mapCount = mapCount }
        if isUnused { parts = parts.dropLast() }
        parts.append(TransportPart(number, splice, streams: streams, entries: entries))
        for lane in lanes where !streams.contains(where: { $0 === lane.stream }) { lane.isFinished = true }
        for stream in streams where !lanes.contains(where: { $0.stream === stream }) {
            lanes.append(Lane(stream, part: number))
        }
        assign()
    }

    /// Assigns the remaining frames at the end of all streams.
    mutating func finish() {
        hasEnded = true
        assign()
    }

    /// Starts a part with the waiting frames of some streams.
    private mutating func begin(_ splice: TransportPart.Splice, with members: [Lane]) {
        guard let last = parts.last else { return }
        let next = TransportPart(last.number + 1, splice, streams: last.streams, entries: last.entries)
        parts.append(next)
        if let time = splice.time, (splice.difference ?? 0).magnitude <= ProgramClock.maximumGap {
            for lane in lanes where lane.part == last.number && !members.contains(where: { $0 === lane }) {
                lane.stream.takeBack(from: last.number, since: time)
            }
        }
        for lane in members { pass(lane, to: next) }
    }

    private func pass(_ lane: Lane, to next: TransportPart) {
        if lane.stream.isVideo, let old = part(lane.part), next.splice.mapCount != nil,
            !lane.stream.isJump(in: old.number)
        {
            next.begin(at: lane.stream.presentation(in: old.number))
        }
        lane.part = next.number
        accept(lane, next)
    }

    private func accept(_ lane: Lane, _ part: TransportPart) {
        part.accept(lane.stream)
        if let last = parts.last { lane.mark = (last.number, last.latest) }
    }

    // MARK: - Assignment

    /// Assigns the waiting frames, as far as it is known where they belong.
    mutating func assign() {
        guard !parts.isEmpty else { return }
        var isChanged = true
        while isChanged {
            isChanged = false
            for lane in lanes { while step(lane) { isChanged = true } }
            if jump != nil, resolve(isForced: hasEnded) { isChanged = true }
            for lane in lanes where isIdle(lane) {
                lane.part += 1
                isChanged = true
            }
        }
        lanes.removeAll { $0.isFinished && $0.stream.pendingMapCount == nil }
    }

    /// Returns whether a stream has had no frame for so long that it has none in its part any more.
    private func isIdle(_ lane: Lane) -> Bool {
        guard lane.stream.pendingMapCount == nil, let next = part(lane.part + 1) else { return false }
        let first = next.first ?? next.latest
        // The mark is from before the part's first frame if the stream had a frame between the map and that frame.
        let start = lane.mark.part == next.number ? max(lane.mark.time, first) : first
        return hasEnded || next.latest - start > limits.bufferDuration || next.bufferedBytes > limits.bufferSize
    }

    /// Assigns the first waiting frame of a stream. Returns false if that is not possible yet.
    private mutating func step(_ lane: Lane) -> Bool {
        let stream = lane.stream
        guard let mapCount = stream.pendingMapCount, let part = part(lane.part) else { return false }
        if let next = self.part(lane.part + 1) {
            switch choice(lane, mapCount, part, next) {
            case .accept: accept(lane, part)
            case .pass: pass(lane, to: next)
            case .wait: return false
            }
            return true
        }
        if jump?.lanes.contains(where: { $0 === lane }) == true { return false }
        let hasChanged = stream.hasOtherConfiguration(than: part.number)
        if !lane.isFinished, let difference = stream.difference(in: part.number) {
            if var jump {
                if hasChanged || jump.isShared(by: difference) {
                    jump.lanes.append(lane)
                    self.jump = jump
                    return false
                }
            } else if stream.isJump(in: part.number) {
                jump = Jump(difference: difference, time: stream.section(part.number)?.end, lanes: [lane])
                return false
            }
        }
        if hasChanged {
            let reason = "\(stream.label) changes its \(stream.configurationName)"
            begin(.init(reason: reason, time: stream.presentation(in: part.number)), with: [lane])
        } else if part.isDescribed, stream.section(part.number) == nil, stream.canStart(allowsRecovery: true) {
            begin(.init(reason: "\(stream.label) starts", time: part.latest), with: [lane])
        } else {
            accept(lane, part)
        }
        return true
    }

    /// Decides whether the first waiting frame of a stream belongs to its part or to the next one.
    private func choice(_ lane: Lane, _ mapCount: Int, _ part: TransportPart, _ next: TransportPart) -> Choice {
        let (stream, splice) = (lane.stream, next.splice)
        if lane.isFinished { return .accept }
        if let first = splice.mapCount {
            guard mapCount >= first else { return .accept }
            if stream.isVideo { return stream.canStart(allowsRecovery: true) ? .pass : .accept }
            if stream.section(part.number) == nil || stream.isJump(in: part.number) { return .pass }
            if let time = next.time { return stream.isPresented(since: time, in: part) ? .pass : .accept }
            let awaitsVideo = lanes.contains { other in
                other.part == part.number && other.stream.isVideo && !other.isFinished
                    && other.stream.section(part.number) != nil
            }
            return awaitsVideo && !hasEnded && !isOverLimit(stream) ? .wait : .pass
        }
        guard stream.canStart(allowsRecovery: splice.difference != nil) else { return .accept }
        if stream.section(part.number) == nil || stream.hasOtherConfiguration(than: part.number) { return .pass }
        if let jump = splice.difference, let own = stream.difference(in: part.number),
            (jump - own).magnitude < own.magnitude
        {
            return .pass
        }
        // After a long jump, the times of a stream that has not jumped mean nothing in the new part.
        let isLong = (splice.difference ?? 0).magnitude > ProgramClock.maximumGap
        guard let time = next.time else { return .accept }
        return stream.isPresented(since: isLong ? time + limits.bufferDuration : time, in: part) ? .pass : .accept
    }

    private func isOverLimit(_ stream: any ElementaryStream) -> Bool {
        let size = stream.pendingSize
        return size.bytes > limits.bufferSize || size.duration > limits.bufferDuration
    }

    /// Decides about a jump, if all streams have jumped or are known to continue.
    @discardableResult
    private mutating func resolve(isForced: Bool) -> Bool {
        guard let jump, let last = parts.last else { return false }
        let others = lanes.filter { lane in
            !lane.isFinished && !jump.lanes.contains { $0 === lane }
                && (lane.part < last.number || lane.stream.section(last.number) != nil)
        }
        let continuing = others.filter { lane in
            guard lane.part == last.number, let end = lane.stream.section(last.number)?.end else { return false }
            return end > (jump.time ?? .max - ProgramClock.rate) + ProgramClock.rate
        }
        guard isForced || continuing.count == others.count || jump.lanes.contains(where: { isOverLimit($0.stream) })
        else { return false }
        self.jump = nil
        let starting = jump.lanes.filter { $0.stream.canStart(allowsRecovery: true) }
        let hasChanged = jump.lanes.contains { $0.stream.hasOtherConfiguration(than: last.number) }
        let isLone = !continuing.isEmpty && jump.difference.magnitude > ProgramClock.maximumGap
        if !starting.isEmpty, hasChanged || !isLone && starting.count == jump.lanes.count {
            let seconds = (Double(jump.difference) / Double(ProgramClock.rate) * 1000).rounded() / 1000
            let reason = "the timestamps jump by \(seconds) s"
            begin(.init(reason: reason, difference: jump.difference, time: jump.time), with: starting)
        } else {
            for lane in jump.lanes { accept(lane, last) }
        }
        return true
    }
}

extension TransportSplitter.Jump {
    /// Returns whether a stream with a difference of its timestamps takes part in the jump.
    fileprivate func isShared(by difference: Int64) -> Bool {
        (self.difference - difference).magnitude < difference.magnitude
    }
}

extension ElementaryStream {
    /// Returns whether the first waiting frame is presented at a time or later. Video may be a quarter of a second, and
    /// audio ten milliseconds earlier.
    fileprivate func isPresented(since time: Int64, in part: TransportPart) -> Bool {
        presentation(in: part.number).map { $0 >= time - (isVideo ? ProgramClock.rate / 4 : ProgramClock.rate / 100) }
            ?? false
    }
}
