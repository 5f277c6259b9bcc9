import FPSCrypto
import FPSMessages

/// The part of an SPC that the integrity value of [SK...R1] authenticates: a device with this ID created a message with
/// this RSA block. The integrity value does not authenticate the rest of the payload.
///
/// A server should record this value for each SPC. A message with the same RSA block and different other bytes is a
/// modified copy: only the device has the payload key, so only the device can encrypt the key again.
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
