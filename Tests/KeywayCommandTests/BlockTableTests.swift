import ByteCoding
import FPSMessages
import Testing
import TextCoding
import VectorFiles

@testable import keyway

/// Tests of blocks printed as tables of fields.
@Suite("Blocks as tables")
struct BlockTableTests {
    private static let payloads: [VectorFile] =
        ((try? VectorFile.all(in: "spc-payload")) ?? []) + ((try? VectorFile.all(in: "ckc-payload")) ?? [])

    @Test("Every block of every payload has a table", arguments: payloads)
    func all(vector: VectorFile) throws {
        let (blocks, error) = SPCInspection.blocks(vector.message)
        if error == nil { #expect(blocks?.encoded == vector.message) }
        for block in blocks.map(Array.init) ?? [] {
            let table = BlockTables.table(block)
            #expect(table.heading.first { $0.name == "offset" } != nil)
            #expect(!TextRenderer().lines(table).isEmpty)
            // Blocks that the guide names are printed field by field, or with the reason why they cannot be parsed.
            let isShownAsIs = table.fields.map(\.name) == ["value"]
            #expect(isShownAsIs == (block.tag.name == nil), "\(block.tag)")
        }
    }

    @Test(
        "The blocks before damaged ones are printed",
        arguments: [
            ("spc-payload/duplicate-tag", 1), ("ckc-payload/truncated", 1), ("ckc-payload/value-longer-than-block", 0),
        ]
    )
    func damage(name: String, least: Int) throws {
        let vector = try VectorFile(path: "\(name).txt")
        let (blocks, error) = SPCInspection.blocks(vector.message)
        #expect(error?.code.rawValue == vector.error)
        let found = try #require(blocks)
        #expect(found.count >= least)
        #expect(vector.message.starts(with: found.encoded))
    }

    @Test("R1 is hidden even if it cannot be parsed", arguments: ["r1-43-bytes", "r1-45-bytes"])
    func damagedR1(name: String) throws {
        let vector = try VectorFile(path: "ckc-payload/\(name).txt")
        let blocks = try TLLVSequence(parsing: vector.message)
        let r1 = try #require(blocks[.r1])
        let text = TextRenderer().lines(BlockTables.payload(blocks)).joined()
        #expect(text.contains("\(r1.value.count) bytes, hidden"))
        #expect(!text.contains(Hexadecimal.encode(r1.value.prefix(16))))
    }
}
