import FPSCrypto
import FPSMessages
import KeyServerModule

/// Whether a device would accept a CKC for its SPC: what Apple's verify_ckc says on a Mac.
///
/// The checks are in ``steps``, in the order in which a device must make them; each is a function of its own. What they
/// cannot know is the device's state: its clock, its outputs, the keys that it has stored.
struct CKCVerification: Sendable {
    /// One check and how it went.
    struct Check: Sendable {
        /// What is checked.
        let name: String
        /// How it went.
        let verdict: Verdict
    }

    /// How a check went.
    enum Verdict: Sendable, Equatable {
        /// As it should be; what was found.
        case passed(String)
        /// A device would accept it, but it is worth a look.
        case odd(String)
        /// A device would refuse it.
        case failed(code: String, String)
        /// An earlier failure leaves nothing to check.
        case notReached
    }

    /// All checks, in order.
    let checks: [Check]
    /// The content key, if it could be decrypted.
    let contentKey: SecretBytes?
    /// What the checks worked on.
    let exchange: CheckedExchange

    /// Whether a device would accept it.
    var isAccepted: Bool { firstFailure == nil }

    /// The check that a device would stop at.
    var firstFailure: (name: String, code: String, reason: String)? {
        for check in checks {
            if case .failed(let code, let reason) = check.verdict { return (check.name, code, reason) }
        }
        return nil
    }

    /// Makes all checks.
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
        /// Whether nothing more can be checked when this fails.
        var isFatal = false
        let check: @Sendable (inout CheckedExchange) -> Verdict
    }

    private static let steps: [Step] = [
        Step(name: "container", isFatal: true) { $0.checkContainer() },
        Step(name: "decryption", isFatal: true) { $0.checkDecryption() },
        Step(name: "framing", isFatal: true) { $0.checkFraming() },
        Step(name: "no tag twice", isFatal: true) { $0.checkDuplicates() },
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
