import FPSCrypto
import FPSMessages
import KeyServerModule

/// The result of checking whether a device would accept a CKC for its SPC, as Apple's verify_ckc does on a Mac.
///
/// The checks are in ``steps``, in the order in which a device must perform them. They do not cover the device's state:
/// its clock, its outputs, and its stored keys.
struct CKCVerification: Sendable {
    /// A check and its result.
    struct Check: Sendable {
        /// The name of the check.
        let name: String
        /// The result of the check.
        let verdict: Verdict
    }

    /// The result of a check.
    enum Verdict: Sendable, Equatable {
        /// The check passed; the text describes what was found.
        case passed(String)
        /// A device would accept the CKC, but the text describes something unusual.
        case odd(String)
        /// A device would reject the CKC.
        case failed(code: String, String)
        /// The check did not run because of an earlier failure.
        case notReached
    }

    /// All checks, in order.
    let checks: [Check]
    /// The content key, if it could be decrypted.
    let contentKey: SecretBytes?
    /// The messages that were checked.
    let exchange: CheckedExchange

    /// True if a device would accept the CKC.
    var isAccepted: Bool { firstFailure == nil }

    /// The check at which a device would stop.
    var firstFailure: (name: String, code: String, reason: String)? {
        for check in checks {
            if case .failed(let code, let reason) = check.verdict { return (check.name, code, reason) }
        }
        return nil
    }

    /// Performs all checks.
    init(ckc: [UInt8], for spc: OpenedExchange) {
        var exchange = CheckedExchange(ckc: ckc, spc: spc)
        var checks: [Check] = []
        var isStopped = false
        for step in Self.steps {
            guard !isStopped else {
                checks.append(Check(name: step.name, verdict: .notReached))
                continue
            }
            let verdict = step.check(&exchange)
            checks.append(Check(name: step.name, verdict: verdict))
            if case .failed = verdict { isStopped = step.isFatal }
        }
        self.checks = checks
        self.exchange = exchange
        contentKey = exchange.contentKey
    }

    private struct Step: Sendable {
        let name: String
        /// True if later checks cannot run if this one fails.
        var isFatal = false
        let check: @Sendable (inout CheckedExchange) -> Verdict
    }

    private static let steps: [Step] = [
        Step(name: "container", isFatal: true) { $0.checkContainer() },
        Step(name: "decryption", isFatal: true) { $0.checkDecryption() },
        Step(name: "framing", isFatal: true) { $0.checkFraming() },
        Step(name: "unique tags", isFatal: true) { $0.checkDuplicates() },
        Step(name: "encrypted content key") { $0.checkContentKey() },
        Step(name: "R1") { $0.checkR1() },
        Step(name: "content key duration") { $0.checkDuration() },
        Step(name: "offline key") { $0.checkOfflineKey() },
        Step(name: "security level") { $0.checkSecurityLevel() },
        Step(name: "HDCP") { $0.checkHDCP() },
        Step(name: "returned blocks") { $0.checkReturnedBlocks() },
        Step(name: "returned blocks at the end") { $0.checkReturnedBlocksAreLast() },
        Step(name: "padding") { $0.checkPadding() },
        Step(name: "other blocks") { $0.checkOtherBlocks() },
    ]
}
