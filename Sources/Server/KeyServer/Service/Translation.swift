import KeyServerModule
import KeyStore

// Conversions of errors and types between layers.

extension ProblemDocument {
    /// Creates the problem for an error of the Key Server Module. All failures between RSA and the integrity check
    /// result in the same response, because any difference would be an oracle.
    init(_ error: KSMError) {
        if error.isServerFailure {
            self.init(.unavailable, retryAfter: 5)
        } else if error.isUnreadable {
            self.init(.unreadableSPC)
        } else {
            switch (error.stage, error.code) {
            case (.container, .spcVersion3), (.container, .unsupportedVersion): self.init(.unsupportedSPCVersion)
            case (.certificate, _): self.init(.unknownCertificate)
            case (.version, let code): self.init(.protocolVersion, reason: code.rawValue)
            case (.policy, .assetIDMismatch): self.init(.assetMismatch)
            // Errors of the operator's configuration: the client learns that the license is refused, and the audit log
            // has the details.
            case (.policy, .policyInvalid), (.policy, .streamIDMissing), (.policy, .contentOutOfScope):
                self.init(.refusedByPolicy, reason: error.code.rawValue)
            case (.policy, let code): self.init(.refusedByPolicy, detail: error.reason, reason: code.rawValue)
            default: self.init(.unreadableSPC)
            }
        }
    }
}

extension ProblemDocument {
    /// Creates the problem for a refusal by the store. The reasons contain information about the account only.
    init(_ refusal: GrantRefusal) {
        let type: ProblemType =
            switch refusal.code {
            case .replayed: .replayed
            case .tokenAlreadyBound: .tokenAlreadyBound
            case .streamsExceeded: .streamsExceeded
            case .devicesExceeded: .devicesExceeded
            default: .refusedByPolicy
            }
        self.init(type, detail: refusal.reason, reason: refusal.code.rawValue)
    }
}

extension KSMError.Code {
    fileprivate static let unsupportedVersion = Self(rawValue: "unsupported-version")
}

extension TrackKind {
    init(_ track: ContentTrack) {
        switch track {
        case .audio: self = .audio
        case .video, .sd, .hd, .uhd: self = .video
        case .unspecified: self = .unspecified
        }
    }
}

extension ReportedDevice {
    /// The kind of device as one term, for the audit log.
    var name: String {
        switch kind {
        case .apple(let device): isVirtualMachine ? "\(device.rawValue) (virtual machine)" : device.rawValue
        case .partner: "partner"
        case .unknown: "unknown"
        }
    }
}

extension LicenseService {
    /// The codes of the rules that can refuse, for metrics: a fixed set, independent of clients.
    package static let reasons: [String] = {
        let rules: [KSMError.Code] = [
            .assetIDMismatch, .contentOutOfScope, .syncSPC, .spcTooOld, .spcDateInFuture, .playbackStateMissing,
            .playbackHalted, .playbackStateUnknown, .hdcpNotEnforceable, .securityLevelTooLow, .virtualMachine,
            .airPlayDenied, .adapterDenied, .osVersionTooOld, .offlineKeyUnsupported, .streamIDMissing, .policyInvalid,
            .networkDenied, .originDenied, .versionMismatch, .versionDowngrade, .reportMissing, .deviceClassUnknown,
        ]
        let grants: [GrantRefusal.Code] = [
            .leaseEnded, .rentalExpired, .rentalOnOtherDevice, .rentalNeedsDevice, .renewalAfterExpiry, .licenseRevoked,
            .challengeUnknown, .tampered,
        ]
        return rules.map(\.rawValue) + grants.map(\.rawValue)
            + [
                "key-not-valid", "not-after", "rental-start-missing", "no-device", "invalidation-unsupported",
                "too-many-stream-ids", KSMError.Code.clientNotProtected.rawValue, "persistent-license-unsupported",
            ]
    }()
}
