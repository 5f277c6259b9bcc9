import ByteCoding
package import MediaFormats
import SampleEncryption

/// Writes the segments of a track as packed audio (RFC 8216bis, 3.1.4): an ID3 tag with the timestamp of the first
/// sample, then ADTS frames or syncframes, clear or encrypted with SAMPLE-AES.
package final class PackedAudioWriter: IncrementalSegmentWriter {
    /// The size in bytes of the write buffer.
    private static let bufferSize = 64 << 10

    package let fileExtension: String

    private let track: MediaTrack
    private let clear: AudioFrames
    private var encrypted: AudioFrames?
    private var setup: AudioSetupInformation?
    private let timeline: TransportTimeline
    package private(set) var encryptionCount = EncryptionCount()

    /// Creates a writer for a track.
    ///
    /// - Parameter protection: The encryption of protected segments; nil if there are none.
    /// - Throws: ``OutputFailure`` if packed audio does not support the track; `ParseError` if ADTS headers cannot
    ///   represent its AAC configuration.
    package init(_ track: MediaTrack, protection: TrackProtection?) throws {
        switch track.format {
        case .aac: fileExtension = "aac"
        case .ac3: fileExtension = "ac3"
        case .enhancedAC3: fileExtension = "ec3"
        case .h264, .hevc, .webVTT:
            throw OutputFailure("a \(track.kind.rawValue) track cannot be written as packed audio")
        }
        try protection?.scheme.requireStreams("packed audio")
        self.track = track
        timeline = TransportTimeline(track)
        clear = try AudioFrames(track, protection: nil)
        encrypted = protection?.scheme == .sampleAES ? try AudioFrames(track, protection: protection) : nil
    }

    package func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) throws {
        if encrypted != nil { encrypted = try AudioFrames(track, protection: protection) }
    }

    package func initialization(isProtected: Bool, first: TrackSegment) -> [UInt8]? { nil }

    package func write(_ segment: TrackSegment, to output: any SegmentOutput) throws -> [KeyFrame] {
        let source = try begin(segment)
        var memory = [UInt8](repeating: 0, count: Self.bufferSize)
        while true {
            var span = memory.mutableSpan
            var bytes = span.mutableBytes
            let count = try source.read(into: &bytes)
            if count == 0 { break }
            try output.write(memory.span.bytes.extracting(0..<count))
        }
        if segment.isProtected, let encrypted { encryptionCount += try encrypted.end(segment) }
        return source.keyFrames
    }

    package func begin(_ segment: TrackSegment) throws -> any SegmentSource {
        let isEncrypted = segment.isProtected && encrypted != nil
        if isEncrypted, setup == nil, let first = segment.samples.first {
            setup = try AudioSetupInformation(track, first: first)
        }
        let start = segment.samples.first.map(timeline.presentationTime) ?? segment.start
        let tag = ID3Tag(
            timestamp: TransportTimeline.wrapped(TransportTimeline.timestamp(start)),
            audioSetup: isEncrypted ? setup : nil
        )
        return PackedAudioSource(tag.bytes, (isEncrypted ? encrypted : nil) ?? clear, segment.samples)
    }
}

/// A segment of packed audio that is being read.
private final class PackedAudioSource: SegmentSource {
    let keyFrames: [KeyFrame] = []
    private let samples: [MediaSample]
    private var index = 0
    private var frames: AudioFrames
    /// The bytes to return: the tag, then the buffered frames; and the number of them already returned.
    private var bytes: [UInt8]
    private var returned = 0

    init(_ tag: [UInt8], _ frames: AudioFrames, _ samples: [MediaSample]) {
        bytes = tag
        self.frames = frames
        self.samples = samples
    }

    func read(into output: inout MutableRawSpan) throws -> Int {
        if returned == bytes.count { try gather() }
        let count = min(output.byteCount, bytes.count - returned)
        let start = returned
        output.withUnsafeMutableBytes { memory in
            bytes.withUnsafeBytes {
                memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
        }
        returned += count
        return count
    }

    private func gather() throws {
        bytes = []
        frames.removeAll()
        while index < samples.count, frames.bytes.count < AudioFrames.partSize {
            try frames.append(samples[index])
            index += 1
        }
        try frames.encrypt()
        bytes = frames.bytes
        returned = 0
    }
}
