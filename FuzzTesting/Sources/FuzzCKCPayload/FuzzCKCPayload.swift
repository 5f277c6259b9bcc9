import ByteCoding
import FPSMessages

/// The decrypted payload of a CKC: every typed block that was parsed writes the same value again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(ParseError) {
        let payload = try CKCPayload(parsing: input)
        precondition(payload.blocks.encoded == input)
        let contents: [(any TLLVContent)?] = [
            payload.encryptedContentKey, payload.r1, payload.contentKeyDuration, payload.requiredSecurityLevel,
            payload.offlineKey, payload.hdcpEnforcement,
        ]
        for content in contents.compactMap({ $0 }) {
            precondition(payload.blocks[type(of: content).tag]?.value == content.encodedValue[...])
        }
        precondition(!(payload.offlineKey != nil && payload.contentKeyDuration != nil))
    } catch {
        precondition((0...count).contains(error.offset))
    }
    return 0
}
