import FPSCrypto
import MediaFormats
import SampleEncryption

/// Writes the segments of a track as MPEG-2 transport streams (ISO/IEC 13818-1; RFC 8216bis, 3.1.1): one elementary
/// stream, clear or under SAMPLE-AES. Whole-segment AES-128 is the affair of ``SegmentEncryptor``, around it.
package final class TransportStreamWriter: SteppedSegmentWriter {
    /// How many bytes are written at once: whole packets, and small enough for the cache.
    static let bufferSize = 1392 * TransportPacketHeader.packetSize

    package let fileExtension = "ts"

    private let track: MediaTrack
    private let video: VideoByteStream?
    private let encryption: VideoEncryption?
    private var packetizer = TransportPacketizer()
    private var timeline: TransportTimeline
    private var program: (isProtected: Bool, tables: TransportProgram)?
    private var version: UInt8 = 0
    private var buffer: [UInt8] = []

    /// Makes a writer for a track.
    ///
    /// - Parameter protection: How its protected segments are encrypted; nil: it has none.
    /// - Throws: ``OutputFailure`` for what transport streams cannot carry: HEVC under SAMPLE-AES, subtitles.
    package init(_ track: MediaTrack, protection: TrackProtection?) throws {
        self.track = track
        timeline = TransportTimeline(track)
        video = VideoByteStream(track)
        var encryption: VideoEncryption?
        switch protection?.scheme {
        case .cbcs: throw OutputFailure("cbcs is for fragmented MP4; transport streams take SAMPLE-AES or AES-128")
        case .sampleAES:
            guard let protection, let iv = protection.iv else { throw OutputFailure("SAMPLE-AES needs an IV") }
            // HEVC and the like are refused before anything is written.
            _ = try TransportProgram(track, isEncrypted: true, audioSetup: [], version: 0)
            if video != nil { encryption = try VideoEncryption(key: protection.key, iv: iv) }
        case .aes128, nil: break
        }
        self.encryption = encryption
        _ = try TransportProgram(track, isEncrypted: false, audioSetup: [], version: 0)
    }

    package func initialization(isProtected: Bool, first: MediaSegment) -> [UInt8]? { nil }

    package func write(_ segment: MediaSegment, to output: any SegmentOutput) throws -> [KeyFrame] {
        try write(try source(segment), to: output)
    }

    package func begin(_ segment: MediaSegment) throws -> any SegmentSource {
        let source = try source(segment)
        return source
    }

    private func source(_ segment: MediaSegment) throws -> TransportSegmentSource<VideoPayloads> {
        guard let video else { throw OutputFailure("no audio yet") }
        let isEncrypted = segment.isProtected && encryption != nil
        if program?.isProtected != isEncrypted {
            if program != nil { version = (version + 1) & 31 }
            program = (
                isEncrypted, try TransportProgram(track, isEncrypted: isEncrypted, audioSetup: [], version: version)
            )
        }
        encryption?.begin()
        let payloads = VideoPayloads(video, segment.samples, timeline, encryption: isEncrypted ? encryption : nil)
        return try TransportSegmentSource(program!.tables, payloads, packetizer)
    }

    private func write<Payloads>(
        _ source: TransportSegmentSource<Payloads>,
        to output: any SegmentOutput
    ) throws -> [KeyFrame] {
        // Taken out of the object, so that it can be lent while the object works.
        var memory: [UInt8] = []
        swap(&memory, &buffer)
        defer { swap(&memory, &buffer) }
        if memory.isEmpty { memory = [UInt8](repeating: 0, count: Self.bufferSize) }
        while true {
            var span = memory.mutableSpan
            var bytes = span.mutableBytes
            let count = try source.read(into: &bytes)
            if count == 0 { break }
            try output.write(memory.span.bytes.extracting(0..<count))
        }
        packetizer = source.packetizer
        timeline = source.payloads.timeline
        return source.keyFrames
    }
}
