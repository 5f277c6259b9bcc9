import ByteCoding
import MediaFormats
import Testing

@Suite("MP4 box tree")
struct MP4BoxTreeTests {
    @Test("contains the boxes and their important fields")
    func fields() throws {
        let bytes = try MP4Fixture.encrypted.bytes
        let tree = BoxTree(reading: bytes.span.bytes)
        #expect(tree.problem == nil)
        #expect(!tree.isTruncated)
        #expect(tree.boxes.map(\.type) == ["ftyp", "moov", "free", "mdat"])
        #expect(tree.boxes.reduce(0) { $0 + $1.size } == bytes.count)
        let lines = tree.description.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        #expect(lines.contains { $0.hasPrefix("encv") && $0.contains("width=64 height=48") })
        #expect(lines.contains { $0.hasPrefix("tenc") && $0.contains("KID=0123456789abcdef0123456789abcdef") })
        #expect(lines.contains { $0.hasPrefix("esds") && $0.contains("objectTypeIndication=0x40") })
        #expect(!lines.contains { $0.hasPrefix("!") })
    }

    @Test("contains the error of a damaged file and the boxes before it")
    func broken() throws {
        let bytes = try MP4Fixture.encrypted.bytes
        let cut = BoxTree(reading: Array(bytes.prefix(700)).span.bytes)
        #expect(cut.boxes.map(\.type) == ["ftyp", "moov"])
        #expect(cut.boxes.last?.children.first?.type == "mvhd")
        #expect(cut.description.contains("!"))
        let tail = BoxTree(reading: (bytes + [0, 0, 0, 3, 65, 65, 65, 65]).span.bytes)
        #expect(tail.boxes.count == 4)
        #expect(tail.problem?.offset == bytes.count)
    }

    @Test("limits the depth and the number of boxes")
    func limits() {
        var nested: [UInt8] = []
        for _ in 0..<100 { nested = written { writer in writer.box("moov") { $0.write(nested) } } }
        let deep = BoxTree(reading: nested.span.bytes)
        #expect(deep.description.contains("nested more than 16 levels deep"))
        let many = written { writer in for _ in 0..<500 { writer.box("free") { _ in } } }
        let tree = BoxTree(reading: many.span.bytes, maximumCount: 100)
        #expect(tree.boxes.count == 100)
        #expect(tree.isTruncated)
    }
}
