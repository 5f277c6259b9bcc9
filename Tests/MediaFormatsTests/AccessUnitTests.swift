import ByteCoding
import MediaFormats
import Testing

@Suite("Access units")
struct AccessUnitTests {
    /// The start of each access unit: the number of its NAL units.
    static func split(_ fixture: VideoFixture) throws -> [[[UInt8]]] {
        var h264 = H264AccessUnitSplitter()
        var hevc = HEVCAccessUnitSplitter()
        var all: [[[UInt8]]] = []
        for unit in try fixture.units() {
            let starts =
                fixture.isHEVC
                ? hevc.startsAccessUnit(unit.span.bytes) : try h264.startsAccessUnit(unit.span.bytes)
            if starts { all.append([]) }
            all[all.count - 1].append(unit)
        }
        return all
    }

    static func sample(_ units: [[UInt8]]) -> [UInt8] {
        units.flatMap { unit in [0, 0, UInt8(unit.count >> 8), UInt8(unit.count & 255)] + unit }
    }

    @Test(
        "Streams have the number of access units that were encoded",
        arguments: [
            ("slices.h264", 6), ("cavlc.h264", 8), ("field.h264", 8), ("long.h264", 40), ("recovery.h264", 20),
            ("changes.h264", 6),
            ("vui.h264", 6), ("intra-refresh.h264", 12), ("hevc-slices.hevc", 6), ("hevc-wpp.hevc", 5),
            ("hevc-open-gop.hevc", 24),
            ("hevc-hdr.hevc", 6), ("hevc-layers.hevc", 20),
        ]
    )
    func counts(name: String, count: Int) throws {
        let units = try Self.split(VideoFixture(name: name))
        #expect(units.count == count)
        // Parameter sets and SEI messages precede the slices that they apply to.
        let isSlice = { (unit: [UInt8]) in name.hasSuffix("hevc") ? unit[0] >> 1 < 32 : [1, 5].contains(unit[0] & 31) }
        for unit in units {
            let first = unit.firstIndex(where: isSlice) ?? 0
            #expect(unit[first...].allSatisfy { isSlice($0) || $0[0] >> 1 == 40 })
        }
    }

    @Test("An invalid parameter set does not join two access units")
    func brokenParameterSet() throws {
        let accessUnits = try Self.split(VideoFixture(name: "slices.h264"))
        var splitter = H264AccessUnitSplitter()
        var starts = 0
        for accessUnit in accessUnits {
            for unit in accessUnit where try splitter.startsAccessUnit(unit.span.bytes) { starts += 1 }
            let broken: [UInt8] = [0x67, 0x64]
            #expect(throws: ParseError.self) { try splitter.startsAccessUnit(broken.span.bytes) }
        }
        #expect(starts == accessUnits.count)
    }

    @Test("H.264 samples are classified by random access type")
    func h264Summaries() throws {
        let recovery = try Self.split(VideoFixture(name: "recovery.h264")).map {
            try H264AccessUnit.summary(Self.sample($0).span.bytes, lengthSize: 4)
        }
        #expect(recovery[0].randomAccess == .idr(mayHaveLeadingPictures: false))
        #expect(recovery.allSatisfy { $0.startsWithDelimiter })
        #expect(recovery[0].hasParameterSets)
        let points = recovery.dropFirst().filter { $0.randomAccess == .recoveryPoint(frames: 0) }
        #expect(points.count == 3)
        #expect(points.allSatisfy { !$0.randomAccess.isSyncSample })
        let refresh = try Self.split(VideoFixture(name: "intra-refresh.h264")).map {
            try H264AccessUnit.summary(Self.sample($0).span.bytes, lengthSize: 4).randomAccess
        }
        #expect(refresh.contains { if case .recoveryPoint(let frames) = $0 { frames > 0 } else { false } })
        let slices = try Self.split(VideoFixture(name: "slices.h264")).map {
            try H264AccessUnit.summary(Self.sample($0).span.bytes, lengthSize: 4)
        }
        #expect(slices.allSatisfy { $0.sliceCount == 3 && !$0.startsWithDelimiter })
        #expect(slices.map(\.randomAccess.isSyncSample) == [true, false, false, false, true, false])
    }

    @Test("HEVC samples are classified by random access type")
    func hevcSummaries() throws {
        let open = try Self.split(VideoFixture(name: "hevc-open-gop.hevc")).map {
            try HEVCAccessUnit.summary(Self.sample($0).span.bytes, lengthSize: 4)
        }
        #expect(open.filter { $0.randomAccess == .cra }.count == 2)
        #expect(open.contains { $0.isLeading })
        #expect(open.allSatisfy { $0.startsWithDelimiter })
        #expect(open.filter(\.randomAccess.isSyncSample).allSatisfy { $0.hasParameterSets })
        let closed = try Self.split(VideoFixture(name: "hevc-closed.hevc")).map {
            try HEVCAccessUnit.summary(Self.sample($0).span.bytes, lengthSize: 4).randomAccess
        }
        #expect(closed.filter(\.isSyncSample).count == 2)
        #expect(!closed.contains(.cra))
    }

    @Test("H.264 samples are converted to access units with a delimiter, and with parameter sets before an IDR picture")
    func h264ByteStream() throws {
        let units = try VideoFixture(name: "slices.h264").units()
        let sps = try #require(units.first { $0[0] & 31 == 7 })
        let pps = try #require(units.first { $0[0] & 31 == 8 })
        let writer = ByteStreamWriter(
            try AVCConfigurationBox(sequenceParameterSets: [sps], pictureParameterSets: [pps])
        )
        let idr: [UInt8] = [0x65, 0x88]
        let code: [UInt8] = [0, 0, 0, 1]
        func write(_ units: [[UInt8]]) throws -> [UInt8]? {
            let sample = Self.sample(units)
            return try NALUnitsTests.write(writer.maximumSize(of: sample.count)) {
                try writer.write(sample.span.bytes, into: &$0)
            }
        }
        let full: [UInt8] = [code, [9, 0xF0], code, sps, code, pps, code, idr].flatMap { $0 }
        let plain: [UInt8] = [0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 1, 0x41, 0x9A]
        #expect(try write([idr]) == full)
        #expect(try write([[9, 0x10], idr]) == full)
        #expect(try write([[], [9, 0x10], idr]) == full)
        #expect(try write([sps, pps, idr]) == full)
        #expect(try write([[9, 0xF0], sps, pps, idr]) == full)
        #expect(try write([[0x41, 0x9A]]) == plain)
        let sample = Self.sample([idr])
        let cut = try NALUnitsTests.write(full.count - 1) { try writer.write(sample.span.bytes, into: &$0) }
        #expect(cut == nil)
    }

    @Test("HEVC samples are converted to access units with a delimiter and parameter sets")
    func hevcByteStream() throws {
        let units = try VideoFixture(name: "hevc-closed.hevc").units()
        let sets = (32...34).map { type in units.filter { $0[0] >> 1 == type }.prefix(1).map { $0 } }
        let box = try HEVCConfigurationBox(
            videoParameterSets: sets[0],
            sequenceParameterSets: sets[1],
            pictureParameterSets: sets[2]
        )
        let writer = ByteStreamWriter(box)
        let idr: [UInt8] = [0x28, 0x01, 0xAF]
        let sample = Self.sample([idr])
        let written = try NALUnitsTests.write(writer.maximumSize(of: sample.count)) {
            try writer.write(sample.span.bytes, into: &$0)
        }
        let all: [[UInt8]] = [[0x46, 0x01, 0x50]] + sets.flatMap { $0 } + [idr]
        let expected = all.flatMap { (unit: [UInt8]) -> [UInt8] in [0, 0, 0, 1] + unit }
        #expect(written == expected)
    }
}
