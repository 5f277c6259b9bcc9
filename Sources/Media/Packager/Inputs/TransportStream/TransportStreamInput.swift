import ByteCoding
import FileWriting
import MediaFormats
import TextCoding

/// An MPEG-2 transport stream, from a mapped file or a pipe (ISO/IEC 13818-1). If there are several programs, the first
/// one is used.
///
/// Times are shifted so that each part starts with the earliest presentation timestamp of all its streams; each track
/// starts at its own first timestamp.
package final class TransportStreamInput: MediaInput {
    /// The limits on read-ahead and buffering.
    package struct Limits: Sendable {
        /// The maximum number of bytes read until every stream is identified: 32 MiB.
        package var readAhead = 32 << 20
        /// The maximum size of samples buffered while waiting for other streams: 8 MiB.
        package var bufferSize = 8 << 20
        /// The maximum duration of samples buffered while waiting for other streams, in units of 1/90,000 second: 3 s.
        package var bufferDuration: Int64 = 3 * ProgramClock.rate

        /// Creates the default limits.
        package init() {}
    }

    /// The number of scrambled packets that can be damaged ones, before the streams are identified.
    private static let maximumScrambledPackets = 16

    package let name: String
    package private(set) var tracks: [MediaTrack] = []
    private let source: any ByteSource
    private let limits: Limits
    private let toleratesScrambledPackets: Bool
    private var alignment = TransportAlignment()
    private var demuxer = TransportDemuxer()
    private var map: ProgramMapTable?
    /// The number of program maps that have been applied.
    private var mapCount = 0
    /// The streams of the current program map by PID.
    private var streams: [UInt16: any ElementaryStream] = [:]
    private var splitter: TransportSplitter
    private var splices = SpliceReader()
    /// The PIDs of streams with ID3 tags.
    private var metadataPIDs: Set<UInt16> = []
    private var omitted = StreamOmissions()
    /// The warnings of the parts that have ended.
    private var earlierWarnings = LimitedWarnings()
    private var hasEnded = false

    /// Reads the beginning of a stream until all streams are identified.
    ///
    /// - Parameter toleratesScrambledPackets: Whether scrambled packets are skipped as damaged ones, at the beginning only a few.
    /// - Throws: ``InputFailure`` if the input is not a transport stream, is encrypted, or has no stream that can be
    ///   packaged; ``FileError``.
    package init(
        _ source: any ByteSource,
        limits: Limits = Limits(),
        toleratesScrambledPackets: Bool = false
    ) throws {
        self.source = source
        self.limits = limits
        self.toleratesScrambledPackets = toleratesScrambledPackets
        name = source.name
        demuxer.returnsSpliceSections = true
        splitter = TransportSplitter(limits)
        while !hasEnded, !isIdentified {
            try readMore()
            removeStartsWithoutKeyFrame()
        }
        guard try describe() else {
            let streamWarnings = splitter.parts.first?.streams.flatMap(\.warnings) ?? []
            let reasons =
                omissions.isEmpty
                ? omitted.warnings + streamWarnings : [OmissionFailure(name, omissions, packaged: []).reason]
            throw InputFailure(name, (["no stream can be packaged"] + reasons).joined(separator: "; "))
        }
    }

    package var omissions: [Omission] { omitted.all }
    /// The number of packets and positions that are damaged or missing.
    package var damage: Int { demuxer.damage + demuxer.scrambledPackets + alignment.lossCount }
    package var byteCount: Int? { source.byteCount }
    package var position: Int { source.position }

    package func next() throws -> InputEvent? {
        while true {
            if let part = splitter.parts.first, part.isDescribed {
                if let event = splices.next(in: part) { return event }
                if let track = nextTrack(of: part),
                    let sample = part.sources[track].section.next(isClosed: splitter.isClosed(part, track))
                {
                    return .sample(track: track, sample)
                }
                if splitter.removeFirstIfExhausted() {
                    earlierWarnings.add(warnings(of: part))
                    for stream in part.streams { stream.remove(part.number) }
                    continue
                }
            } else if isIdentified, let part = splitter.parts.first {
                if try describe() { return .part(reason: part.splice.reason) }
                continue
            }
            if hasEnded { return nil }
            try readMore()
        }
    }

    /// Returns the track whose next sample has the earliest decode time. A track without samples delays the others,
    /// within the limits. So does a track that has not reached the time of a key frame, because a part might start there.
    private func nextTrack(of part: TransportPart) -> Int? {
        var first: (track: Int, time: Int64)?
        var isComplete = true
        for track in part.sources.indices {
            let isClosed = splitter.isClosed(part, track)
            guard let time = part.sources[track].section.nextDecodeTime(isClosed: isClosed) else {
                if !isClosed || !part.sources[track].section.isEmpty { isComplete = false }
                continue
            }
            if let other = first, other.time <= time { continue }
            first = (track, time)
        }
        guard let first else { return nil }
        if let start = part.sources[first.track].section.nextStart, splitter.isLast(part) {
            let isAwaited = part.sources.indices.contains { track in
                track != first.track && !splitter.isClosed(part, track)
                    && (part.sources[track].section.end ?? .max) < start + TransportSplitter.startTolerance
            }
            isComplete = isComplete && !isAwaited
        }
        guard
            isComplete || hasEnded || part.bufferedBytes > limits.bufferSize
                || part.latest - first.time > limits.bufferDuration
        else { return nil }
        return first.track
    }

    /// True if all streams of the first part are identified, or will not be.
    private var isIdentified: Bool {
        guard map != nil, let part = splitter.parts.first else { return false }
        if hasEnded { return true }
        if tracks.isEmpty, splitter.awaitsKeyFrame { return source.position >= limits.readAhead }
        if splitter.isIdentified(part) { return true }
        return part.number == 0
            ? source.position >= limits.readAhead
            : part.duration > limits.bufferDuration || part.bufferedBytes > limits.bufferSize
    }

    /// Removes the parts before the first key frame, if there are several.
    private func removeStartsWithoutKeyFrame() {
        while let part = splitter.removeFirstWithoutKeyFrame() {
            earlierWarnings.add([
                "the stream starts without a key frame; what precedes the first discontinuity is skipped"
            ])
            for stream in part.streams { stream.remove(part.number) }
        }
    }

    /// Creates the tracks of the first part. Returns false if there are none.
    private func describe() throws -> Bool {
        guard let part = splitter.parts.first else { return false }
        let silent: [any ElementaryStream]
        do {
            silent = try part.describe()
        } catch {
            throw InputFailure(name, "\(error)")
        }
        let bound =
            part.number > 0
            ? "after the discontinuity before byte \(position)"
            : hasEnded ? "up to the end" : "in the first \(position) bytes"
        for (stream, _) in part.sources { omitted.addIdentified(stream) }
        for stream in silent { omitted.addUnidentified(stream, bound) }
        guard !part.tracks.isEmpty else { return false }
        tracks = part.tracks
        return true
    }
}

// MARK: - Reading
extension TransportStreamInput {
    private func readMore() throws {
        var packets: [TransportDemuxer.Packet] = []
        do {
            let hasMore = try source.next { chunk in
                try alignment.feed(chunk) { try demuxer.feed($0) { packets.append($0) } }
            }
            if !hasMore {
                hasEnded = true
                try alignment.finish { try demuxer.feed($0) { packets.append($0) } }
                try demuxer.finish { packets.append($0) }
            }
        } catch let error as ParseError {
            throw InputFailure(name, "the transport stream is invalid: \(error)")
        }
        guard alignment.skippedBytes < TransportAlignment.maximumLoss else {
            throw InputFailure(
                name,
                "the file is not a transport stream from byte \(position - alignment.skippedBytes) on: found no "
                    + "packets of 188 bytes"
            )
        }
        let limit = !toleratesScrambledPackets ? 0 : tracks.isEmpty ? Self.maximumScrambledPackets : .max
        guard demuxer.scrambledPackets <= limit else {
            throw encrypted("its packets are scrambled")
        }
        var maps = demuxer.takeProgramMaps()[...]
        do {
            for packet in packets {
                while packet.mapCount > mapCount, let map = maps.popFirst() { try updateProgramMap(map) }
                guard !packet.isSpliceSection else {
                    splices.add(packet.payload)
                    splices.resolve(splitter)
                    continue
                }
                if metadataPIDs.contains(packet.pid) { splices.addMetadata(packet) }
                let known = streams[packet.pid]
                omitted.addPacket(packet.pid, of: known)
                guard let stream = known else {
                    splices.resolve(splitter)
                    continue
                }
                try stream.consume(packet)
                splitter.assign()
                splices.resolve(splitter)
            }
            while let map = maps.popFirst() { try updateProgramMap(map) }
            if hasEnded {
                for stream in streams.values { try stream.finish() }
                splitter.finish()
                splices.resolve(splitter)
            }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        } catch TransportFailure.unitTooLarge {
            throw InputFailure(
                name,
                "a picture before byte \(position) is larger than \(NALUnitScanner.maximumUnitSize) bytes"
            )
        }
    }

    private func encrypted(_ reason: String) -> InputFailure {
        InputFailure(
            name,
            "\(reason): decrypt the file first (keyway decrypt, or the tool of the conditional access system)"
        )
    }

    /// Applies a new program map. If it lists other streams than the one before, a new part starts.
    private func updateProgramMap(_ new: ProgramMapTable) throws {
        let old = map
        map = new
        mapCount += 1
        metadataPIDs = Set(new.streams.filter { StreamKind($0) == .metadata }.map(\.pid))
        let streams = new.streams.filter { stream in
            switch StreamKind(stream) {
            case .encrypted, .other, .splices, .metadata: return false
            default: return true
            }
        }
        let known = Set(old?.streams ?? [])
        for stream in new.streams where !known.contains(stream) { try check(stream) }
        let isSame = old.map { old in
            streams.elementsEqual(old.streams.filter { self.streams[$0.pid] != nil }) {
                ($0.pid, $0.language) == ($1.pid, $1.language) && StreamKind($0) == StreamKind($1)
            }
        }
        if isSame == true { return }
        var next: [UInt16: any ElementaryStream] = [:]
        for stream in streams {
            let before = old?.streams.first { $0.pid == stream.pid }.map { StreamKind($0) }
            next[stream.pid] = before == StreamKind(stream) ? self.streams[stream.pid] : Self.makeStream(stream)
        }
        for (pid, stream) in self.streams where next[pid] !== stream { try stream.finish() }
        self.streams = next
        splitter.begin(
            streams.compactMap { next[$0.pid] },
            entries: streams,
            mapCount: mapCount
        )
    }

    /// Checks a stream that a program map lists for the first time.
    private func check(_ stream: ProgramMapTable.Stream) throws {
        let kind = StreamKind(stream)
        let label = "PID \(stream.pid) (\(kind.name))"
        if case .encrypted = kind { throw encrypted("\(label) has encrypted samples") }
        if case .other(_, let media) = kind { omitted.addUnsupported(stream, label: label, media) }
    }

    private static func makeStream(_ stream: ProgramMapTable.Stream) -> (any ElementaryStream)? {
        let kind = StreamKind(stream)
        let label = "PID \(stream.pid) (\(kind.name))"
        switch kind {
        case .h264: return VideoStream<H264Syntax>(label: label)
        case .hevc: return VideoStream<HEVCSyntax>(label: label)
        case .aac: return AudioStream<ADTSAudioFraming>(label: label)
        case .ac3, .enhancedAC3: return AudioStream<AC3AudioFraming>(label: label)
        case .encrypted, .other, .splices, .metadata: return nil
        }
    }
}

// MARK: - Warnings
extension TransportStreamInput {
    package var warnings: [String] {
        var warnings = omitted.warnings + earlierWarnings.all
        for part in splitter.parts where part.isDescribed { warnings += self.warnings(of: part) }
        if let part = splitter.parts.last { warnings += part.streams.flatMap(\.warnings) }
        if alignment.lossCount > 0 {
            warnings.append(
                "packets of 188 bytes are not contiguous at \(counted(alignment.lossCount, "position")); some data is lost"
            )
        }
        if demuxer.damage > 0 {
            warnings.append("\(counted(demuxer.damage, "transport stream packet")) damaged or missing")
        }
        warnings += splices.warnings
        return warnings.map { "\(name): \($0)" }
    }

    private func warnings(of part: TransportPart) -> [String] {
        var warnings = part.sources.flatMap { $0.section.warnings }
        if part.clock.resetCount > 0 {
            warnings.append(
                "timestamps are discontinuous \(counted(part.clock.resetCount, "time")) between key frames or in a single stream; "
                    + "later timestamps are shifted to close the gaps"
            )
        }
        return warnings
    }
}
