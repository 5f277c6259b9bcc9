import ByteCoding
import FileWriting
import MediaFormats

/// An MPEG-2 transport stream, from a mapped file or from a pipe (ISO/IEC 13818-1). Of several programs the first one
/// is taken.
///
/// Times are moved so that the presentation begins with the earliest presentation timestamp of all streams; each track
/// begins where its own first timestamp says.
package final class TransportStreamInput: MediaInput {
    /// Against input that keeps one waiting.
    package struct Limits: Sendable {
        /// How many bytes are read until every stream has shown what it is: 32 MiB.
        package var readAhead = 32 << 20
        /// How many bytes of samples wait for streams that are behind: 8 MiB.
        package var held = 8 << 20
        /// How long samples wait for streams that are behind, in units of 1/90,000 second: 3 s.
        package var heldTime: Int64 = 3 * ProgramClock.rate

        /// The documented limits.
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
    /// The streams by PID: those that are or may become tracks.
    private var streams: [UInt16: any ElementaryStream] = [:]
    /// The streams in the order of ``tracks``.
    private var sources: [any ElementaryStream] = []
    private var omissions: [String] = []
    private var hasEnded = false
    /// The latest decode time that was given away or waits.
    private var latest = Int64.min / 2

    /// Reads the beginning of a stream, until all streams have shown what they are.
    ///
    /// - Throws: ``InputFailure`` when it is no transport stream, is encrypted, or has no stream that can be packaged;
    ///   ``FileFailure``.
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

    package func next() throws -> (track: Int, sample: MediaSample)? {
        while true {
            if let track = nextTrack(), let sample = sources[track].next() { return (track, sample) }
            if hasEnded { return nil }
            try readMore()
        }
    }

    /// The track whose next sample is decoded first. A track that has none keeps the others waiting, within limits.
    private func nextTrack() -> Int? {
        var first: (track: Int, time: Int64)?
        var isComplete = true
        var held = 0
        for (track, stream) in sources.enumerated() {
            held += stream.heldBytes
            guard let time = stream.nextDecodeTime else {
                isComplete = false
                continue
            }
            if let other = first, other.time <= time { continue }
            first = (track, time)
        }
        guard let first else { return nil }
        guard isComplete || hasEnded || held > limits.held || latest - first.time > limits.heldTime else { return nil }
        return first.track
    }
}

// Reading.
extension TransportStreamInput {
    private func readMore() throws {
        var packets: [TransportDemuxer.Packet] = []
        do {
            let isThere = try source.next { piece in
                try alignment.feed(piece) { try demuxer.feed($0) { packets.append($0) } }
            }
            if !isThere {
                hasEnded = true
                try alignment.finish { try demuxer.feed($0) { packets.append($0) } }
                try demuxer.finish { packets.append($0) }
            }
        } catch let error as ParseError {
            throw InputFailure(name, "it is no usable transport stream: \(error)")
        }
        guard alignment.loss < TransportAlignment.greatestLoss else {
            throw InputFailure(
                name,
                "from byte \(position - alignment.loss) on it is no transport stream: no packets of 188 bytes are found"
            )
        }
        guard demuxer.scrambledPackets == 0 else { throw encrypted("its packets are scrambled") }
        if let map = demuxer.programMap, map != self.map { try take(map) }
        do {
            for packet in packets {
                guard let stream = streams[packet.pid] else { continue }
                try stream.take(packet)
                latest = max(latest, stream.lastDecodeTime ?? latest)
            }
            if hasEnded { for stream in streams.values { try stream.finish() } }
        } catch let error as ParseError {
            throw InputFailure(name, "\(error)")
        } catch TransportFailure.endlessUnit {
            throw InputFailure(
                name,
                "before byte \(position) a picture has more than \(NALUnitScanner.greatestUnit) bytes"
            )
        }
    }

    private func encrypted(_ reason: String) -> InputFailure {
        InputFailure(
            name,
            "\(reason): it is encrypted; decrypt it first (keyway decrypt, or the scrambling system's own)"
        )
    }

    private func take(_ map: ProgramMapTable) throws {
        let isFirst = self.map == nil
        let known = Set(self.map?.streams.map(\.pid) ?? [])
        for stream in map.streams where !known.contains(stream.pid) {
            let kind = StreamKind(stream)
            let label = "PID \(stream.pid) (\(kind.name))"
            if case .encrypted = kind { throw encrypted("\(label) has encrypted samples") }
            if case .other = kind {
                omissions.append(
                    "\(label), stream type \(hexadecimal(stream.type)), cannot be packaged; it is left out"
                )
                continue
            }
            guard isFirst else {
                omissions.append("\(label) appears only before byte \(position); it is left out")
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

    /// Makes tracks of the streams that have shown what they are.
    private func describe() throws {
        let listed = map?.streams.filter { streams[$0.pid] != nil } ?? []
        let ready = listed.filter { streams[$0.pid]?.isReady == true }
        for stream in listed {
            guard let silent = streams[stream.pid], !silent.isReady else { continue }
            let bound = hasEnded ? "to the end" : "in the first \(position) bytes"
            omissions.append("\(silent.label): \(silent.absence) \(bound); it is left out")
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

    package var breaks: Int { clock.jumps + sources.reduce(0) { $0 + $1.changes } }

    package var warnings: [String] {
        var warnings = omissions + sources.flatMap(\.warnings)
        if alignment.losses > 0 {
            warnings.append(
                "packets of 188 bytes do not follow one another in \(alignment.losses) places; some are lost"
            )
        }
        if demuxer.damage > 0 {
            warnings.append("\(demuxer.damage) transport stream packets are damaged or missing")
        }
        if clock.jumps > 0 {
            warnings.append("clocks start anew \(clock.jumps) times; what follows is moved so that no gap is left")
        }
        return warnings.map { "\(name): \($0)" }
    }
}
