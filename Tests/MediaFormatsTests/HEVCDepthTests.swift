import ByteCoding
import MediaFormats
import Testing

@Suite struct HEVCDepthTests {
    /// A sequence parameter set for 64 × 64 luma samples, written bit by bit from ITU-T H.265, 7.3.2.2.1.
    private func sequence(depthAbove8: Int) -> [UInt8] {
        func ue(_ value: Int) -> String {
            let digits = String(value + 1, radix: 2)
            return String(repeating: "0", count: digits.count - 1) + digits
        }
        var bits = ue(0) + ue(1) + ue(64) + ue(64) + "0" + ue(depthAbove8) + ue(depthAbove8)
        // Picture order, one set of sub-layer limits, block sizes, no tools, no reference sets, no VUI, no extension.
        bits += ue(0) + "1" + ue(0) + ue(0) + ue(0) + ue(0) + ue(1) + ue(0) + ue(0) + ue(0) + ue(0)
        bits += "0" + "0" + "0" + "0" + ue(0) + "0" + "0" + "0" + "0" + "0" + "1"
        while bits.count % 8 != 0 { bits += "0" }
        var bytes: [UInt8] = [0x42, 0x01, 0x01, 0x04, 0x08, 0xFF, 0xFF, 0xFF, 0x90, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x5D]
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(UInt8(bits.dropFirst(start).prefix(8), radix: 2) ?? 0)
        }
        return bytes
    }

    @Test(arguments: 0...7) func depthsThatTheBoxCanSay(depthAbove8: Int) throws {
        let set = sequence(depthAbove8: depthAbove8)
        let box = try HEVCConfigurationBox(
            videoParameterSets: [],
            sequenceParameterSets: [set],
            pictureParameterSets: []
        )
        #expect(box.lumaBitDepth == 8 + depthAbove8)
        let same = try RawBox(box).parse(as: HEVCConfigurationBox.self)
        #expect(same == box)
    }

    /// A regression test for a result of fuzzing: a bit depth of 16 was written to the box as 8.
    @Test func sixteenBitsAreRefused() {
        let set = sequence(depthAbove8: 8)
        let error = #expect(throws: ParseError.self) {
            try HEVCConfigurationBox(videoParameterSets: [], sequenceParameterSets: [set], pictureParameterSets: [])
        }
        #expect(error?.code == .notSupported)
    }
}
