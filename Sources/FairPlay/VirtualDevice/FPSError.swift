/// An error of a device: the code in the guide, a stable name, and a reason for people.
///
/// Two errors are equal if their names are equal, regardless of the reason. An error never contains a secret, so it can
/// be logged.
public struct FPSError: Error, Sendable {
    /// The code in the guide's Tables 3-11, 6-2 and 8-1; nil if the guide does not define a code for the error.
    public let code: Int32?
    /// The stable name, in kebab-case.
    public let name: String
    /// The values found and expected; nil if there is no reason.
    public let reason: String?

    init(_ code: Int32?, _ name: String, reason: String? = nil) {
        self.code = code
        self.name = name
        self.reason = reason
    }

    /// Returns the same error with a reason, which must not contain a secret.
    package func because(_ reason: String) -> FPSError { FPSError(code, name, reason: reason) }
}

extension FPSError: Equatable {
    /// Returns whether both errors have the same name.
    public static func == (left: FPSError, right: FPSError) -> Bool { left.name == right.name }
}

extension FPSError: CustomStringConvertible {
    /// The name, the code and the reason, on one line.
    public var description: String {
        name + (code.map { " (\($0))" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

extension FPSError {
    // MARK: Creating an SPC (Table 8-1)

    /// The certificate is missing.
    public static let missingCertificate = FPSError(-42672, "missing-certificate")
    /// The asset ID is missing.
    public static let missingAssetID = FPSError(-42673, "missing-asset-id")
    /// The list of protocol versions is missing.
    public static let missingVersionList = FPSError(-42674, "missing-version-list")
    /// The asset ID is shorter than 2 bytes or longer than 200.
    public static let invalidAssetID = FPSError(-42675, "invalid-asset-id")
    /// The SPC could not be created for another reason.
    public static let spcCreationFailed = FPSError(-42676, "spc-creation-failed")
    /// The certificate is not in DER, or its key is not an RSA key that the device supports.
    public static let invalidCertificate = FPSError(-42679, "invalid-certificate")
    /// The version list is empty, contains 0 or duplicate versions, or contains no version that the device supports.
    public static let invalidVersionList = FPSError(-42681, "invalid-version-list")
    /// The certificate was revoked.
    public static let revokedCertificate = FPSError(-42783, "revoked-certificate")

    // MARK: Processing a CKC (Tables 8-1 and 3-11)

    /// The CKC violates a rule of the format, or is for another request, or the request already has a response.
    public static let invalidCKC = FPSError(-42668, "invalid-ckc")
    /// The content requires a higher security level than the device supports.
    public static let securityLevelTooLow = FPSError(-42811, "security-level-too-low")
    /// A persistent key was requested, and the CKC or the device does not allow one. The guide defines no code.
    public static let persistenceNotAllowed = FPSError(nil, "persistence-not-allowed")

    // MARK: Using a key

    /// The lease expired and was not renewed (Table 8-1).
    public static let leaseExpired = FPSError(-42656, "lease-expired")
    /// The rental expired before playback started. The guide defines no code for keys that are not persistent.
    public static let rentalExpired = FPSError(nil, "rental-expired")
    /// The attached display does not satisfy the key's HDCP requirement. The guide defines no code: a real device
    /// accepts the CKC but displays no video until a display with a sufficient HDCP type is attached.
    public static let outputRestricted = FPSError(nil, "output-restricted")
    /// Playback with the key has not started, so the key must not decrypt content. The guide defines no code.
    public static let notPlaying = FPSError(nil, "not-playing")
    /// Playback has stopped and the key was discarded. The guide defines no code.
    public static let keyDiscarded = FPSError(nil, "key-discarded")

    // MARK: Persistent keys (Tables 6-2 and 8-1)

    /// The format of the key is older than a security update; the app must request a new key.
    public static let persistentKeyOutdated = FPSError(-42799, "persistent-key-outdated")
    /// The persistent key has expired.
    public static let persistentKeyExpired = FPSError(-42800, "persistent-key-expired")
    /// The persistent key was modified, replaced or invalidated, or belongs to another device, or does not support the
    /// operation because its CKC had no Offline Key TLLV.
    public static let invalidPersistentKey = FPSError(-42803, "invalid-persistent-key")
    /// The device does not support secure invalidation (capability bit 2). The guide defines no code.
    public static let invalidationNotSupported = FPSError(nil, "invalidation-not-supported")

    /// The device's memory cannot be read or written. The guide defines no code.
    public static let memoryFailed = FPSError(nil, "memory-failed")
    /// The device's clock cannot be set to the time of a server. The guide defines no code.
    public static let clockNotCorrected = FPSError(nil, "clock-not-corrected")

    /// All errors, in the order of their codes, with the errors without a code at the end.
    public static let all: [FPSError] = [
        leaseExpired, invalidCKC, missingCertificate, missingAssetID, missingVersionList, invalidAssetID,
        spcCreationFailed, invalidCertificate, invalidVersionList, revokedCertificate, persistentKeyOutdated,
        persistentKeyExpired, invalidPersistentKey, securityLevelTooLow, persistenceNotAllowed, rentalExpired,
        outputRestricted, notPlaying, keyDiscarded, invalidationNotSupported, memoryFailed,
        clockNotCorrected,
    ]
}
