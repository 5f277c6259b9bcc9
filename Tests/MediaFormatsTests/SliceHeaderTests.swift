import ByteCoding
import MediaFormats
import Testing

@Suite("Slice headers of H.264 and HEVC")
struct SliceHeaderTests {
    @Test("H.264 slice headers have the sizes that another implementation reports", arguments: VideoFixture.h264)
    func h264Lengths(fixture: VideoFixture) throws {
        var sets = H264ParameterSets()
        var found: [VideoFixture.Slice] = []
        for unit in try fixture.units() where try !sets.update(unit.span.bytes) {
            let type = H264NALHeader(rawValue: unit[0]).type
            guard type.isSlice else { continue }
            let header = try H264SliceHeader(unit.span.bytes, parameterSets: sets)
            found.append(.init(type: Int(type.rawValue), bits: header.bitCount, bytes: header.clearByteCount))
        }
        #expect(try found == fixture.expected())
        #expect(!found.isEmpty)
    }

    @Test("HEVC slice segment headers have the sizes that another implementation reports", arguments: VideoFixture.hevc)
    func hevcLengths(fixture: VideoFixture) throws {
        var sets = HEVCParameterSets()
        var found: [VideoFixture.Slice] = []
        for unit in try fixture.units() where try !sets.update(unit.span.bytes) {
            let type = HEVCNALUnitType(rawValue: unit[0] >> 1 & 63)
            guard type.isSlice else { continue }
            let header = try HEVCSliceHeader(unit.span.bytes, parameterSets: sets)
            #expect(header.bitCount.isMultiple(of: 8))
            found.append(.init(type: Int(type.rawValue), bits: header.bitCount, bytes: header.clearByteCount))
        }
        #expect(try found == fixture.expected())
        #expect(!found.isEmpty)
    }

    @Test(
        "A truncated slice header is an error at every byte; with one more byte it is read",
        arguments: VideoFixture.h264 + VideoFixture.hevc
    )
    func truncatedSlices(fixture: VideoFixture) throws {
        var parser = AnyParser(isHEVC: fixture.isHEVC)
        let expected = try fixture.expected()
        var index = 0
        for unit in try fixture.units() {
            guard let isSlice = try parser.feed(unit), isSlice else { continue }
            let length = expected[index].bytes
            index += 1
            for count in 0..<length {
                #expect(throws: ParseError(.truncated, reading: "", offset: 0)) {
                    try parser.slice(Array(unit[..<count]))
                }
            }
            #expect(try parser.slice(Array(unit[..<length])) == length)
        }
        #expect(index == expected.count)
    }

    @Test("A truncated parameter set does not crash", arguments: VideoFixture.h264 + VideoFixture.hevc)
    func truncatedParameterSets(fixture: VideoFixture) throws {
        for unit in try fixture.units() {
            var parser = AnyParser(isHEVC: fixture.isHEVC)
            var failures = 0
            guard try parser.isParameterSet(unit) else { continue }
            for count in 0..<unit.count {
                do { _ = try parser.feed(Array(unit[..<count])) } catch {
                    #expect(error is ParseError)
                    failures += 1
                }
            }
            #expect(failures > unit.count / 2, "hardly a cut was noticed")
        }
    }

    @Test("100,000 damaged streams neither crash nor hang")
    func bitFlips() throws {
        var generator = SeededGenerator(state: 1)
        let fixtures = VideoFixture.h264 + VideoFixture.hevc
        let streams = try fixtures.map { ($0.isHEVC, try $0.units()) }
        var refused = 0
        var accepted = 0
        for _ in 0..<10_000 {
            let (isHEVC, units) = streams[Int.random(in: 0..<streams.count, using: &generator)]
            var parser = AnyParser(isHEVC: isHEVC)
            let start = Int.random(in: 0..<units.count, using: &generator)
            for unit in units[..<min(3, units.count)] { _ = try? parser.feed(unit) }
            for index in 0..<10 {
                var unit = Array(units[(start + index) % units.count].prefix(120))
                // Parameter sets are damaged more often than by chance.
                if index < 3 { unit = units[index % min(3, units.count)] }
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let bit = Int.random(in: 8..<unit.count * 8, using: &generator)
                    unit[bit / 8] ^= 0x80 >> UInt8(bit % 8)
                }
                do {
                    _ = try parser.feed(unit)
                    accepted += 1
                } catch {
                    #expect(error is ParseError)
                    refused += 1
                }
            }
        }
        #expect(refused > 10_000)
        #expect(accepted > 10_000)
    }

    @Test("A slice with an unknown parameter set is rejected with that code")
    func unknownParameterSets() throws {
        let h264 = try #require(try VideoFixture(name: "slices.h264").units().first { $0[0] & 31 == 5 })
        #expect(throws: ParseError(.unknownParameterSet, reading: "", offset: 0)) {
            try H264SliceHeader(h264.span.bytes, parameterSets: H264ParameterSets())
        }
        let hevc = try #require(
            try VideoFixture(name: "hevc-wpp.hevc").units().first { $0[0] >> 1 == 20 || $0[0] >> 1 == 19 }
        )
        #expect(throws: ParseError(.unknownParameterSet, reading: "", offset: 0)) {
            try HEVCSliceHeader(hevc.span.bytes, parameterSets: HEVCParameterSets())
        }
    }

    @Test(
        "Data partitions and other layers are rejected as unsupported",
        arguments: [2, 3, 4, 19, 20, 21, 7] as [UInt8]
    )
    func unsupported(type: UInt8) throws {
        let unit: [UInt8] = [0x60 | type, 0x88, 0x84, 0x00]
        #expect(throws: ParseError(.unsupportedCodecFeature, reading: "", offset: 0)) {
            try H264SliceHeader(unit.span.bytes, parameterSets: H264ParameterSets())
        }
        let layer: [UInt8] = [0x02, 0x09, 0x80, 0x00]
        #expect(throws: ParseError(.unsupportedCodecFeature, reading: "", offset: 0)) {
            try HEVCSliceHeader(layer.span.bytes, parameterSets: HEVCParameterSets())
        }
    }

    @Test("A picture parameter set before its sequence parameter set is usable after that has been read")
    func order() throws {
        let units = try VideoFixture(name: "slices.h264").units()
        let sequence = try #require(units.first { $0[0] & 31 == 7 })
        let picture = try #require(units.first { $0[0] & 31 == 8 })
        let slice = try #require(units.first { $0[0] & 31 == 5 })
        var sets = H264ParameterSets()
        try sets.update(picture.span.bytes)
        #expect(throws: ParseError(.unknownParameterSet, reading: "", offset: 0)) {
            try H264SliceHeader(slice.span.bytes, parameterSets: sets)
        }
        try sets.update(sequence.span.bytes)
        _ = try H264SliceHeader(slice.span.bytes, parameterSets: sets)
    }
}

/// A common interface for both codecs.
struct AnyParser {
    let isHEVC: Bool
    var h264 = H264ParameterSets()
    var hevc = HEVCParameterSets()

    init(isHEVC: Bool) { self.isHEVC = isHEVC }

    func isParameterSet(_ unit: [UInt8]) throws -> Bool {
        isHEVC ? (33...34).contains(unit[0] >> 1 & 63) : (7...8).contains(unit[0] & 31)
    }

    /// Returns whether the NAL unit is a slice; nil for other NAL units.
    mutating func feed(_ unit: [UInt8]) throws -> Bool? {
        if isHEVC {
            if try hevc.update(unit.span.bytes) { return nil }
            guard let type = HEVCNALHeader(unit.span.bytes)?.type else {
                throw ParseError(.truncated, reading: "", offset: 0)
            }
            if type == .videoParameterSet { _ = try HEVCVideoParameterSet(unit.span.bytes) }
            if type == .prefixSEI { _ = try SEIMessage.messages(unit.span.bytes, headerSize: 2) }
            guard type.isSlice else { return nil }
        } else {
            if try h264.update(unit.span.bytes) { return nil }
            guard let first = unit.first else { throw ParseError(.truncated, reading: "", offset: 0) }
            if first & 31 == 6 { _ = try SEIMessage.messages(unit.span.bytes, headerSize: 1) }
            guard H264NALHeader(rawValue: first).type.isSlice else { return nil }
        }
        _ = try slice(unit)
        return true
    }

    func slice(_ unit: [UInt8]) throws -> Int {
        isHEVC
            ? try HEVCSliceHeader(unit.span.bytes, parameterSets: hevc).clearByteCount
            : try H264SliceHeader(unit.span.bytes, parameterSets: h264).clearByteCount
    }
}
