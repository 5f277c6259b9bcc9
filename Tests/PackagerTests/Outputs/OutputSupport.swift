import ByteCoding
import FPSCrypto
import Foundation
import MediaFormats
import Packager
import SampleEncryption

/// An output that stores the written bytes.
final class MemoryOutput: SegmentOutput {
    private(set) var bytes: [UInt8] = []
    var count: Int { bytes.count }
    func write(_ more: RawSpan) { more.withUnsafeBytes { bytes.append(contentsOf: $0) } }
}

/// A track with its samples.
struct TestTrack {
    var track: MediaTrack
    var samples: [MediaSample]

    /// A track of a clip in the fixtures of MediaFormatsTests: H.264 with B-frames and two key frames, 1 s, and AAC.
    static func fixture(_ kind: FourCC) throws -> TestTrack {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = try MappedFile(path: tests.path + "/MediaFormatsTests/Fixtures/mp4-progressive.mp4")
        let movie = try file.withBytes { try MovieFile(reading: $0) }
        let source = movie.movie.tracks.first { $0.kind == kind }!
        let entry = source.descriptions[0]
        let format: MediaTrack.Format
        if let box = entry.boxes.first(AVCConfigurationBox.type) {
            format = .h264(try box.parse(as: AVCConfigurationBox.self))
        } else {
            format = .aac(configuration: try entry.audioSpecificConfig()!.bytes)
        }
        var cursor = movie.samples(of: [source.id])
        var samples: [MediaSample] = []
        while let sample = try file.withBytes({ try cursor.next($0) }) {
            samples.append(
                MediaSample(
                    bytes: file,
                    offset: sample.offset,
                    size: sample.size,
                    decodeTime: Int64(sample.decodeTime),
                    duration: sample.duration,
                    compositionOffset: sample.compositionOffset,
                    isSync: sample.isSync
                )
            )
        }
        let track = MediaTrack(
            format: format,
            sampleEntry: entry,
            timescale: source.timescale,
            timing: try source.timing(),
            codecs: ""
        )
        return TestTrack(track: track, samples: samples)
    }

    /// Video at 25 frames per second with samples given as their NAL units; each is a key frame whose first unit has
    /// type 5.
    static func video(_ units: [[[UInt8]]], timescale: UInt32 = 25, duration: UInt32 = 1) throws -> TestTrack {
        var track = try fixture("vide").track
        track.timescale = timescale
        track.timing = TrackTiming(timescale: timescale)
        let samples = units.enumerated().map { index, units in
            let bytes: [UInt8] = units.flatMap { unit -> [UInt8] in
                let length: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: unit.count >> $0) }
                return length + unit
            }
            return MediaSample(
                bytes: BufferedBytes(bytes),
                offset: 0,
                size: bytes.count,
                decodeTime: Int64(index) * Int64(duration),
                duration: duration,
                isSync: units.first?.first.map { $0 & 31 == 5 } ?? false
            )
        }
        return TestTrack(track: track, samples: samples)
    }

    /// A segment of some samples.
    func segment(_ index: Int, _ range: Range<Int>, isProtected: Bool = false) -> TrackSegment {
        let part = Array(samples[range])
        func time(_ value: Int64) -> RationalTime {
            RationalTime(value + track.timing.presentationOffset, timescale: track.timescale)
        }
        return TrackSegment(
            index: index,
            samples: part,
            start: time(part.first?.presentationTime ?? 0),
            end: time(part.last.map { $0.presentationTime + Int64($0.duration) } ?? 0),
            isProtected: isProtected
        )
    }

    /// Segments with a number of samples each.
    func segments(of count: Int, isProtected: Bool = false) -> [TrackSegment] {
        stride(from: 0, to: samples.count, by: count).enumerated().map { index, start in
            segment(index, start..<min(start + count, samples.count), isProtected: isProtected)
        }
    }

    /// Returns the bytes of a sample.
    func bytes(_ index: Int) -> [UInt8] { samples[index].withBytes { $0.withUnsafeBytes { [UInt8]($0) } } }

    /// Returns the presentation time of a sample in a transport stream.
    func timestamp(_ time: Int64) -> Int64 {
        RationalTime(time + track.timing.presentationOffset, timescale: track.timescale).converted(to: 90_000) + 900_000
    }

    /// Returns a video sample as an access unit of a byte stream.
    func accessUnit(_ index: Int) throws -> [UInt8] {
        guard case .h264(let configuration) = track.format else { return [] }
        let writer = ByteStreamWriter(configuration)
        let sample = bytes(index)
        var output = [UInt8](repeating: 0, count: writer.maximumSize(of: sample.count))
        var span = output.mutableSpan
        var memory = span.mutableBytes
        let count = try writer.write(sample.span.bytes, into: &memory)!
        return Array(output[..<count])
    }
}

/// The contents of a transport stream, packet by packet; parsed without the demuxer.
struct PacketList {
    /// A packet with the program clock, and the first decode time in it or after it.
    var clocks: [UInt64] = []
    var headers: [TransportPacketHeader] = []
    /// The number of packets whose continuity counter does not follow the previous one of their PID.
    var breaks = 0

    init(_ bytes: [UInt8]) throws {
        var counters: [UInt16: UInt8] = [:]
        for offset in stride(from: 0, to: bytes.count, by: 188) {
            let header = try TransportPacketHeader(bytes.span.bytes, at: offset)
            headers.append(header)
            if let clock = header.programClockReference { clocks.append(clock) }
            guard header.payload != nil else { continue }
            if let last = counters[header.pid], header.continuityCounter != (last + 1) & 15 { breaks += 1 }
            counters[header.pid] = header.continuityCounter
        }
    }
}

/// Returns the PES packets of a stream, its last program map, and the demuxer's damage count.
func demux(
    _ bytes: [UInt8]
) throws -> (packets: [TransportDemuxer.Packet], map: ProgramMapTable?, damage: Int) {
    var demuxer = TransportDemuxer()
    var packets: [TransportDemuxer.Packet] = []
    try demuxer.feed(bytes.span.bytes) { packets.append($0) }
    try demuxer.finish { packets.append($0) }
    return (packets, demuxer.programMap, demuxer.damage)
}

/// Returns the NAL units of a byte stream.
func nalUnits(_ stream: [UInt8]) -> [[UInt8]] {
    var units = AnnexBNALUnits()
    var all: [[UInt8]] = []
    while let range = units.next(stream.span.bytes) { all.append(Array(stream[range])) }
    return all
}

/// Writes consecutive segments.
func write(
    _ segments: [TrackSegment],
    with writer: any SegmentWriter
) throws -> (bytes: [UInt8], segments: [[UInt8]], keyFrames: [[KeyFrame]]) {
    var (parts, keyFrames): ([[UInt8]], [[KeyFrame]]) = ([], [])
    for segment in segments {
        let output = MemoryOutput()
        keyFrames.append(try writer.write(segment, to: output))
        parts.append(output.bytes)
    }
    return (parts.flatMap { $0 }, parts, keyFrames)
}

/// Pseudorandom bytes, the same each time.
struct TestGenerator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) << 32 | state >> 32 & 0xFFFF_FFFF
    }
}

/// A NAL unit of a type with valid content: many zeros among its bytes, with emulation prevention.
func slice(_ type: UInt8, size: Int, zeros: Bool, _ generator: inout TestGenerator) -> [UInt8] {
    var unit: [UInt8] = [0x60 | type]
    var isZero = (false, false)
    while unit.count < size - 1 {
        let word = generator.next()
        for shift in stride(from: UInt64(0), to: 64, by: 8) where unit.count < size - 1 {
            var byte = UInt8(truncatingIfNeeded: word >> shift)
            if zeros { byte %= 5 }
            if byte <= 3, isZero.0, isZero.1 { byte = 3 }
            unit.append(byte)
            isZero = (isZero.1, byte == 0)
        }
    }
    if size > 1 { unit.append(0x80) }
    return unit
}

let testIV = (0..<16).map { UInt8($0 * 7 + 1) }

func testProtection(_ scheme: TrackProtection.Scheme, iv: [UInt8]? = testIV) throws -> TrackProtection {
    TrackProtection(
        scheme: scheme,
        keyID: Array(0..<16),
        key: SecretBytes(copying: (0..<16).map { UInt8($0 * 11) }),
        iv: try iv.map { try CipherIV($0) }
    )
}
