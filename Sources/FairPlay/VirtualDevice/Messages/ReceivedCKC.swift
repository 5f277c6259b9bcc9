package import FPSCrypto

/// The values that a device reads from a CKC.
package struct ReceivedCKC: Sendable {
    /// The content key, 16 bytes. Nil is possible only in a response to playback state 2, which does not have to
    /// contain a key.
    package let contentKey: SecretBytes?
    /// The content IV, 16 bytes; empty if there is no content key.
    package let iv: [UInt8]
    let terms: DeviceKeyTerms
    let hdcp: ReceivedHDCPLevel
    let requiredSecurityLevel: ReceivedSecurityLevel?
    /// The irregularities of the CKC that are not errors.
    package let notes: [String]

    /// Checks that a device with this profile can enforce the terms of the CKC.
    ///
    /// - Throws: ``FPSError/securityLevelTooLow``, or ``FPSError/invalidCKC`` for an Offline Key block that the device
    ///   does not support.
    package func check(for profile: DeviceProfile) throws(FPSError) {
        if let level = requiredSecurityLevel, !level.isMet(by: profile.securityLevel) {
            throw .securityLevelTooLow.because("\(level) is required, but the device supports \(profile.securityLevel)")
        }
        guard case .dualExpiry(let offlineKey) = terms else { return }
        let needed: DeviceProfile.Capabilities =
            offlineKey.version == 2 ? [.offlineKey, .offlineKeyVersion2] : .offlineKey
        guard profile.has(needed) else {
            throw .invalidCKC.because(
                "the device has no capability for version \(offlineKey.version) of the offline key"
            )
        }
    }
}
