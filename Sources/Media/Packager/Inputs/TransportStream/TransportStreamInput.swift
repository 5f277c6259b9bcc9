import ByteCoding
import FileWriting
import MediaFormats

/// An MPEG-2 transport stream, from a mapped file or a pipe (ISO/IEC 13818-1). If there are several programs, the first
/// one is used.
///
/// Times are shifted so that the presentation starts with the earliest presentation timestamp of all streams; each
/// track starts at its own first timestamp.
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

    package let name: String
    package private(set) var tracks: [MediaTrack] = []
    private let source: any ByteSource
    private let limits: Limits
    private let clock = ProgramClock()
    private var alignment = TransportAlignment()
    private var demuxer = TransportDemuxer()
    private var map: ProgramMapTable?
    /// The streams by PID that are tracks or may become tracks.
    private var streams: [UInt16: any ElementaryStream] = [:]
    /// The streams in the order of ``tracks``.
    private var sources: [any ElementaryStream] = []
    private var omissions: [String] = []
    private var hasEnded = false
    /// The latest decode time received.
    private var latest = Int64.min / 2

    /// Reads the beginning of a stream until all streams are identified.
    ///
    /// - Throws: ``InputFailure`` if the input is not a transport stream, is encrypted, or has no stream that can be
    ///   packaged; ``FileError``.
    package init(_ source: any ByteSource, limits: Limits = Limits()) throws {
        self.source = source
        self.limits = limits
        name = source.name
        while !hasEnded, source.position < limits.readAhead,
            map == nil || streams.values.contains(where: { !$0.isReady })
        {
            try readMore()
        }
        try describe()
    }

    package var byteCount: Int? { source.byteCount }
    package var position: Int { source.position }

    package func next() throws -> InputEvent? {
        while true {
            if let track = nextTrack(), let sample = sources[track].next() { return .sample(track: track, sample) }
            if hasEnded { return nil }
            try readMore()
        }
    }

    /// Returns the track whose next sample has the earliest decode time. A track without samples delays the others,
    /// within the limits.
    private func nextTrack() -> Int? {
        var first: (track: Int, time: Int64)?
        var isComplete = true
        var bufferSize = 0
        for (track, stream) in sources.enumerated() {
            bufferSize += stream.bufferedBytes
            guard let time = stream.nextDecodeTime else {
                isComplete = false
                continue
            }
            if let other = first, other.time <= time { continue }
            first = (track, time)
        }
        guard let first else { return nil }
        guard isComplete || hasEnded || bufferSize > limits.bufferSize || latest - first.time > limits.bufferDuration
        else { return nil }
        return first.track
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
        guard demuxer.scrambledPackets == 0 else { throw encrypted("its packets are scrambled") }
        if let map = demuxer.programMap, map != self.map { try updateProgramMap(map) }
        do {
            for packet in packets {
                guard let stream = streams[packet.pid] else { continue }
                try stream.consume(packet)
                latest = max(latest, stream.lastDecodeTime ?? latest)
            }
            if hasEnded { for stream in streams.values { try stream.finish() } }
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

    private func updateProgramMap(_ map: ProgramMapTable) throws {
        let isFirst = self.map == nil
        let known = Set(self.map?.streams.map(\.pid) ?? [])
        for stream in map.streams where !known.contains(stream.pid) {
            let kind = StreamKind(stream)
            let label = "PID \(stream.pid) (\(kind.name))"
            if case .encrypted = kind { throw encrypted("\(label) has encrypted samples") }
            if case .other = kind {
                omissions.append(
                    "\(label), stream type \(hexadecimal(stream.type)), cannot be packaged; the stream is skipped"
                )
                continue
            }
            guard isFirst else {
                omissions.append("\(label) first appears near byte \(position), after the start; the stream is skipped")
                continue
            }
            streams[stream.pid] = makeStream(kind, label)
        }
        self.map = map
    }

    private func hexadecimal(_ type: TransportStreamType) -> String { "0x" + String(type.rawValue, radix: 16) }

    private func makeStream(_ kind: StreamKind, _ label: String) -> (any ElementaryStream)? {
        switch kind {
        case .h264: VideoStream<H264Syntax>(label: label, clock: clock)
        case .hevc: VideoStream<HEVCSyntax>(label: label, clock: clock)
        case .aac: AudioStream<ADTSAudioFraming>(label: label, clock: clock)
        case .ac3, .enhancedAC3: AudioStream<AC3AudioFraming>(label: label, clock: clock)
        case .encrypted, .other: nil
        }
    }

    /// Creates tracks for the streams that are identified.
    private func describe() throws {
        let listed = map?.streams.filter { streams[$0.pid] != nil } ?? []
        let ready = listed.filter { streams[$0.pid]?.isReady == true }
        for stream in listed {
            guard let silent = streams[stream.pid], !silent.isReady else { continue }
            let bound = hasEnded ? "up to the end" : "in the first \(position) bytes"
            omissions.append("\(silent.label): \(silent.notReadyReason) \(bound); the stream is skipped")
            omissions += silent.warnings
            streams[stream.pid] = nil
        }
        guard let origin = ready.compactMap({ streams[$0.pid]?.firstPresentation }).min() else {
            throw InputFailure(name, (["no stream can be packaged"] + omissions).joined(separator: "; "))
        }
        for stream in ready {
            guard let source = streams[stream.pid] else { continue }
            do {
                tracks.append(try source.makeTrack(origin: origin, language: stream.language))
            } catch {
                throw InputFailure(name, "\(source.label): \(error)")
            }
            sources.append(source)
        }
    }

    package var discontinuityCount: Int { clock.resetCount + sources.reduce(0) { $0 + $1.changes } }

    package var warnings: [String] {
        var warnings = omissions + sources.flatMap(\.warnings)
        if alignment.lossCount > 0 {
            warnings.append(
                "packets of 188 bytes are not contiguous at \(alignment.lossCount) positions; some data is lost"
            )
        }
        if demuxer.damage > 0 {
            warnings.append("\(demuxer.damage) transport stream packets are damaged or missing")
        }
        if clock.resetCount > 0 {
            warnings.append(
                "timestamps are discontinuous \(clock.resetCount) times; later timestamps are shifted to close the gaps"
            )
        }
        return warnings.map { "\(name): \($0)" }
    }
}
