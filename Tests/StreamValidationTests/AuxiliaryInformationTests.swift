import Testing

@testable import StreamValidation

@Suite("The sizes in saiz are compared with the entries in senc")
struct AuxiliaryInformationTests {
    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(8 + content.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    /// Entries with one and two subsamples: 8 and 14 bytes without initialization vectors.
    private static let entries: [UInt8] =
        [0, 0, 0, 2, 0, 0, 0, 2] + [0, 1, 0, 9, 0, 0, 0, 16] + [0, 2, 0, 9, 0, 0, 0, 16, 0, 9, 0, 0, 0, 16]

    private static func hasWrongSizes(
        _ saiz: [UInt8],
        _ senc: [UInt8] = entries,
        ivSize: Int? = 0,
        extra: [UInt8] = []
    ) -> Bool {
        let header = box("tfhd", [0, 2, 0, 0, 0, 0, 0, 1])
        let fragment = box("traf", header + box("saiz", saiz) + box("senc", senc) + extra)
        let bytes = box("moof", fragment)
        return MovieStructure(bytes.span.bytes, ivSizes: ivSize.map { [1: $0] } ?? [:]).hasWrongAuxiliarySizes
    }

    @Test("each by itself, or all by their default")
    func sizes() {
        #expect(!Self.hasWrongSizes([0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 14]))
        #expect(Self.hasWrongSizes([0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 16]))
        #expect(Self.hasWrongSizes([0, 0, 0, 0, 0, 0, 0, 0, 1, 8]), "another number of samples")
        #expect(Self.hasWrongSizes([0, 0, 0, 0, 8, 0, 0, 0, 2]), "a default that is not that of all")
        let equal = Array(Self.entries.prefix(4)) + [0, 0, 0, 1] + Self.entries[8..<16]
        #expect(!Self.hasWrongSizes([0, 0, 0, 0, 8, 0, 0, 0, 1], equal))
    }

    @Test("with initialization vectors")
    func vectors() {
        let entry: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 8) + [0, 1, 0, 9, 0, 0, 0, 16]
        #expect(!Self.hasWrongSizes([0, 0, 0, 0, 16, 0, 0, 0, 1], entry, ivSize: 8))
        #expect(Self.hasWrongSizes([0, 0, 0, 0, 8, 0, 0, 0, 1], entry, ivSize: 8))
    }

    @Test("only if they are known")
    func unknown() {
        let wrong: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 16]
        #expect(!Self.hasWrongSizes(wrong, ivSize: nil))
        #expect(!Self.hasWrongSizes(wrong, extra: Self.box("sgpd", [])), "a group may have other vectors")
        #expect(!Self.hasWrongSizes([0, 0, 0, 1] + Array("abcd".utf8) + [0, 0, 0, 0] + wrong.dropFirst(4)))
        for length in Self.entries.indices {
            // What is damaged is a matter of other rules; it must not end the program.
            _ = Self.hasWrongSizes(wrong, Array(Self.entries.prefix(length)))
        }
    }
}
