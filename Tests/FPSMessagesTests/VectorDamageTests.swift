import ByteCoding
import FPSMessages
import Testing
import VectorFiles

/// Tests of every valid vector, truncated at every byte and with every bit of its lengths flipped.
@Suite("Damaged vectors")
struct VectorDamageTests {
    private static func accepted(_ folder: String) throws -> [VectorFile] {
        try VectorFile.all(in: folder).filter { $0.isSuccess && !$0.message.isEmpty }
    }

    @Test("A truncated container, or a container with a wrong length, is refused", arguments: ["spc", "ckc"])
    func containers(folder: String) throws {
        func read(_ bytes: [UInt8]) -> ParseError? {
            parseError { () throws(ParseError) in
                if folder == "spc" { _ = try SPCMessage(parsing: bytes) } else { _ = try CKCMessage(parsing: bytes) }
            }
        }
        for vector in try Self.accepted(folder) {
            let message = vector.message
            #expect(read(message) == nil)
            var accepted: [Int] = []
            for count in 0..<message.count where read(Array(message.prefix(count)))?.code != .truncated {
                accepted.append(count)
            }
            #expect(accepted.isEmpty, "\(vector.name): cut to \(accepted) bytes")
            let lengthField = folder == "ckc" ? 24 : message[3] == 1 ? 172 : 300
            for bit in 0..<32 {
                var wrong = message
                wrong[lengthField + bit / 8] ^= 0x80 >> UInt8(bit % 8)
                let code = read(wrong)?.code
                #expect(
                    code == .truncated || code == .trailingBytes || code == .lengthNotMultipleOf16,
                    "\(vector.name): bit \(bit)"
                )
            }
        }
    }

    @Test(
        "A payload that is cut off is refused, except where a block ends",
        arguments: ["tllv", "spc-payload", "ckc-payload"]
    )
    func payloads(folder: String) throws {
        for vector in try Self.accepted(folder) {
            let blocks = try TLLVSequence(parsing: vector.message)
            let ends = Set(blocks.map { $0.offset + $0.encoded.count } + [0])
            for count in 0..<vector.message.count where !ends.contains(count) {
                let cut = Array(vector.message.prefix(count))
                let code = parseError { () throws(ParseError) in _ = try TLLVSequence(parsing: cut) }?.code
                #expect(code == .truncated, "\(vector.name): cut to \(count) bytes")
            }
        }
    }

    @Test(
        "A flipped bit in a length is refused, or shows in what is read",
        arguments: ["tllv", "spc-payload", "ckc-payload"]
    )
    func lengths(folder: String) throws {
        for vector in try Self.accepted(folder) {
            let blocks = try TLLVSequence(parsing: vector.message)
            for block in blocks {
                for bit in 0..<64 {
                    var wrong = vector.message
                    wrong[block.offset + 8 + bit / 8] ^= 0x80 >> UInt8(bit % 8)
                    guard let read = try? TLLVSequence(parsing: wrong) else { continue }
                    let before = blocks.map { Array($0.value) }
                    let after = read.map { Array($0.value) }
                    #expect(before != after, "\(vector.name): bit \(bit) of \(block.tag)")
                }
            }
        }
    }
}
