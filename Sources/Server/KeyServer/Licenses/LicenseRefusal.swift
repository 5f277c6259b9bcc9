import KeyServerModule
import KeyStore

/// The refusal of a license or a key: the response to the client, and its description in the records.
struct LicenseRefusal {
    /// The problem to send to the client.
    let problem: ProblemDocument
    /// The outcome in the audit log.
    let outcome: String
    /// The description in the audit log.
    let detail: String?
    /// The reason in the metrics.
    let reason: String
    /// True if the server caused it, so that the request may be valid.
    var isFailure = false
    /// The part of the SPC whose integrity was verified before the refusal, if any.
    var authenticated: AuthenticatedSPC?

    /// Creates the refusal that an error is; nil if the error is not a decision.
    init?(_ error: any Error) {
        switch error {
        case let error as KSMError:
            problem = ProblemDocument(error)
            outcome = error.code.rawValue
            detail = error.description
            reason = problem.reason ?? problem.type.name
            isFailure = error.isServerFailure
            authenticated = error.authenticated
        case let error as ProblemDocument:
            problem = error
            outcome = error.outcome
            detail = error.auditDetail ?? error.detail
            reason = error.outcome
        default: return nil
        }
    }
}

extension ProblemDocument {
    /// The outcome in the audit log: the rule, if a policy refused the request, otherwise the problem type.
    var outcome: String { type == .refusedByPolicy ? reason ?? type.name : type.name }

    /// A Sync SPC in a batch. The response to a batch contains only licenses.
    static let syncInBatch = Self(.malformedRequest, detail: "A Sync SPC must be sent separately, to /fps/license.")

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
