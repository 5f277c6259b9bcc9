/// The record of one request for the operator. No field contains a secret.
///
/// Some text comes from clients. Instead of rejecting it, each field is truncated to its limit and its control
/// characters are replaced, so that a malformed request is still logged.
package struct AuditRecord: Sendable, Equatable {
    /// The time when the request arrived, in Unix milliseconds.
    package let milliseconds: Int64
    /// The route, as it is declared in the router: `/fps/license`. At most 100 bytes.
    package let route: String
    /// The result: `issued`, or the code of the error or refusal. At most 100 bytes.
    package internal(set) var outcome: String { didSet { outcome = clipped(outcome, 100) } }
    /// A description for operators. At most 2,000 bytes.
    package var detail: String? { didSet { detail = detail.map { clipped($0, 2_000) } } }
    /// The account: the token's subject. At most 200 bytes.
    package var account: String? { didSet { account = account.map { clipped($0, 200) } } }
    /// The transaction ID of the SPC.
    package var transactionID: UInt64?
    /// The session ID of the SPC's media playback state.
    package var sessionID: UInt64?
    /// The asset ID of the SPC, at most 200 bytes.
    package var assetID: [UInt8]? { didSet { assetID = assetID.map { Array($0.prefix(200)) } } }
    /// The keyed hash of the device's ID.
    package var device: DeviceHash?
    /// The device class that the device reported. At most 100 bytes.
    package var deviceClass: String? { didSet { deviceClass = deviceClass.map { clipped($0, 100) } } }
    /// The certificate bundle that decrypted the SPC. At most 100 bytes.
    package var bundleName: String? { didSet { bundleName = bundleName.map { clipped($0, 100) } } }
    /// The policy that determined the result. At most 100 bytes.
    package var policyName: String? { didSet { policyName = policyName.map { clipped($0, 100) } } }
    /// The request ID that the response contains. At most 100 bytes.
    package var requestID: String? { didSet { requestID = requestID.map { clipped($0, 100) } } }
    /// The client's address. At most 100 bytes.
    package var remoteAddress: String? { didSet { remoteAddress = remoteAddress.map { clipped($0, 100) } } }
    /// The time the server needed, in microseconds.
    package let microseconds: Int64
    /// The token or the system's user who made a change, for the history of policies. The log has no field for it:
    /// ``detail`` begins with it.
    package var actor: String?

    /// Creates a record. The other fields are set as they become known.
    package init(milliseconds: Int64, route: String, outcome: String, microseconds: Int64) {
        self.milliseconds = milliseconds
        self.route = clipped(route, 100)
        self.outcome = clipped(outcome, 100)
        self.microseconds = microseconds
    }
}

extension AuditRecord {
    /// Replaces the result, because the planned one did not happen.
    mutating func replaceOutcome(_ outcome: String, _ detail: String) {
        self.outcome = outcome
        self.detail = detail
    }
}

/// Returns the text truncated to a number of bytes, with its control characters replaced: SQLite ends a text at a zero
/// byte, and a terminal that displays the log must not interpret control characters.
func clipped(_ text: String, _ limit: Int) -> String {
    // The common case: nothing to change. C2 is the lead byte of the control characters beyond ASCII, and of other
    // characters.
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != 0xc2 }
    if isPlain, text.utf8.count <= limit { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        // The range of Unicode's category Cc, without a table lookup.
        let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
        let scalar = isControl ? "\u{FFFD}" : scalar
        guard result.utf8.count + UTF8.width(scalar) <= limit else { break }
        result.unicodeScalars.append(scalar)
    }
    return result
}
