package import FPSCrypto

/// What a device learns from a CKC.
package struct ReceivedCKC: Sendable {
    /// The content key, 16 bytes. Nil only in an answer to playback state 2, which need not have one.
    package let contentKey: SecretBytes?
    /// The content IV, 16 bytes; empty without a content key.
    package let iv: [UInt8]
    let terms: KeyTerms
    let hdcp: HDCPRequirement
    let requiredSecurityLevel: RequiredSecurityLevel?
    /// What is odd about it and no reason to refuse it.
    package let notes: [String]

    /// Holds that a device of this kind can honor the CKC.
    ///
    /// - Throws: ``FPSError/securityLevelTooLow``, or ``FPSError/invalidCKC`` for an Offline Key block that the device
    ///   does not understand.
    package func check(for profile: DeviceProfile) throws(FPSError) {
        if let level = requiredSecurityLevel, !level.isMet(by: profile.securityLevel) {
            throw .securityLevelTooLow.because("\(level) is required, the device has \(profile.securityLevel)")
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
