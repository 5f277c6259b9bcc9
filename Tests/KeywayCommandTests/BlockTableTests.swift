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
        "No byte of a block is dropped: each changed byte changes what is printed, as text and as JSON",
        arguments: payloads.filter(\.isSuccess)
    )
    func everyByte(vector: VectorFile) throws {
        for block in try TLLVSequence(parsing: vector.message) {
            let (text, json) = try printed(block.offset, of: vector.message)
            for offset in block.value.indices {
                var changed = vector.message
                changed[offset] ^= 1
                let (changedText, changedJSON) = try printed(block.offset, of: changed)
                #expect(text != changedText, "\(block.tag): byte \(offset - block.value.startIndex)")
                #expect(json != changedJSON, "\(block.tag): byte \(offset - block.value.startIndex)")
            }
            for offset in block.padding.indices {
                var changed = vector.message
                changed[offset] ^= 1
                #expect(try printed(block.offset, of: changed).json != json, "\(block.tag): the padding")
            }
        }
    }

    /// Returns the table of the block at an offset, as text and as JSON.
    private func printed(_ offset: Int, of payload: [UInt8]) throws -> (text: [String], json: String) {
        let block = try #require(try TLLVSequence(parsing: payload).first { $0.offset == offset })
        let table = BlockTables.table(block)
        return (TextRenderer(reveal: true).lines(table), JSONRenderer(reveal: true).json(table).indented)
    }

    @Test("Bytes that a later revision appends to a block are printed")
    func furtherBytes() throws {
        var random = SystemRandomNumberGenerator()
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 31)
        let block = TLLV(tag: .securityLevelReport, value: report.encodedValue + [0xca, 0xfe], using: &random)
        let text = TextRenderer().lines(BlockTables.table(block)).joined(separator: "\n")
        #expect(text.contains("further bytes           cafe"))
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
