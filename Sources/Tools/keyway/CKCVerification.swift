import FPSCrypto
import FPSMessages
import VirtualDevice

/// The result of checking whether a device would accept a CKC for its SPC, as Apple's verify_ckc does on a Mac.
///
/// The checks are those of the virtual device, with the playback state, the capabilities and the security level of the
/// SPC. They do not cover the device's state: its clock, its outputs, and its stored keys.
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
        case failed(Failure)
        /// The check did not run because of an earlier failure.
        case notReached
    }

    /// The reason why a device would reject a CKC.
    struct Failure: Sendable, Equatable {
        /// The stable code, as in TestVectors/README.md.
        let code: String
        /// The number of the device's error, such as -42668.
        let number: Int32?
        /// The values found and expected.
        let reason: String
    }

    /// All checks, in order.
    let checks: [Check]
    /// The content key, if it could be decrypted.
    let contentKey: SecretBytes?
    /// The content IV, 16 bytes; empty if the CKC has none.
    let contentIV: [UInt8]

    /// True if a device would accept the CKC.
    var isAccepted: Bool { firstFailure == nil }

    /// The check at which a device would stop.
    var firstFailure: (name: String, failure: Failure)? {
        for check in checks {
            if case .failed(let failure) = check.verdict { return (check.name, failure) }
        }
        return nil
    }

    /// Performs all checks.
    ///
    /// - Parameters:
    ///   - ckc: The CKC, decoded.
    ///   - isBase64: Whether the input was base64, which a device rejects; the decoded bytes are checked too.
    init(ckc: [UInt8], isBase64: Bool = false, for spc: OpenedExchange) {
        let examination = CKCExamination(ckc, by: StrictCKCReader(spc))
        let encoding = Check(
            name: "encoding",
            verdict: .failed(Failure(code: "base64", number: FPSError.invalidCKC.code, reason: Report.base64CKC))
        )
        checks =
            (isBase64 ? [encoding] : [])
            + examination.results.map { check, verdict in
                Check(name: check.rawValue, verdict: Verdict(verdict))
            }
        (contentKey, contentIV) = (examination.contentKey, examination.contentIV)
    }
}

extension CKCVerification.Verdict {
    fileprivate init(_ verdict: CKCExamination.Verdict) {
        switch verdict {
        case .passed(let text): self = .passed(text)
        case .noted(let notes): self = .odd(notes.joined(separator: "; "))
        case .refused(let code, let error):
            self = .failed(.init(code: code, number: error.code, reason: error.reason ?? error.name))
        case .notReached: self = .notReached
        }
    }
}

extension StrictCKCReader {
    /// Creates the reader of the device that sent an SPC.
    fileprivate init(_ spc: OpenedExchange) {
        let (payload, request) = (spc.payload, spc.payload.request)
        let returned = payload.tagReturnRequest.tags.compactMap { tag in
            payload.blocks[tag].map { (tag.rawValue, Array($0.encoded)) }
        }
        self.init(
            secrets: SessionSecrets(
                sessionKey: spc.session.sessionKey,
                r1: spc.r1,
                antiReplaySeed: SecretBytes(copying: payload.antiReplaySeed.bytes)
            ),
            returned: Dictionary(returned) { first, _ in first },
            playbackState: request.mediaPlaybackState?.state.rawValue,
            receiver: CKCReceiver(
                capabilities: request.capabilities?.low,
                reportedLevel: request.securityLevelReport?.level.rawValue
            ),
            isSyncSPC: request.sync != nil
        )
    }
}
