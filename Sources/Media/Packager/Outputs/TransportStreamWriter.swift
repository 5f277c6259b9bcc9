import ByteCoding
import FPSCrypto
package import MediaFormats
import SampleEncryption

/// Writes the segments of a track as MPEG-2 transport streams (ISO/IEC 13818-1; RFC 8216bis, 3.1.1): one elementary
/// stream, clear or encrypted with SAMPLE-AES. For AES-128 encryption of whole segments, wrap the writer in a
/// ``SegmentEncryptor``.
package final class TransportStreamWriter: IncrementalSegmentWriter {
    /// The size in bytes of the write buffer: a multiple of the packet size that fits in the CPU cache.
    static let bufferSize = 1392 * TransportPacketHeader.packetSize

    package let fileExtension = "ts"

    private enum Media {
        case video(VideoByteStream, encryption: VideoEncryption?)
        case audio(AudioFrames, encrypted: AudioFrames?)
    }

    private let track: MediaTrack
    private var media: Media
    private let encryptsSamples: Bool
    private var audioSetup: AudioSetupInformation?
    private var program: (isEncrypted: Bool, tables: TransportProgram)?
    private var version: UInt8 = 0
    private var packetizer = TransportPacketizer()
    private var timeline: TransportTimeline
    private var buffer: [UInt8] = []
    package private(set) var encryptionCount = EncryptionCount()

    /// Creates a writer for a track.
    ///
    /// - Parameter protection: The encryption of protected segments; nil if there are none.
    /// - Throws: ``OutputFailure`` if transport streams do not support the track: HEVC with SAMPLE-AES, or subtitles.
    ///   `ParseError` if ADTS headers cannot represent the AAC configuration.
    package init(_ track: MediaTrack, protection: TrackProtection?) throws {
        try protection?.scheme.requireStreams("transport streams")
        let sampleAES = protection?.scheme == .sampleAES ? protection : nil
        encryptsSamples = sampleAES != nil
        // Reject unsupported tracks before anything is written.
        _ = try TransportProgram(track, isEncrypted: encryptsSamples, audioSetup: nil, version: 0)
        media = try Self.media(track, sampleAES)
        self.track = track
        timeline = TransportTimeline(track)
    }

    private static func media(_ track: MediaTrack, _ sampleAES: TrackProtection?) throws -> Media {
        if let codec = VideoByteStream(track) {
            return .video(codec, encryption: try sampleAES.map(VideoEncryption.init))
        }
        let encrypted = try sampleAES.map { try AudioFrames(track, protection: $0) }
        return .audio(try AudioFrames(track, protection: nil), encrypted: encrypted)
    }

    package func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) throws {
        guard encryptsSamples else { return }
        media = try Self.media(track, protection)
    }

    package func initialization(isProtected: Bool, first: TrackSegment) -> [UInt8]? { nil }

    package func write(_ segment: TrackSegment, to output: any SegmentOutput) throws -> [KeyFrame] {
        let source = try source(segment)
        // Moved out of the object, so that the array is not copied while it is modified.
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
        (packetizer, timeline) = (source.packetizer, source.timeline)
        if segment.isProtected {
            switch media {
            case .video(_, let encryption): if let encryption { encryptionCount += try encryption.end(segment) }
            case .audio(_, let encrypted): if let encrypted { encryptionCount += try encrypted.end(segment) }
            }
        }
        return source.keyFrames
    }

    /// Starts a segment, and computes the counters for the next segment in advance.
    ///
    /// - Throws: ``OutputFailure`` with SAMPLE-AES, because packets cannot be counted before the samples are encrypted.
    package func begin(_ segment: TrackSegment) throws -> any SegmentSource {
        guard !encryptsSamples else { throw OutputFailure("SAMPLE-AES segments must be written one after another") }
        let source = try source(segment)
        (packetizer, timeline) = try source.end()
        return source
    }

    private func source(_ segment: TrackSegment) throws -> any TransportSource {
        let isEncrypted = segment.isProtected && encryptsSamples
        let tables = try tables(segment, isEncrypted: isEncrypted)
        switch media {
        case .video(let codec, let encryption):
            encryption?.begin()
            let payloads = VideoPayloads(
                codec,
                segment.samples,
                timeline,
                encryption: isEncrypted ? encryption : nil
            )
            return try TransportSegmentSource(tables, payloads, packetizer)
        case .audio(let frames, let encrypted):
            let payloads = AudioPayloads((isEncrypted ? encrypted : nil) ?? frames, segment.samples, timeline)
            return try TransportSegmentSource(tables, payloads, packetizer)
        }
    }

    /// Returns the tables of a segment: after a clear lead there are new ones, with another version.
    private func tables(_ segment: TrackSegment, isEncrypted: Bool) throws -> TransportProgram {
        if let program, program.isEncrypted == isEncrypted { return program.tables }
        if isEncrypted, track.kind == .audio, audioSetup == nil, let first = segment.samples.first {
            audioSetup = try AudioSetupInformation(track, first: first)
        }
        if program != nil { version = (version + 1) & 31 }
        let tables = try TransportProgram(
            track,
            isEncrypted: isEncrypted,
            audioSetup: isEncrypted ? audioSetup : nil,
            version: version
        )
        // An empty segment does not describe AC-3: the next one does.
        if !isEncrypted || track.kind == .video || audioSetup != nil { program = (isEncrypted, tables) }
        return tables
    }
}

extension TrackProtection.Scheme {
    /// Requires a scheme for transport streams and packed audio.
    ///
    /// - Throws: ``OutputFailure`` for a scheme of fragmented MP4, with which samples would stay clear.
    func requireStreams(_ container: String) throws(OutputFailure) {
        guard self == .cbcs || self == .cenc else { return }
        throw OutputFailure("\(rawValue) requires fragmented MP4; use SAMPLE-AES or AES-128 for \(container)")
    }
}
