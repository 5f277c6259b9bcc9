import ByteCoding
import FPSCrypto
import FPSMessages

/// An error that prevented the creation of a CKC: the stage, a stable code, and a reason.
///
/// The description contains no key and no byte of the message, so it can be logged. It is intended for the operator.
/// The server decides what a client may see; the errors with ``isUnreadable`` must all look the same to a client.
public struct KSMError: Error, Sendable {
    /// The stage at which processing stopped, with the step of Table 2-1 in parentheses.
    public enum Stage: String, Sendable {
        /// The SPC's header and lengths (1).
        case container
        /// The certificate hash, or the bundle that it identifies (2).
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
        /// The rules of the policy (between 6 and 7).
        case policy
        /// The creation of the CKC (7 to 10).
        case sealing
    }

    /// The stable code of an error.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case. An error of a parser has the parser's code.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// The stage at which processing stopped.
    public let stage: Stage
    /// The code of the error.
    public let code: Code
    /// The reason, for the operator.
    public let reason: String
    /// The authenticated part of the SPC, if its integrity check passed; nil otherwise. Record it in the same way as
    /// for an SPC that was opened.
    public internal(set) var authenticated: AuthenticatedSPC?

    /// Creates an error.
    public init(_ stage: Stage, _ code: Code, _ reason: String) {
        self.stage = stage
        self.code = code
        self.reason = reason
    }

    /// True if the error must be indistinguishable to clients from others of its kind: a client that can distinguish a
    /// bad OAEP block from a bad payload has a decryption oracle.
    public var isUnreadable: Bool { [.key, .payload, .sessionKey, .integrity].contains(stage) && !isServerFailure }

    /// True if the server caused the error, for example by a failure of a plug-in or a library, so that the SPC may be
    /// valid.
    public var isServerFailure: Bool { [.daskUnavailable, .libraryFailure, .lintFailed].contains(code) }

    init(_ stage: Stage, _ error: ParseError) {
        self.init(stage, Code(rawValue: error.code.rawValue), error.description)
    }

    init(_ stage: Stage, _ error: CryptoError) {
        self.init(stage, .libraryFailure, error.description)
    }
}

extension KSMError: Equatable, CustomStringConvertible {
    /// Returns whether the two errors have the same code.
    public static func == (left: KSMError, right: KSMError) -> Bool { left.code == right.code }

    /// The stage, the code and the reason, on one line.
    public var description: String { "\(stage.rawValue): \(code): \(reason)" }
}

extension KSMError.Code {
    // Steps 1 to 6.

    /// No bundle has the certificate that the SPC identifies.
    public static let unknownCertificate = Self(rawValue: "unknown-certificate")
    /// The payload key cannot be decrypted.
    public static let decryptionFailed = Self(rawValue: "decryption-failed")
    /// The SPC has version 3, and no plug-in can open it.
    public static let spcVersion3 = Self(rawValue: "spc-version-3")
    /// The device and the server support no common version, or the version in use is missing from one of the two lists.
    public static let versionMismatch = Self(rawValue: "version-mismatch")
    /// The device uses an older version than the newest that both sides support.
    public static let versionDowngrade = Self(rawValue: "version-downgrade")
    /// The [SK...R1] integrity value does not match the block.
    public static let integrityMismatch = Self(rawValue: "integrity-mismatch")
    /// The plug-in reports that the message cannot be decrypted.
    public static let keyPayloadInvalid = Self(rawValue: "key-payload-invalid")
    /// The bundle cannot derive a DASk: it has no derivation, or its plug-in failed, returned invalid output, or did not
    /// encrypt the content key.
    public static let daskUnavailable = Self(rawValue: "dask-unavailable")
    /// The cryptographic library failed.
    public static let libraryFailure = Self(rawValue: "library-failure")

    // The rules.

    /// The policy requires a report that the SPC does not contain.
    public static let reportMissing = Self(rawValue: "report-missing")
    /// The policy has a rule about device classes, and the SPC does not contain a known class.
    public static let deviceClassUnknown = Self(rawValue: "device-class-unknown")

    /// The SPC and the request have different asset IDs.
    public static let assetIDMismatch = Self(rawValue: "asset-id-mismatch")
    /// The bundle's scope does not include the content.
    public static let contentOutOfScope = Self(rawValue: "content-out-of-scope")
    /// A Sync SPC was sent in a key request.
    public static let syncSPC = Self(rawValue: "sync-spc")
    /// The SPC is older than allowed.
    public static let spcTooOld = Self(rawValue: "spc-too-old")
    /// The SPC's creation date is too far ahead of this server's clock.
    public static let spcDateInFuture = Self(rawValue: "spc-date-in-future")
    /// The SPC does not contain its creation date or the playback state, and the policy requires it.
    public static let playbackStateMissing = Self(rawValue: "playback-state-missing")
    /// Playback has halted.
    public static let playbackHalted = Self(rawValue: "playback-halted")
    /// The playback state is unknown.
    public static let playbackStateUnknown = Self(rawValue: "playback-state-unknown")
    /// The device cannot enforce HDCP Type 1.
    public static let hdcpNotEnforceable = Self(rawValue: "hdcp-not-enforceable")
    /// The device's security level is too low.
    public static let securityLevelTooLow = Self(rawValue: "security-level-too-low")
    /// The device is a virtual machine.
    public static let virtualMachine = Self(rawValue: "virtual-machine")
    /// The content would be displayed through AirPlay, which the policy denies.
    public static let airPlayDenied = Self(rawValue: "airplay-denied")
    /// The content would be displayed through the digital AV adapter, which the policy denies.
    public static let adapterDenied = Self(rawValue: "adapter-denied")
    /// The operating system is too old, or the device does not report its version.
    public static let osVersionTooOld = Self(rawValue: "os-version-too-old")
    /// The client's address is not in a network that the policy lists, or is unknown.
    public static let networkDenied = Self(rawValue: "network-denied")
    /// The policy does not list the request's web origin, or the request has no origin.
    public static let originDenied = Self(rawValue: "origin-denied")
    /// The device cannot enforce the expiry of an offline key.
    public static let offlineKeyUnsupported = Self(rawValue: "offline-key-unsupported")
    /// Dual expiry requires a stream ID, and the content has none.
    public static let streamIDMissing = Self(rawValue: "stream-id-missing")
    /// The policy contradicts itself or does not fit the track.
    public static let policyInvalid = Self(rawValue: "policy-invalid")

    // Steps 7 to 10.

    /// The tag return request contains a tag that the CKC itself uses.
    public static let tagReturnConflict = Self(rawValue: "tag-return-conflict")
    /// The new CKC failed the check before issuing.
    public static let lintFailed = Self(rawValue: "lint-failed")
}
