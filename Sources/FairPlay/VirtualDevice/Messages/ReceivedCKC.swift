package import FPSCrypto

/// The values that a device reads from a CKC.
package struct ReceivedCKC: Sendable {
    /// The content key, 16 bytes. Nil is possible only in a response to playback state 2, which does not have to
    /// contain a key, and if the session key is not known.
    package let contentKey: SecretBytes?
    /// The content IV, 16 bytes; empty if there is no content key.
    package let iv: [UInt8]
    let terms: DeviceKeyTerms
    let hdcp: ReceivedHDCPLevel
    /// The irregularities of the CKC that are not errors.
    package let notes: [String]
}
