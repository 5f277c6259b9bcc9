import ByteCoding
import MediaFormats
import Packager
import SampleEncryption
import Testing

@Suite("Transport stream segments")
struct TransportStreamWriterTests {
    /// 10 samples with key frames at 0 and 5.
    static func video() throws -> TestTrack { try TestTrack.fixture("vide") }

    @Test("contain the access units with their times")
    func video() throws {
        let input = try Self.video()
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let written = try write(input.segments(of: 5), with: writer)
        let (packets, map, damage) = try demux(written.bytes)
        #expect(damage == 0)
        #expect(map?.streams.map(\.type) == [.h264])
        #expect(map?.streams[0].descriptors == [])
        #expect(packets.count == input.samples.count)
        for (index, packet) in packets.enumerated() {
            let sample = input.samples[index]
            let expected = try input.accessUnit(index)
            #expect(packet.payload == expected)
            #expect(packet.presentationTime == input.timestamp(sample.presentationTime))
            #expect(packet.decodeTime == input.timestamp(sample.decodeTime))
            #expect(packet.isRandomAccess == sample.isSync)
        }
        #expect(packets.contains { $0.presentationTime != $0.decodeTime })
        #expect(packets.compactMap(\.presentationTime).min() == 900_000)
    }

    @Test("start with the tables, continue the counters, and have clocks")
    func packets() throws {
        let input = try Self.video()
        let writer = try TransportStreamWriter(input.track, protection: nil)
        // Three samples per segment: the key frame at 5 has tables in the middle of a segment.
        let written = try write(input.segments(of: 3), with: writer)
        #expect(written.keyFrames.map(\.count) == [1, 1, 0, 0])
        for segment in written.segments {
            let list = try PacketList(segment)
            #expect(list.headers.prefix(3).map(\.pid) == [0, 0x1000, 0x100])
            #expect(list.headers[2].isUnitStart)
            #expect(list.breaks == 0)
        }
        let list = try PacketList(written.bytes)
        #expect(list.breaks == 0)
        #expect(list.headers.count { $0.pid == 0 } == 5)
        #expect(list.headers.count { $0.pid == 0x1000 } == 5)
        let times = try demux(written.bytes).packets.compactMap(\.decodeTime)
        // Each PES packet has a clock, 0.7 s before its decode time; at 10 frames per second, no others are required.
        let clocks = list.clocks.map { Int64($0 / 300) }
        #expect(clocks == times.map { $0 - 63_000 })
        let steps = zip(list.clocks, list.clocks.dropFirst()).map { $1 &- $0 }
        #expect(steps.allSatisfy { (1...2_700_000).contains($0) })
    }

    @Test("report the positions of key frames, each of which can be decoded independently")
    func keyFrames() throws {
        let input = try Self.video()
        for protection in [nil, try testProtection(.sampleAES)] {
            let writer = try TransportStreamWriter(input.track, protection: protection)
            let written = try write(input.segments(of: 8, isProtected: protection != nil), with: writer)
            let frames = written.keyFrames.enumerated().flatMap { index, frames in frames.map { (index, $0) } }
            #expect(frames.count == 2)
            for (number, (segment, frame)) in frames.enumerated() {
                let part = Array(written.segments[segment][frame.offset..<frame.offset + frame.size])
                let (packets, map, damage) = try demux(part)
                #expect(map != nil)
                #expect(damage == 0)
                #expect(packets.count == 1)
                let types = nalUnits(packets[0].payload).map { H264NALHeader(rawValue: $0[0]).type }
                #expect(types.prefix(3) == [.accessUnitDelimiter, .sequenceParameterSet, .pictureParameterSet])
                #expect(types.contains(.idrSlice))
                let sample = input.samples[number * 5]
                let time = sample.presentationTime + input.track.timing.presentationOffset
                #expect(frame.presentation == RationalTime(time, timescale: input.track.timescale))
            }
        }
    }

    @Test("are the same for any buffer size, whatever the sizes of payloads")
    func sizes() throws {
        var generator = TestGenerator(state: 1)
        let sizes = Array(1...400) + [5000, 70_000, 280_000]
        let input = try TestTrack.video(
            sizes.map { size in [slice(size % 50 == 1 ? 5 : 1, size: size, zeros: false, &generator)] }
        )
        let segment = input.segment(0, 0..<sizes.count)
        let whole = try write([segment], with: try TransportStreamWriter(input.track, protection: nil))
        let (packets, _, damage) = try demux(whole.bytes)
        #expect(damage == 0)
        for (index, packet) in packets.enumerated() {
            let isEqual = packet.payload == (try input.accessUnit(index))
            #expect(isEqual, "sample \(index)")
        }
        #expect(packets.count == sizes.count)
        for room in [4096, 5001, 70_000] {
            let source = try TransportStreamWriter(input.track, protection: nil).begin(segment)
            var bytes: [UInt8] = []
            var memory = [UInt8](repeating: 0xAA, count: room)
            while true {
                var span = memory.mutableSpan
                var output = span.mutableBytes
                let count = try source.read(into: &output)
                if count == 0 { break }
                bytes += memory[..<count]
            }
            let isEqual = bytes == whole.bytes
            #expect(isEqual, "\(room) bytes at once")
            #expect(source.keyFrames == whole.keyFrames[0])
        }
    }

    @Test("can be started in order and read in any order")
    func ahead() throws {
        for kind: FourCC in ["vide", "soun"] {
            let input = try TestTrack.fixture(kind)
            let segments = input.segments(of: 3)
            let expected = try write(segments, with: try TransportStreamWriter(input.track, protection: nil))
            let writer = try TransportStreamWriter(input.track, protection: nil)
            let sources = try segments.map { try writer.begin($0) }
            for (index, source) in sources.enumerated().reversed() {
                var memory = [UInt8](repeating: 0, count: 1 << 20)
                var span = memory.mutableSpan
                var output = span.mutableBytes
                let count = try source.read(into: &output)
                let isEqual = Array(memory[..<count]) == expected.segments[index]
                #expect(isEqual, "segment \(index) of \(kind)")
            }
        }
    }

    @Test("keep parameter sets of the sample, and write its delimiter once")
    func inBand() throws {
        var input = try Self.video()
        guard case .h264(let configuration) = input.track.format else { return }
        let sets = configuration.sequenceParameterSets + configuration.pictureParameterSets
        let delimiter: [UInt8] = [0x09, 0x10]
        var generator = TestGenerator(state: 2)
        let idr = slice(5, size: 100, zeros: false, &generator)
        input = try TestTrack.video([[delimiter, idr], sets + [idr], [delimiter] + sets + [idr], [[], idr]])
        for index in input.samples.indices { input.samples[index].isSync = true }
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let packets = try demux(try write(input.segments(of: 4), with: writer).bytes).packets
        let started: [[UInt8]] = [H264AccessUnit.delimiter] + sets + [idr]
        let own: [[UInt8]] = [delimiter] + sets + [idr]
        let expected: [[[UInt8]]] = [started, started, own, started]
        let found = packets.map { nalUnits($0.payload) }
        #expect(found == expected)
    }

    @Test("have no decode time after the presentation time, even if the input has")
    func negativeOffsets() throws {
        var input = try TestTrack.video([[[UInt8]]](repeating: [[0x41, 1, 2, 3]], count: 8))
        let offsets: [Int32] = [0, 1, -1, 0, 0, 2, -2, 0]
        for (index, offset) in offsets.enumerated() { input.samples[index].compositionOffset = offset }
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let packets = try demux(try write(input.segments(of: 4), with: writer).bytes).packets
        let presentation = packets.compactMap(\.presentationTime)
        let frames: [Int64] = [0, 2, 1, 3, 4, 7, 4, 7]
        let expected: [Int64] = frames.map { 900_000 + $0 * 3600 }
        #expect(presentation == expected)
        let decode = packets.compactMap(\.decodeTime)
        #expect(decode.count == 8)
        #expect(zip(presentation, decode).allSatisfy { $0 >= $1 })
        #expect(zip(decode, decode.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("wrap timestamps after 33 bits")
    func wrap() throws {
        var input = try TestTrack.video([[[UInt8]]](repeating: [[0x41, 1, 2, 3]], count: 6))
        let start = (Int64(1) << 33) / 3600 - 250 - 3
        for index in input.samples.indices { input.samples[index].decodeTime += start }
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let packets = try demux(try write(input.segments(of: 6), with: writer).bytes).packets
        let expected = input.samples.map { input.timestamp($0.decodeTime) }
        #expect(packets.compactMap(\.decodeTime) == expected)
        #expect(expected[0] < 1 << 33 && expected[5] >= 1 << 33)
    }

    @Test("have clocks at least every 0.1 s, but a limited number of them")
    func slowVideo() throws {
        let input = try TestTrack.video([[[UInt8]]](repeating: [[0x41, 1, 2, 3]], count: 4), timescale: 1)
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let bytes = try write(input.segments(of: 2), with: writer).bytes
        let list = try PacketList(bytes)
        let expected: [UInt64] = (0..<40).map { (UInt64(837_000) + UInt64($0) * 9000) * 300 }
        #expect(list.clocks == expected)
        #expect(list.breaks == 0)
        let damage = try demux(bytes).damage
        #expect(damage == 0)
        let years = try TestTrack.video([[[0x41, 1, 2, 3]]], timescale: 1, duration: .max)
        let other = try TransportStreamWriter(years.track, protection: nil)
        let long = try PacketList(try write(years.segments(of: 1), with: other).bytes)
        #expect(long.headers.count < 200)
    }

    @Test("have tables even in a gap of the track")
    func empty() throws {
        let input = try Self.video()
        let writer = try TransportStreamWriter(input.track, protection: nil)
        let segments = [input.segment(0, 0..<5), input.segment(1, 5..<5), input.segment(2, 5..<10)]
        let written = try write(segments, with: writer)
        #expect(written.segments[1].count == 2 * 188)
        let list = try PacketList(written.bytes)
        #expect(list.breaks == 0)
    }

    @Test("reject unsupported tracks, with how to correct the job")
    func refusals() throws {
        var input = try Self.video()
        #expect(throws: OutputFailure.self) {
            try TransportStreamWriter(input.track, protection: testProtection(.cbcs))
        }
        #expect(throws: OutputFailure.self) {
            try TransportStreamWriter(input.track, protection: testProtection(.sampleAES, iv: nil))
        }
        input.track.format = .webVTT
        #expect(throws: OutputFailure.self) { try TransportStreamWriter(input.track, protection: nil) }
        input = try Self.video()
        // A length field that reaches beyond the sample.
        let damaged = try TestTrack.video([[[0x41]], [[0x41]]])
        var samples = damaged.samples
        samples[1] = MediaSample(
            bytes: BufferedBytes([9, 9, 0, 0, 0, 5, 1]),
            offset: 2,
            size: 5,
            decodeTime: 1,
            duration: 1,
            isSync: false
        )
        let segment = TestTrack(track: damaged.track, samples: samples).segment(0, 0..<2)
        for protection in [nil, try testProtection(.sampleAES)] {
            let writer = try TransportStreamWriter(damaged.track, protection: protection)
            var segment = segment
            segment.isProtected = protection != nil
            do {
                _ = try writer.write(segment, to: MemoryOutput())
                Issue.record("the damage was not noticed")
            } catch let error as ParseError {
                #expect(error.code == .truncated)
                #expect(error.offset == 2)
            }
        }
    }
}
