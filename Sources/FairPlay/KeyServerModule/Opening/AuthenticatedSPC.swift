import FPSCrypto
import FPSMessages

/// What the integrity of [SK...R1] vouches for, whatever becomes of the SPC: that a device of this ID made a message with this
/// RSA block. It does not vouch for the rest of the payload.
///
/// Whoever answers SPCs should remember it. The same RSA block with other bytes around it is a changed copy: only the device
/// knows the payload key, so nobody else can encrypt it again.
public struct AuthenticatedSPC: Sendable {
    /// The SHA-256 of the RSA block, 32 bytes.
    public let encryptedKeyHash: [UInt8]
    /// The SHA-256 of the whole message, 32 bytes.
    public let messageHash: [UInt8]
    /// The anonymous ID of the device, or of a digital AV adapter, 20 bytes.
    public let hu: [UInt8]

    init(_ message: SPCMessage, bytes: [UInt8], hu: [UInt8]) {
        encryptedKeyHash = SHA256.hash(message.encryptedKey)
        messageHash = SHA256.hash(bytes)
        self.hu = hu
    }
}
