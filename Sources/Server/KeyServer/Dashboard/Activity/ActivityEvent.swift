import FPSMessages
import KeyServerModule

/// The result of one request for a license or a key, as shown by the dashboard. It contains no secrets. The audit log
/// contains the same information, except for refusals beyond its budget.
struct ActivityEvent: Sendable {
    /// The class of a client.
    struct Client: Sendable, Hashable {
        /// The client class, such as `appleMobile` or `clearKey`.
        let kind: String
        /// The major version of the operating system, if it is reported.
        let system: Int?
        /// The security level, if it is reported.
        let level: String?
    }

    /// The time of the response, in milliseconds since 1970.
    let milliseconds: Int64
    let route: String
    let outcome: ServerMetrics.Outcome
    /// The reason of a refusal: the rule, or the type of the problem.
    var reason: String?
    /// The duration; nil if it was not measured.
    var microseconds: Int?
    var client: Client?
    /// The version as reported by the device.
    var osVersion: String?
    var account: String?
    var assetID: [UInt8]?
    /// The title of a key period.
    var title: String?
    var policyName: String?
    /// The name of the certificate bundle that decrypted the SPC.
    var bundleName: String?
    /// The facts that a policy trial can evaluate again.
    var facts: RequestProperties?
}

extension ActivityEvent.Client {
    /// Creates a client from the report of a device.
    init(_ device: ReportedDevice) {
        kind = device.name
        system = device.osVersion.map { Int($0.rawValue >> 16 & 0xff) }
        level = device.securityLevel?.name
    }

    /// Creates a client without FairPlay.
    init(_ client: OtherClientKind) {
        self.init(kind: client.rawValue, system: nil, level: nil)
    }
}
