/// What happened to one request, for the operator's eyes. No field takes a secret.
///
/// Text comes in part from clients, so that each field is cut to its limit, and its control characters are replaced,
/// instead of being refused: a request must not escape the log by being odd.
package struct AuditRecord: Sendable, Equatable {
    /// When the request arrived, in Unix milliseconds.
    package let milliseconds: Int64
    /// The route, as it stands in the router: `/fps/license`. At most 100 bytes.
    package let route: String
    /// What came of it: `issued`, or the code of the error or refusal. At most 100 bytes.
    package internal(set) var outcome: String { didSet { outcome = clipped(outcome, 100) } }
    /// The whole story, for people. At most 2,000 bytes.
    package var detail: String? { didSet { detail = detail.map { clipped($0, 2_000) } } }
    /// Who asked: the token's subject. At most 200 bytes.
    package var account: String? { didSet { account = account.map { clipped($0, 200) } } }
    /// The transaction ID of the SPC.
    package var transactionID: UInt64?
    /// The session ID of the SPC's media playback state.
    package var sessionID: UInt64?
    /// The asset ID of the SPC, at most 200 bytes.
    package var assetID: [UInt8]? { didSet { assetID = assetID.map { Array($0.prefix(200)) } } }
    /// Stands for the device.
    package var device: DeviceHash?
    /// The class that the device gave for itself. At most 100 bytes.
    package var deviceClass: String? { didSet { deviceClass = deviceClass.map { clipped($0, 100) } } }
    /// The certificate bundle that opened the SPC. At most 100 bytes.
    package var bundleName: String? { didSet { bundleName = bundleName.map { clipped($0, 100) } } }
    /// The policy that decided. At most 100 bytes.
    package var policyName: String? { didSet { policyName = policyName.map { clipped($0, 100) } } }
    /// The ID that the answer to the request carried. At most 100 bytes.
    package var requestID: String? { didSet { requestID = requestID.map { clipped($0, 100) } } }
    /// The address that the request came from. At most 100 bytes.
    package var remoteAddress: String? { didSet { remoteAddress = remoteAddress.map { clipped($0, 100) } } }
    /// How long the server took, in microseconds.
    package let microseconds: Int64

    /// Makes a record; the other fields are set one by one as they become known.
    package init(milliseconds: Int64, route: String, outcome: String, microseconds: Int64) {
        self.milliseconds = milliseconds
        self.route = clipped(route, 100)
        self.outcome = clipped(outcome, 100)
        self.microseconds = microseconds
    }
}

extension AuditRecord {
    /// What was planned did not come about.
    mutating func replaceOutcome(_ outcome: String, _ detail: String) {
        self.outcome = outcome
        self.detail = detail
    }
}

/// Cuts a text to a number of bytes, and takes the control characters out of it: SQLite ends a text at a zero, and a
/// terminal that shows the log should not obey it.
func clipped(_ text: String, _ limit: Int) -> String {
    // Nearly always there is nothing to do. C2 begins the control characters beyond ASCII, and others.
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != 0xc2 }
    if isPlain, text.utf8.count <= limit { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        // Unicode's category Cc, without looking it up.
        let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
        let scalar = isControl ? "\u{FFFD}" : scalar
        guard result.utf8.count + UTF8.width(scalar) <= limit else { break }
        result.unicodeScalars.append(scalar)
    }
    return result
}
