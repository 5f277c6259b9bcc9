/// Why a device refused: the code that the guide gives, a stable name, and a reason for people.
///
/// Two errors are equal when their names are, whatever the reason says. An error never carries a secret, so it may be
/// logged.
public struct FPSError: Error, Sendable {
    /// The code of the guide's Tables 3-11, 6-2 and 8-1, or nil where the guide describes a refusal and has no code.
    public let code: Int32?
    /// The stable name, in kebab-case.
    public let name: String
    /// What was found and what was expected.
    public let reason: String?

    init(_ code: Int32?, _ name: String, reason: String? = nil) {
        self.code = code
        self.name = name
        self.reason = reason
    }

    /// The same error with a reason, which must not hold a secret.
    package func because(_ reason: String) -> FPSError { FPSError(code, name, reason: reason) }
}

extension FPSError: Equatable {
    /// True when both errors have the same name.
    public static func == (left: FPSError, right: FPSError) -> Bool { left.name == right.name }
}

extension FPSError: CustomStringConvertible {
    /// One line: the name, the code and the reason.
    public var description: String {
        name + (code.map { " (\($0))" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

extension FPSError {
    // MARK: Making an SPC (Table 8-1)

    /// No certificate was given.
    public static let missingCertificate = FPSError(-42672, "missing-certificate")
    /// No asset ID was given.
    public static let missingAssetID = FPSError(-42673, "missing-asset-id")
    /// No list of protocol versions was given.
    public static let missingVersionList = FPSError(-42674, "missing-version-list")
    /// The asset ID is shorter than 2 bytes or longer than 200.
    public static let invalidAssetID = FPSError(-42675, "invalid-asset-id")
    /// The SPC could not be made for another reason.
    public static let spcCreationFailed = FPSError(-42676, "spc-creation-failed")
    /// The certificate is not one in DER, or not one for an RSA key that the device can use.
    public static let invalidCertificate = FPSError(-42679, "invalid-certificate")
    /// The version list is empty, holds 0 or a version twice, or no version that the device supports.
    public static let invalidVersionList = FPSError(-42681, "invalid-version-list")
    /// The device knows the certificate as revoked.
    public static let revokedCertificate = FPSError(-42783, "revoked-certificate")

    // MARK: Opening a CKC (Tables 8-1 and 3-11)

    /// The CKC breaks a rule of the format, answers another request, or one that has been answered.
    public static let invalidCKC = FPSError(-42668, "invalid-ckc")
    /// The content needs a higher security level than the device has.
    public static let securityLevelTooLow = FPSError(-42811, "security-level-too-low")
    /// A persistable key was asked for and this CKC, or this kind of device, does not allow one. The guide has no code.
    public static let persistenceNotAllowed = FPSError(nil, "persistence-not-allowed")

    // MARK: Using a key

    /// The lease ran out and was not renewed (Table 8-1).
    public static let leaseExpired = FPSError(-42656, "lease-expired")
    /// The rental ran out before playback started. The guide has no code for a key that is not persistent.
    public static let rentalExpired = FPSError(nil, "rental-expired")
    /// The key's HDCP requirement is more than the attached display can meet. The guide has no code: a real device
    /// accepts the CKC and then shows nothing, and shows the picture once a better display is attached.
    public static let outputRestricted = FPSError(nil, "output-restricted")
    /// The key is not playing, so nothing may be decrypted with it. The guide has no code.
    public static let notPlaying = FPSError(nil, "not-playing")
    /// Playback has stopped and the key is gone from memory. The guide has no code.
    public static let keyDiscarded = FPSError(nil, "key-discarded")

    // MARK: Persistent keys (Tables 6-2 and 8-1)

    /// The key is in a format from before a security update: the app must get a new one.
    public static let persistentKeyOutdated = FPSError(-42799, "persistent-key-outdated")
    /// The persistent key has expired.
    public static let persistentKeyExpired = FPSError(-42800, "persistent-key-expired")
    /// The persistent key was altered, replaced or invalidated, or belongs to another device, or it cannot do what was
    /// asked because its CKC had no Offline Key TLLV.
    public static let invalidPersistentKey = FPSError(-42803, "invalid-persistent-key")
    /// The device has no secure invalidation (capability bit 2). The guide has no code.
    public static let invalidationNotSupported = FPSError(nil, "invalidation-not-supported")

    /// What the device has to remember beyond this run cannot be read or written. The guide has no code.
    public static let memoryFailed = FPSError(nil, "memory-failed")

    /// Every error, in the order of the codes; those without one at the end.
    public static let all: [FPSError] = [
        leaseExpired, invalidCKC, missingCertificate, missingAssetID, missingVersionList, invalidAssetID,
        spcCreationFailed, invalidCertificate, invalidVersionList, revokedCertificate, persistentKeyOutdated,
        persistentKeyExpired, invalidPersistentKey, securityLevelTooLow, persistenceNotAllowed, rentalExpired,
        outputRestricted, notPlaying, keyDiscarded, invalidationNotSupported, memoryFailed,
    ]
}
