internal import ByteCoding
package import FPSCrypto

/// The checks that a device performs on a CKC, with their results. The virtual device and `keyway ckc open` both use
/// them, so that both accept the same CKCs.
///
/// The checks follow the guide strictly. They do not cover the state of the device: its clock, its display, and its
/// stored keys.
package struct CKCExamination: Sendable {
    /// A check; the checks run in this order.
    package enum Check: String, Sendable, CaseIterable {
        case container
        case decryption
        case framing
        case uniqueTags = "unique tags"
        case playbackState = "playback state"
        case contentKey = "encrypted content key"
        case r1 = "R1"
        case duration = "content key duration"
        case offlineKey = "offline key"
        case securityLevel = "security level"
        case hdcp = "HDCP"
        case returnedBlocks = "returned blocks"
        case returnedBlocksAtEnd = "returned blocks at the end"
        case padding
        case otherBlocks = "other blocks"

        /// True if later checks cannot run when this one fails.
        var isRequiredForOthers: Bool {
            switch self {
            case .container, .decryption, .framing, .uniqueTags: true
            default: false
            }
        }
    }

    /// The result of a check.
    package enum Verdict: Sendable {
        /// The check passed; the text describes what was found.
        case passed(String)
        /// The check passed; the texts describe irregularities.
        case noted([String])
        /// The device refuses the CKC. The code is that of TestVectors/README.md.
        case refused(code: String, FPSError)
        /// The check did not run, because an earlier one failed.
        case notReached
    }

    /// All checks and their results, in order.
    package let results: [(check: Check, verdict: Verdict)]
    /// The content key, 16 bytes, also of a CKC that is refused; nil if it could not be decrypted.
    package let contentKey: SecretBytes?
    /// The content IV, 16 bytes; empty if there is no content key.
    package let contentIV: [UInt8]
    /// The terms of the license, also of a CKC that is refused.
    package let terms: ReceivedLicenseTerms
    private let received: ReceivedCKC?

    /// Performs all checks.
    package init(_ ckc: [UInt8], by reader: StrictCKCReader) {
        var examiner = CKCExaminer(ckc: ckc, reader: reader)
        var results: [(check: Check, verdict: Verdict)] = []
        var isStopped = false
        var isRefused = false
        for check in Check.allCases {
            guard !isStopped else {
                results.append((check, .notReached))
                continue
            }
            do throws(CKCRefusal) {
                results.append((check, try examiner.perform(check)))
            } catch {
                results.append((check, .refused(code: error.code, error.error)))
                isRefused = true
                isStopped = check.isRequiredForOthers
            }
        }
        self.results = results
        terms = ReceivedLicenseTerms(examiner)
        received = isRefused ? nil : examiner.received(notes: results.flatMap(\.verdict.notes))
        (contentKey, contentIV) = (examiner.contentKey, examiner.contentIV)
    }

    /// The first check that failed.
    package var refusal: (check: Check, code: String, error: FPSError)? {
        for case (let check, .refused(let code, let error)) in results { return (check, code, error) }
        return nil
    }

    /// Returns the values of the CKC.
    ///
    /// - Throws: the error of the first check that failed.
    func get() throws(FPSError) -> ReceivedCKC {
        guard let received else { throw refusal?.error ?? .invalidCKC }
        return received
    }
}

extension CKCExamination.Verdict {
    /// The irregularities that are not errors.
    fileprivate var notes: [String] {
        if case .noted(let notes) = self { notes } else { [] }
    }
}

/// The reason why a device refuses a CKC.
struct CKCRefusal: Error {
    /// The stable code of the reason, as in TestVectors/README.md.
    let code: String
    /// The error of the device.
    let error: FPSError

    /// Creates a refusal with -42668.
    init(_ code: String, _ reason: String) {
        self.code = code
        error = .invalidCKC.because(reason)
    }

    /// Creates a refusal with another error.
    init(_ code: String, _ error: FPSError) {
        (self.code, self.error) = (code, error)
    }

    /// Creates a refusal for a structure that cannot be parsed.
    init(_ error: ParseError) { self.init(error.code.rawValue, "\(error)") }
}
