import ByteCoding
import FPSMessages

/// SPC and CKC containers: parsed data is written byte by byte, and the location of every error is within the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(ParseError) {
        let message = try SPCMessage(parsing: input)
        precondition(message.encoded == input)
    } catch {
        precondition((0...count).contains(error.offset))
    }
    do throws(ParseError) {
        let message = try CKCMessage(parsing: input)
        precondition(message.encoded == input)
    } catch {
        precondition((0...count).contains(error.offset))
    }
    return 0
}
