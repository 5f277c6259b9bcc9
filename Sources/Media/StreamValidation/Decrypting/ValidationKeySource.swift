public import FPSCrypto
public import HLSPlaylist
public import MediaFormats

/// The source of the keys of a validation: a key server with virtual devices, files, or both. A validation without a
/// source sends no key request.
public protocol ValidationKeySource: Sendable {
    /// The device classes that request keys, in the order of the report. The keys of the first one that gets a key
    /// decrypt. Empty if all keys come from files.
    var deviceClasses: [String] { get }
    /// True if persistent keys are requested too, because the presentation is for downloads.
    var requestsPersistentKeys: Bool { get }

    /// Returns whether the source can request the key of a tag.
    func supports(_ tag: KeyTag) -> Bool

    /// Requests a key, once.
    func license(for request: ValidationKeyRequest) async -> ValidationLicense
}

/// A request for the key of an EXT-X-KEY or EXT-X-SESSION-KEY tag.
public struct ValidationKeyRequest: Sendable {
    /// The tag.
    public var tag: KeyTag
    /// The URL of the playlist with the tag, against which the URIs of clear keys are resolved.
    public var playlist: String
    /// The key IDs that the media declare for the tag; at most 16.
    public var keyIDs: [KeyID]
    /// The device class; nil if the source has none.
    public var deviceClass: String?
    /// True for a persistent key.
    public var isPersistent: Bool

    /// Creates a request.
    public init(
        tag: KeyTag,
        playlist: String,
        keyIDs: [KeyID] = [],
        deviceClass: String? = nil,
        isPersistent: Bool = false
    ) {
        (self.tag, self.playlist, self.keyIDs) = (tag, playlist, keyIDs)
        (self.deviceClass, self.isPersistent) = (deviceClass, isPersistent)
    }
}

/// The response to a key request: a key, or the reason for its absence.
public struct ValidationLicense: Sendable {
    /// The key of 16 bytes, or of 32 with METHOD=AES-256-GCM; nil if it is not available.
    public var key: SecretBytes?
    /// The initialization vector that was delivered with the key; nil if there was none.
    public var iv: [UInt8]?
    /// The terms of the license; nil if the key came without a license.
    public var facts: LicenseFacts?
    /// The time that the request took; nil if nothing was sent.
    public var duration: Duration?
    /// The reason why there is no key, as a part of a sentence without secrets; nil if there is one.
    public var failure: String?
    /// True if the device class does not support what was requested, such as a persistent key.
    public var isUnsupported = false

    /// Creates a response with a key.
    public init(key: SecretBytes?, iv: [UInt8]? = nil, facts: LicenseFacts? = nil) {
        (self.key, self.iv, self.facts) = (key, iv, facts)
    }

    /// Creates a response without a key.
    public init(failure: String, isUnsupported: Bool = false) {
        (self.failure, self.isUnsupported) = (failure, isUnsupported)
    }
}

/// The terms of a license: what it allows and requires.
public struct LicenseFacts: Hashable, Sendable {
    /// The required output protection; nil if the license does not specify it, with which devices enforce HDCP Type 0.
    public var hdcp: HDCPLevel?
    /// The required security level, `Audio`, `Baseline` or `Main`; nil if the license does not specify one.
    public var securityLevel: String?
    /// The lease in seconds; 0 without a limit.
    public var lease: UInt32 = 0
    /// True if a second request renewed the lease, false if it was refused; nil if that was not tried.
    public var isRenewable: Bool?
    /// The time in seconds in which playback must start; 0 without a limit.
    public var rental: UInt32 = 0
    /// True if the key may be stored.
    public var isPersistable = false

    /// Creates the facts of a license without restrictions.
    public init() {}
}
