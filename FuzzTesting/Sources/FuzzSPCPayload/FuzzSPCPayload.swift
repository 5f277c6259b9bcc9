import ByteCoding
import FPSMessages

/// The decrypted payload of an SPC: every typed block that was parsed writes the same value again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(ParseError) {
        let payload = try SPCPayload(parsing: input)
        let request = payload.request
        precondition(payload.blocks.encoded == input)
        let contents: [(any TLLVContent)?] = [
            payload.sessionKeyAndR1, payload.sessionKeyAndR1Integrity, payload.antiReplaySeed, payload.r2,
            payload.tagReturnRequest, payload.protocolVersionsSupported, payload.protocolVersionUsed, request.assetID,
            request.transactionID, request.streamingIndicator, request.mediaPlaybackState, request.capabilities,
            request.deviceIdentity, request.deviceInfo, request.sync, request.kextDenyListVersion,
            request.securityLevelReport, request.vmDeviceInformation,
        ]
        for content in contents.compactMap({ $0 }) {
            let value = payload.blocks[type(of: content).tag]?.value ?? []
            // Blocks with a device's description may be longer than the known fields.
            precondition(value.starts(with: content.encodedValue))
        }
    } catch {
        precondition((0...count).contains(error.offset))
    }
    return 0
}
