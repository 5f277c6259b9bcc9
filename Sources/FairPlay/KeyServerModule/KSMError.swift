import ByteCoding
import FPSCrypto
import FPSMessages

/// Why an SPC got no CKC: where it stopped, a stable code, and a reason in words.
///
/// Its description holds no key and no byte of the message, so it may be logged. It is for the operator; what of it a client may see
/// is the server's decision, and ``isUnreadable`` says which errors must all look the same to it.
public struct KSMError: Error, Sendable {
    /// Where it stopped; in brackets the step of Table 2-1.
    public enum Stage: String, Sendable {
        /// The SPC's header and lengths (1).
        case container
        /// The certificate hash, or the bundle it names (2).
        case certificate
        /// The RSA decryption of the payload's key (3).
        case key
        /// The decrypted payload (3).
        case payload
        /// The protocol versions (4).
        case version
        /// The [SK...R1] block (5).
        case sessionKey = "session-key"
        /// The integrity value (6).
        case integrity
        /// The rules of the content (between 6 and 7).
        case policy
        /// The making of the CKC (7 to 10).
        case sealing
    }

    /// What went wrong. Stable.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case. What a parser finds has the parser's own code.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// Where it stopped.
    public let stage: Stage
    /// What went wrong.
    public let code: Code
    /// In words, for the operator.
    public let reason: String
    /// What is known of the SPC all the same, where its integrity holds. Remember it as that of an SPC that was opened.
    public internal(set) var authenticated: AuthenticatedSPC?

    /// Makes an error.
    public init(_ stage: Stage, _ code: Code, _ reason: String) {
        self.stage = stage
        self.code = code
        self.reason = reason
    }

    /// Whether a client must not learn which of these errors it was: whoever can tell a bad OAEP block from a bad payload
    /// has an oracle.
    public var isUnreadable: Bool { [.key, .payload, .sessionKey, .integrity].contains(stage) && !isOurFault }

    /// Whether the SPC may be all right and this server is at fault: a plug-in that fails, a library that does.
    public var isOurFault: Bool { [.daskUnavailable, .libraryFailure, .lintFailed].contains(code) }

    init(_ stage: Stage, _ error: ParseError) {
        self.init(stage, Code(rawValue: error.code.rawValue), error.description)
    }

    init(_ stage: Stage, _ error: CryptoError) {
        self.init(stage, .libraryFailure, error.description)
    }
}

extension KSMError: Equatable, CustomStringConvertible {
    /// True when the codes are the same.
    public static func == (left: KSMError, right: KSMError) -> Bool { left.code == right.code }

    /// One line: stage, code and reason.
    public var description: String { "\(stage.rawValue): \(code): \(reason)" }
}

extension KSMError.Code {
    // Steps 1 to 6.

    /// No bundle has the certificate that the SPC names.
    public static let unknownCertificate = Self(rawValue: "unknown-certificate")
    /// The payload's key does not decrypt.
    public static let decryptionFailed = Self(rawValue: "decryption-failed")
    /// An SPC of version 3, and no plug-in that opens it.
    public static let spcVersion3 = Self(rawValue: "spc-version-3")
    /// Device and server have no version in common, or the device uses one of neither list.
    public static let versionMismatch = Self(rawValue: "version-mismatch")
    /// The device uses an older version than both support.
    public static let versionDowngrade = Self(rawValue: "version-downgrade")
    /// The [SK...R1] integrity value is not that of the block.
    public static let integrityMismatch = Self(rawValue: "integrity-mismatch")
    /// The plug-in says that the message does not open.
    public static let keyPayloadInvalid = Self(rawValue: "key-payload-invalid")
    /// DASk cannot be derived: the plug-in failed.
    public static let daskUnavailable = Self(rawValue: "dask-unavailable")
    /// libcrypto failed.
    public static let libraryFailure = Self(rawValue: "library-failure")

    // The rules.

    /// The policy requires a report that the SPC does not hold.
    public static let reportMissing = Self(rawValue: "report-missing")
    /// The policy has a rule about classes of devices, and the SPC names none that is known.
    public static let deviceClassUnknown = Self(rawValue: "device-class-unknown")

    /// The SPC asks for another asset than the request says.
    public static let assetIDMismatch = Self(rawValue: "asset-id-mismatch")
    /// The bundle may not open this content.
    public static let contentOutOfScope = Self(rawValue: "content-out-of-scope")
    /// A Sync SPC was handed in where a key is given.
    public static let syncSPC = Self(rawValue: "sync-spc")
    /// The SPC is older than allowed.
    public static let spcTooOld = Self(rawValue: "spc-too-old")
    /// The SPC was made later than this server's clock allows.
    public static let spcFromTheFuture = Self(rawValue: "spc-from-the-future")
    /// The SPC does not say when it was made, or what the player was doing, and the policy needs to know.
    public static let playbackStateMissing = Self(rawValue: "playback-state-missing")
    /// Playback has halted.
    public static let playbackHalted = Self(rawValue: "playback-halted")
    /// The playback state is none that is known.
    public static let playbackStateUnknown = Self(rawValue: "playback-state-unknown")
    /// The device cannot enforce HDCP Type 1.
    public static let hdcpNotEnforceable = Self(rawValue: "hdcp-not-enforceable")
    /// The device's security level is too low.
    public static let securityLevelTooLow = Self(rawValue: "security-level-too-low")
    /// The device is a virtual machine.
    public static let virtualMachine = Self(rawValue: "virtual-machine")
    /// The content would go out by AirPlay.
    public static let airPlayDenied = Self(rawValue: "airplay-denied")
    /// The content would go out by the digital AV adapter.
    public static let adapterDenied = Self(rawValue: "adapter-denied")
    /// The operating system is too old, or the device does not say.
    public static let osVersionTooOld = Self(rawValue: "os-version-too-old")
    /// The client is in none of the networks that the policy lists, or its address is not known.
    public static let networkDenied = Self(rawValue: "network-denied")
    /// The request comes from none of the web origins that the policy lists, or says no origin.
    public static let originDenied = Self(rawValue: "origin-denied")
    /// The device cannot enforce the expiry of an offline key.
    public static let offlineKeyUnsupported = Self(rawValue: "offline-key-unsupported")
    /// Dual expiry needs a stream ID, and the content has none.
    public static let streamIDMissing = Self(rawValue: "stream-id-missing")
    /// The policy contradicts itself, or the track.
    public static let policyInvalid = Self(rawValue: "policy-invalid")

    // Steps 7 to 10.

    /// The tag return request names a block that the CKC writes itself.
    public static let tagReturnConflict = Self(rawValue: "tag-return-conflict")
    /// The CKC that was made does not pass the check before it leaves.
    public static let lintFailed = Self(rawValue: "lint-failed")
}
