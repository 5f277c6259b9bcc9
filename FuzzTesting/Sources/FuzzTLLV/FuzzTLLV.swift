import ByteCoding
import FPSMessages

/// TLLV framing: parsed data is written byte by byte, tags are unique, and each error's location is within the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(ParseError) {
        let blocks = try TLLVSequence(parsing: input)
        precondition(blocks.encoded == input)
        precondition(Set(blocks.map(\.tag)).count == blocks.count)
        for block in blocks { precondition(blocks[block.tag] == block && block.encoded.count.isMultiple(of: 16)) }
    } catch {
        precondition((0...count).contains(error.offset))
    }
    return 0
}
