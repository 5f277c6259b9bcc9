import FPSMessages
import KeyServerModule

/// What became of one request for a license or a key, as far as the dashboard shows it. Nothing in it is secret; all of it is
/// in the audit log too, but for those refusals of which there are too many to record.
struct ActivityEvent: Sendable {
    /// What a client is.
    struct Client: Sendable, Hashable {
        /// The class: `appleMobile`, `clearKey`.
        let kind: String
        /// The operating system's major version, where it is reported.
        let system: Int?
        /// The security level, where one is reported.
        let level: String?
    }

    /// When it was answered, in milliseconds since 1970.
    let milliseconds: Int64
    let route: String
    let outcome: ServerMetrics.Outcome
    /// Why not: the rule, or the type of the problem.
    var reason: String?
    /// How long it took; nil where nothing was measured.
    var microseconds: Int?
    var client: Client?
    /// The version as the device spells it.
    var osVersion: String?
    var account: String?
    var assetID: [UInt8]?
    var policyName: String?
    /// What a policy could decide about again.
    var facts: RequestFacts?
}

extension ActivityEvent.Client {
    /// What an SPC says of its device.
    init(_ device: ReportedDevice) {
        kind = device.name
        system = device.osVersion.map { Int($0.rawValue >> 16 & 0xff) }
        level = device.securityLevel?.name
    }
}
