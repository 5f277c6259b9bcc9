import ByteCoding
import MediaDecryption
import MediaFormats
import SampleEncryption

extension EncryptedExcerpt {
    /// Returns the excerpts of the streams of a transport stream that its program map table declares as encrypted.
    ///
    /// - Parameter tables: The transport packets of an init segment; empty without one.
    static func excerpts(ofTransportStream segment: RawSpan, tables: [UInt8]) -> [EncryptedExcerpt] {
        var demuxer = TransportDemuxer()
        var streams: [UInt16: TransportExcerpt] = [:]
        var order: [UInt16] = []
        var early: [TransportDemuxer.Packet] = []
        func declare() {
            for map in demuxer.takeProgramMaps() {
                for stream in map.streams where streams[stream.pid] == nil {
                    guard let kind = SampleAESStream(encrypted: stream.type) else { continue }
                    streams[stream.pid] = TransportExcerpt(stream.pid, kind)
                    order.append(stream.pid)
                }
            }
            for packet in early { streams[packet.pid]?.add(packet) }
            early.removeAll(keepingCapacity: true)
        }
        let size = TransportPacketHeader.packetSize * 512
        do {
            try demuxer.feed(tables.span.bytes) { early.append($0) }
            declare()
            for start in stride(from: 0, to: segment.byteCount, by: size) {
                guard order.isEmpty || !order.allSatisfy({ streams[$0]?.isFull == true }) else { break }
                try demuxer.feed(segment.extracting(start..<min(start + size, segment.byteCount))) { early.append($0) }
                declare()
            }
            try demuxer.finish { early.append($0) }
            declare()
        } catch {
            // The damage is a finding of the measurement; what was read is tried.
        }
        return order.compactMap { streams[$0]?.excerpt }
    }

    /// Returns the excerpt of a segment of packed audio; nil if it has no frames.
    static func excerpt(ofPackedAudio segment: RawSpan) -> EncryptedExcerpt? {
        var position = 0
        while position < segment.byteCount, let tag = (try? LocatedID3Tag(segment, at: position)) ?? nil {
            position = tag.range.upperBound
        }
        let rest = segment.extracting(position..<segment.byteCount)
        guard let kind = MediaFileKind.audio(rest), kind != .h264 else { return nil }
        var frames = AudioFrames(kind)
        frames.append(rest)
        return frames.excerpt
    }
}

/// The excerpt of one elementary stream.
private struct TransportExcerpt {
    private let kind: SampleAESStream
    private var video: EncryptedExcerpt
    private var audio: AudioFrames

    init(_ pid: UInt16, _ kind: SampleAESStream) {
        self.kind = kind
        audio = AudioFrames(kind)
        video = EncryptedExcerpt(kind: .video, format: .h264, scheme: .sampleAES(.h264))
        (video.track, audio.excerpt.track) = (UInt32(pid), UInt32(pid))
    }

    var isFull: Bool {
        kind == .h264
            ? video.samples.count >= EncryptedExcerpt.Limit.pictures
                || video.bytes.count >= EncryptedExcerpt.Limit.pictureBytes
            : audio.isFull
    }

    var excerpt: EncryptedExcerpt { kind == .h264 ? video : audio.excerpt }

    mutating func add(_ packet: TransportDemuxer.Packet) {
        guard !isFull else { return }
        guard kind == .h264 else { return audio.append(packet.payload.span.bytes) }
        if video.samples.isEmpty { video.startsAtKeyFrame = Self.isIDR(packet.payload) }
        let start = video.bytes.count
        video.bytes += packet.payload.prefix(EncryptedExcerpt.Limit.pictureBytes)
        video.samples.append(.init(range: start..<video.bytes.count, subsamples: [], iv: nil))
    }

    private static func isIDR(_ bytes: [UInt8]) -> Bool {
        var units = AnnexBNALUnits()
        while let range = units.next(bytes.span.bytes) {
            guard let first = bytes[range].first else { continue }
            if H264NALHeader(rawValue: first).type == .idrSlice { return true }
        }
        return false
    }
}

/// Collects the frames of an audio stream, which can continue in the next packet.
private struct AudioFrames {
    private let kind: SampleAESStream
    /// The start of a frame whose rest is in the next packet.
    private var rest: [UInt8] = []
    /// The number of audio blocks in the last access unit.
    private var blocks = 0
    var excerpt: EncryptedExcerpt

    init(_ kind: SampleAESStream) {
        self.kind = kind
        excerpt = EncryptedExcerpt(
            kind: .audio,
            format: kind == .aac ? .adts : .ac3,
            scheme: .sampleAES(kind == .aac ? .aac : kind == .ac3 ? .ac3 : .enhancedAC3)
        )
    }

    var isFull: Bool {
        excerpt.samples.count >= EncryptedExcerpt.Limit.audioFrames
            || excerpt.bytes.count >= EncryptedExcerpt.Limit.audioBytes
    }

    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { rest.append(contentsOf: $0) }
        var position = 0
        while position < rest.count, !isFull {
            let frame = Self.frame(rest.span.bytes.extracting(position..<rest.count), kind)
            guard let frame, frame.size > 0, frame.size <= rest.count - position else { break }
            let start = excerpt.bytes.count
            excerpt.bytes += rest[position..<position + frame.size]
            let part = Subsample(clear: frame.header, protected: frame.size - frame.header)
            // An access unit of E-AC-3 has six audio blocks, which can be in several syncframes.
            if excerpt.samples.isEmpty || frame.begins && blocks >= 6 {
                blocks = 0
                excerpt.samples.append(.init(range: start..<excerpt.bytes.count, subsamples: [part], iv: nil))
            } else {
                // The vector restarts with each access unit of E-AC-3, not with each syncframe.
                let last = excerpt.samples.count - 1
                excerpt.samples[last].range = excerpt.samples[last].range.lowerBound..<excerpt.bytes.count
                excerpt.samples[last].subsamples.append(part)
            }
            if frame.begins { blocks += frame.blocks }
            position += frame.size
        }
        rest.removeFirst(position)
        if rest.count > EncryptedExcerpt.Limit.audioBytes { rest.removeAll() }
    }

    /// A frame header: the sizes of the frame and of its clear header in bytes, whether an access unit can begin with
    /// it, and the number of audio blocks, 6 for a whole access unit.
    private typealias Header = (size: Int, header: Int, begins: Bool, blocks: Int)

    /// Returns the header at the start of the bytes; nil without a header.
    private static func frame(_ bytes: RawSpan, _ kind: SampleAESStream) -> Header? {
        if kind == .aac {
            guard let header = try? ADTSHeader(bytes) else { return nil }
            return (header.frameLength, header.size, true, 6)
        }
        guard let header = try? AC3Syncframe(bytes) else { return nil }
        return (header.size, 0, header.beginsAccessUnit, header.blockCount)
    }
}
