import FPSMessages
import KeyServerModule
import VirtualDevice

/// A rule of a policy, and a device whose unchanged SPCs it refuses.
struct TamperingRule: Sendable {
    let name: String
    let policy: String
    /// The rule with `requireReport`, if it supports that.
    var strictPolicy: String?
    let profile: DeviceProfile
    var output: DeviceProfile.Output?
    /// The modification of the SPC before the device encrypts it.
    var mutations: [SPCMutation] = []
    /// The reason of the refusal.
    let reason: String
    /// True if an earlier report of the device refuses its later requests.
    var binds = true

    /// Every rule that depends on a block of the SPC.
    static let all: [TamperingRule] = {
        var oldMac = DeviceProfile.mac
        oldMac.kextDenyListVersion = 30
        let versions =
            #"{"appleMobile": "20.0.0", "appleDesktop": "20.0.0", "appleLiving": "20.0.0", "appleSpatial": "20.0.0"}"#
        func version(_ name: String, _ profile: DeviceProfile) -> TamperingRule {
            TamperingRule(
                name: "osVersions, \(name)",
                policy: #"{"osVersions": \#(versions)}"#,
                strictPolicy: #"{"osVersions": {"value": \#(versions), "requireReport": true}}"#,
                profile: profile,
                reason: "os-version-too-old",
                binds: false
            )
        }
        return [
            TamperingRule(
                name: "virtualMachines",
                policy: #"{"virtualMachines": "deny"}"#,
                strictPolicy: #"{"virtualMachines": {"value": "deny", "requireReport": true}}"#,
                profile: .virtualMachine,
                reason: "virtual-machine"
            ),
            TamperingRule(
                name: "securityLevel, Apple Watch",
                policy: #"{"securityLevel": "main"}"#,
                strictPolicy: #"{"securityLevel": {"value": "main", "requireReport": true}}"#,
                profile: .appleWatch,
                reason: "security-level-too-low"
            ),
            TamperingRule(
                name: "minimumKDL",
                policy: #"{"securityLevel": "main", "minimumKDL": 31}"#,
                strictPolicy: #"{"securityLevel": {"value": "main", "requireReport": true}, "minimumKDL": 31}"#,
                profile: oldMac,
                reason: "security-level-too-low"
            ),
            version("iPhone", .iPhone), version("iPad", .iPad), version("Mac", .mac), version("Apple TV", .appleTV),
            version("Vision Pro", .visionPro),
            TamperingRule(
                name: "airplay",
                policy: #"{"airplay": "deny"}"#,
                strictPolicy: #"{"airplay": {"value": "deny", "requireReport": true}}"#,
                profile: .appleTV,
                output: .airPlay,
                reason: "airplay-denied",
                binds: false
            ),
            TamperingRule(
                name: "airplay, television",
                policy: #"{"airplay": "deny"}"#,
                strictPolicy: #"{"airplay": {"value": "deny", "requireReport": true}}"#,
                profile: .partnerTV,
                reason: "airplay-denied",
                binds: false
            ),
            TamperingRule(
                name: "adapter",
                policy: #"{"adapter": "deny"}"#,
                strictPolicy: #"{"adapter": {"value": "deny", "requireReport": true}}"#,
                profile: .iPhone,
                output: .digitalAVAdapter,
                reason: "adapter-denied",
                binds: false
            ),
            TamperingRule(
                name: "hdcp",
                policy: #"{"hdcp": "type1"}"#,
                profile: .appleWatch,
                reason: "hdcp-not-enforceable",
                binds: false
            ),
            TamperingRule(
                name: "maximumSPCAge",
                policy: #"{"maximumSPCAge": "PT10M"}"#,
                profile: .iPhone,
                mutations: [.createdAt(UInt32(LicenseServer.time - 3_600))],
                reason: "spc-too-old",
                binds: false
            ),
            TamperingRule(
                name: "undatedSPC",
                policy: #"{"undatedSPC": "deny"}"#,
                profile: .iPhone,
                mutations: [.omitting(.mediaPlaybackState)],
                reason: "playback-state-missing",
                binds: false
            ),
            TamperingRule(
                name: "unclassifiedDevices",
                policy: #"{"osVersions": {"appleMobile": "1.0.0"}}"#,
                profile: .iPhone,
                mutations: [.omitting(.deviceIdentity), .omitting(.deviceInfo)],
                reason: "device-class-unknown",
                binds: false
            ),
            TamperingRule(
                name: "halted playback",
                policy: #"{}"#,
                profile: .iPhone,
                mutations: [.playbackState(0x5991_bf20)],
                reason: "playback-halted",
                binds: false
            ),
        ]
    }()
}
