public import FPSMessages
import TextCoding

/// A rule that allows or refuses a license request.
public protocol LicenseCheck: Sendable {
    /// Returns the verdict for a license request.
    func decide(_ question: LicenseCheckInput) -> Verdict
}

/// The result of a rule.
public enum Verdict: Sendable, Equatable {
    /// The rule allows the request.
    case allow
    /// The rule refuses the request with this error.
    case refuse(KSMError)

    static func refuse(_ code: KSMError.Code, _ reason: String) -> Verdict {
        .refuse(KSMError(.policy, code, reason))
    }
}

/// The data that the rules inspect.
public struct LicenseCheckInput: Sendable {
    /// The policy of the content.
    public let policy: LicensePolicy
    /// The type of track that the key encrypts.
    public let track: TrackKind
    /// The request in the SPC.
    public let request: SPCRequest
    /// The device's properties as reported in the SPC.
    public let device: ReportedDevice
    /// The settings of the server.
    public let configuration: KSM.Configuration
    /// The time, in seconds since 1970.
    public let now: Int64
    /// The client's address; nil if it is unknown.
    public var remoteAddress: String? = nil
    /// The request's `Origin` header, which browsers send and apps do not.
    public var origin: String? = nil
}

extension LicenseCheckInput {
    /// Returns a refusal if the policy requires the report of a rule and the SPC does not contain it; nil otherwise.
    fileprivate func missingReport(_ rule: LicensePolicy.ReportedRule, _ what: String) -> Verdict? {
        guard policy.requiredReports.contains(rule), !device.reports.contains(rule) else { return nil }
        return .refuse(.reportMissing, "\(rule.rawValue) requires a report, and the SPC does not report \(what)")
    }

    /// The refusal of a rule about device classes if the device does not report a known class; nil otherwise.
    fileprivate var unknownClass: Verdict? {
        guard device.kinds.isEmpty, policy.unclassifiedDevices != .allow else { return nil }
        return .refuse(.deviceClassUnknown, "the device does not report a known device class")
    }
}

/// The rules that apply to every key request, in this order.
public enum LicenseChecks {
    /// All rules.
    public static let all: [any LicenseCheck] = [
        NetworkCheck(), OriginCheck(),
        PlaybackStateCheck(), SPCAgeCheck(), RouteCheck(), VirtualMachineCheck(), OSVersionCheck(),
        SecurityLevelCheck(),
        HDCPCheck(),
    ]
}

/// A check of the playback state: a halted player gets no key, and a policy with a time limit requires a playback state
/// in the SPC.
public struct PlaybackStateCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        let policy = question.policy
        guard let state = question.request.mediaPlaybackState?.state else {
            return policy.needsPlaybackState
                ? .refuse(
                    .playbackStateMissing,
                    "lease, rental and persistence require a media playback state in the SPC"
                )
                : .allow
        }
        switch state {
        case .readyToStart, .playingOrPaused, .leaseAboutToExpire: return .allow
        case .halted: return .refuse(.playbackHalted, "playback has halted")
        default: return .refuse(.playbackStateUnknown, "the playback state is unknown")
        }
    }
}

/// A check that an SPC is recent and not from the future. The policy decides about an SPC without a creation date.
public struct SPCAgeCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        guard let made = question.request.mediaPlaybackState?.creationDate else {
            guard question.configuration.maximumSPCAge != nil else { return .allow }
            return (question.policy.undatedSPC ?? .deny) == .allow
                ? .allow : .refuse(.playbackStateMissing, "the SPC has no creation date")
        }
        return Self.decide(
            made: made,
            maximum: question.policy.maximumSPCAge,
            configuration: question.configuration,
            now: question.now
        )
    }

    /// Returns the verdict for the creation date of any SPC. If `maximum` is nil, the server's maximum age applies.
    public static func decide(
        made: UInt32,
        maximum: Seconds? = nil,
        configuration: KSM.Configuration,
        now: Int64
    ) -> Verdict {
        guard let limit = configuration.maximumSPCAge else { return .allow }
        let age = now - Int64(made)
        let maximum = maximum ?? limit
        if age > Int64(maximum.rawValue) {
            return .refuse(
                .spcTooOld,
                "the SPC is \(counted(age, "second")) old; at most \(maximum.rawValue) are allowed"
            )
        }
        let ahead = configuration.maximumClockAhead
        if -age > Int64(ahead.rawValue) {
            return .refuse(
                .spcDateInFuture,
                "the SPC's creation date is \(counted(-age, "second")) ahead of this server; "
                    + "at most \(ahead.rawValue) are allowed"
            )
        }
        return .allow
    }
}

/// A check that refuses AirPlay and the digital AV adapter if the policy denies them.
public struct RouteCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        let policy = question.policy
        switch question.device.route {
        case .airPlay where policy.airplay == .deny: return .refuse(.airPlayDenied, "AirPlay is denied")
        case .digitalAVAdapter where policy.adapter == .deny:
            return .refuse(.adapterDenied, "the digital AV adapter is denied")
        default: break
        }
        for (rule, permission) in [(LicensePolicy.ReportedRule.airplay, policy.airplay), (.adapter, policy.adapter)]
        where permission == .deny {
            if let missing = question.missingReport(rule, "where the content is displayed") { return missing }
        }
        return .allow
    }
}

/// A check that refuses virtual machines unless the policy allows them.
public struct VirtualMachineCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        guard question.policy.virtualMachines != .allow else { return .allow }
        if question.device.isVirtualMachine { return .refuse(.virtualMachine, "the device is a virtual machine") }
        if question.device.earlier.isVirtualMachine {
            return .refuse(.virtualMachine, "the device reported earlier that it is a virtual machine")
        }
        return question.missingReport(.virtualMachines, "whether the device is a virtual machine") ?? .allow
    }
}

/// A check of the minimum OS version for each class of device. A device of a class with a minimum must report its
/// version, and every device must report its class.
public struct OSVersionCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        let (device, policy) = (question.device, question.policy)
        guard !policy.osVersions.isEmpty else { return .allow }
        if let unknown = question.unknownClass { return unknown }
        // If reports are required, damage to one block must not help an attacker, so the oldest version of all blocks
        // counts.
        let reported = policy.requiredReports.contains(.osVersions) ? device.oldestOSVersion : device.osVersion
        for case .apple(let kind) in device.kinds {
            guard let minimum = policy.osVersions[kind] else { continue }
            guard let version = reported else {
                return .refuse(
                    .osVersionTooOld,
                    "the device does not report an OS version; \(minimum) or later is required"
                )
            }
            guard version >= minimum else {
                return .refuse(.osVersionTooOld, "the device's OS version is older than \(minimum)")
            }
        }
        return question.missingReport(.osVersions, "the device's class and OS version") ?? .allow
    }
}

/// A check of the security level. Main requires a device that reports Main and a known class; a Mac must also report a
/// recent Kext Deny List. Every device satisfies Baseline and Audio (Table 3-8).
public struct SecurityLevelCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        guard question.policy.securityLevel == .main else { return .allow }
        if let missing = question.missingReport(.securityLevel, "the device's security level") { return missing }
        let minimumKDL = question.policy.minimumKDL ?? question.configuration.minimumKDL
        switch question.device.effectiveSecurityLevel(minimumKDL: minimumKDL) {
        case SecurityLevel.main: return question.unknownClass ?? .allow
        case let level?:
            let isOld = question.device.securityLevel == .main && question.device.earlier.securityLevel != .baseline
            return .refuse(
                .securityLevelTooLow,
                isOld
                    ? "the device is at most Baseline, because its Kext Deny List is older than \(minimumKDL); "
                        + "Main is required"
                    : "the device's security level is \(level); Main is required"
            )
        case nil: return .refuse(.securityLevelTooLow, "the device does not report a security level; Main is required")
        }
    }
}

/// A check that a device can enforce HDCP Type 1 if the policy requires it (Table 3-2, bit 0).
public struct HDCPCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseCheckInput) -> Verdict {
        question.policy.hdcp == .type1 && !question.device.capabilities.has(.hdcpEnforcement)
            ? .refuse(.hdcpNotEnforceable, "HDCP Type 1 is required, and the device cannot enforce it") : .allow
    }
}
