public import FPSMessages

/// One rule: it allows, or refuses with a reason.
public protocol LicenseCheck: Sendable {
    /// Decides.
    func decide(_ question: LicenseQuestion) -> Verdict
}

/// What a rule says.
public enum Verdict: Sendable, Equatable {
    /// Nothing against it.
    case allow
    /// No key, for this reason.
    case refuse(KSMError)

    static func refuse(_ code: KSMError.Code, _ reason: String) -> Verdict {
        .refuse(KSMError(.policy, code, reason))
    }
}

/// What the rules look at.
public struct LicenseQuestion: Sendable {
    /// The terms of the content.
    public let policy: LicensePolicy
    /// What the key is for.
    public let track: TrackKind
    /// What the SPC asks for.
    public let request: SPCRequest
    /// What the device says of itself.
    public let device: ReportedDevice
    /// The server's own settings.
    public let configuration: KSM.Configuration
    /// The time, in seconds since 1970.
    public let now: Int64
    /// The client's address, where it is known.
    public var remoteAddress: String? = nil
    /// The request's `Origin`, which browsers send and apps do not.
    public var origin: String? = nil
}

extension LicenseQuestion {
    /// The refusal of a rule whose report the policy requires and the SPC does not hold; nil otherwise.
    fileprivate func missingReport(_ rule: LicensePolicy.ReportedRule, _ what: String) -> Verdict? {
        guard policy.requiredReports.contains(rule), !device.reports.contains(rule) else { return nil }
        return .refuse(.reportMissing, "\(rule.rawValue) requires a report, and the SPC does not say \(what)")
    }

    /// The refusal of a rule about classes to a device that names no class that is known; nil otherwise.
    fileprivate var unknownClass: Verdict? {
        guard device.kinds.isEmpty, policy.unclassifiedDevices != .allow else { return nil }
        return .refuse(.deviceClassUnknown, "the device names no class that is known")
    }
}

/// The rules that every request for a key passes, in this order.
public enum LicenseChecks {
    /// All of them.
    public static let all: [any LicenseCheck] = [
        NetworkCheck(), OriginCheck(),
        PlaybackStateCheck(), SPCAgeCheck(), RouteCheck(), VirtualMachineCheck(), OSVersionCheck(),
        SecurityLevelCheck(),
        HDCPCheck(),
    ]
}

/// A halted player gets no key, and a policy that limits time needs an SPC that says what the player was doing.
public struct PlaybackStateCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        let policy = question.policy
        guard let state = question.request.mediaPlaybackState?.state else {
            return policy.needsPlaybackState
                ? .refuse(.playbackStateMissing, "lease, rental and persistence need a media playback state in the SPC")
                : .allow
        }
        switch state {
        case .readyToStart, .playingOrPaused, .leaseAboutToExpire: return .allow
        case .halted: return .refuse(.playbackHalted, "playback has halted")
        default: return .refuse(.playbackStateUnknown, "the playback state is none that is known")
        }
    }
}

/// An SPC must be recent, and not from the future; one without a date is judged by the policy.
public struct SPCAgeCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        guard let made = question.request.mediaPlaybackState?.creationDate else {
            guard question.configuration.maximumSPCAge != nil else { return .allow }
            return (question.policy.undatedSPC ?? .deny) == .allow
                ? .allow : .refuse(.playbackStateMissing, "the SPC does not say when it was made")
        }
        return Self.decide(
            made: made,
            maximum: question.policy.maximumSPCAge,
            configuration: question.configuration,
            now: question.now
        )
    }

    /// Decides about any SPC that says when it was made, whatever it is for; without a maximum of its own it is held to
    /// the server's.
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
            return .refuse(.spcTooOld, "made \(age) seconds ago, \(maximum.rawValue) are allowed")
        }
        let ahead = configuration.maximumClockAhead
        if -age > Int64(ahead.rawValue) {
            return .refuse(.spcFromTheFuture, "made \(-age) seconds ahead, \(ahead.rawValue) are allowed")
        }
        return .allow
    }
}

/// AirPlay and the digital AV adapter, where the policy denies them.
public struct RouteCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        let policy = question.policy
        switch question.device.route {
        case .airPlay where policy.airplay == .deny: return .refuse(.airPlayDenied, "AirPlay is denied")
        case .digitalAVAdapter where policy.adapter == .deny:
            return .refuse(.adapterDenied, "the digital AV adapter is denied")
        default: break
        }
        for (rule, permission) in [(LicensePolicy.ReportedRule.airplay, policy.airplay), (.adapter, policy.adapter)]
        where permission == .deny {
            if let missing = question.missingReport(rule, "where the content is shown") { return missing }
        }
        return .allow
    }
}

/// Virtual machines, unless the policy allows them.
public struct VirtualMachineCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        guard question.policy.virtualMachines != .allow else { return .allow }
        if question.device.isVirtualMachine { return .refuse(.virtualMachine, "the device is a virtual machine") }
        if question.device.earlier.isVirtualMachine {
            return .refuse(.virtualMachine, "the device reported earlier that it is a virtual machine")
        }
        return question.missingReport(.virtualMachines, "whether it is a virtual machine") ?? .allow
    }
}

/// The oldest operating system, by class of device. A device of a class with a minimum must report its version, and every
/// device its class.
public struct OSVersionCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        let (device, policy) = (question.device, question.policy)
        guard !policy.osVersions.isEmpty else { return .allow }
        if let unknown = question.unknownClass { return unknown }
        // Where reports are required, damage to one block must not help: the other has its say.
        let reported = policy.requiredReports.contains(.osVersions) ? device.oldestOSVersion : device.osVersion
        for case .apple(let kind) in device.kinds {
            guard let minimum = policy.osVersions[kind] else { continue }
            guard let version = reported else {
                return .refuse(.osVersionTooOld, "the device reports no OS version, \(minimum) is required")
            }
            guard version >= minimum else {
                return .refuse(.osVersionTooOld, "the device's OS version is older than \(minimum)")
            }
        }
        return question.missingReport(.osVersions, "its class and OS version") ?? .allow
    }
}

/// Main needs a device that reports Main and what it is, and a Mac with a recent Kext Deny List. Baseline and Audio are met
/// by every device (Table 3-8).
public struct SecurityLevelCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        guard question.policy.securityLevel == .main else { return .allow }
        if let missing = question.missingReport(.securityLevel, "its security level") { return missing }
        let minimumKDL = question.policy.minimumKDL ?? question.configuration.minimumKDL
        switch question.device.effectiveSecurityLevel(minimumKDL: minimumKDL) {
        case SecurityLevel.main: return question.unknownClass ?? .allow
        case let level?:
            let isOld = question.device.securityLevel == .main && question.device.earlier.securityLevel != .baseline
            return .refuse(
                .securityLevelTooLow,
                isOld
                    ? "the Kext Deny List is older than \(minimumKDL), which makes the device Baseline; Main is required"
                    : "the device is \(level), Main is required"
            )
        case nil: return .refuse(.securityLevelTooLow, "the device reports no security level, Main is required")
        }
    }
}

/// HDCP Type 1 only for a device that can enforce it (Table 3-2, bit 0).
public struct HDCPCheck: LicenseCheck {
    /// Decides.
    public func decide(_ question: LicenseQuestion) -> Verdict {
        question.policy.hdcp == .type1 && !question.device.capabilities.has(.hdcpEnforcement)
            ? .refuse(.hdcpNotEnforceable, "HDCP Type 1 is required, and the device cannot enforce it") : .allow
    }
}
