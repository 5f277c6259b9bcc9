import FPSMessages
import KeyServerModule
import TextCoding

/// The properties that a device reports in an SPC, for the operator's service and for headers of a response.
///
/// None of them identifies a device: two devices of the same model and OS version have the same ones. Except for
/// [SK...R1] an SPC has no integrity value, so they are for statistics and messages; a policy enforces them, and also
/// considers what the device reported earlier.
package struct DeviceInformation: Sendable, Hashable {
    /// The kind of device: `appleMobile` and so on as in a policy, `partner`, or `unknown`.
    let deviceClass: String
    /// The OS version, such as `17.4.0`; nil if the device does not report one.
    let osVersion: String?
    /// The security level, `main` or `baseline`; nil if the device does not report one.
    let securityLevel: String?
    /// True if the device enforces the HDCP type that a CKC requires.
    let enforcesHDCP: Bool
    /// True if the device supports the Offline Key TLLV, which persistent keys need.
    let supportsOfflineKeys: Bool
    /// True if the device is a virtual machine.
    let isVirtualMachine: Bool
    /// The place where the content will be displayed: `device`, `airPlay` or `adapter`.
    let output: String
    /// The version of a Mac's Kext Deny List; nil if the device does not report one.
    let kextDenyListVersion: Int?

    /// Creates the information from a device's reports in an SPC.
    init(_ device: ReportedDevice) {
        switch device.kind {
        case .apple(let kind): deviceClass = kind.rawValue
        case .partner: deviceClass = "partner"
        case .unknown: deviceClass = "unknown"
        }
        osVersion = device.osVersion.map { "\($0)" }
        switch device.securityLevel {
        case SecurityLevel.main?: securityLevel = "main"
        case SecurityLevel.baseline?: securityLevel = "baseline"
        default: securityLevel = nil
        }
        enforcesHDCP = device.capabilities.has(.hdcpEnforcement)
        supportsOfflineKeys = device.capabilities.has(.offlineKey) || device.capabilities.has(.offlineKeyVersion2)
        isVirtualMachine = device.isVirtualMachine
        switch device.route {
        case .local: output = "device"
        case .airPlay: output = "airPlay"
        case .digitalAVAdapter: output = "adapter"
        }
        kextDenyListVersion = device.kextDenyListVersion.map { Int($0) }
    }

    /// The information as a JSON object, without what the device does not report.
    var json: JSONValue {
        .fields([
            ("class", .string(deviceClass)),
            ("osVersion", osVersion.map { .string($0) }),
            ("securityLevel", securityLevel.map { .string($0) }),
            ("enforcesHDCP", .bool(enforcesHDCP)),
            ("supportsOfflineKeys", .bool(supportsOfflineKeys)),
            ("virtualMachine", .bool(isVirtualMachine)),
            ("output", .string(output)),
            ("kextDenyListVersion", kextDenyListVersion.map { .integer($0) }),
        ])
    }
}
