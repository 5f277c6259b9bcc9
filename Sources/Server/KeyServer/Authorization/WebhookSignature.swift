import FPSCrypto
import TextCoding

/// The signature that proves to the operator's service that a request was sent by this server, and when.
///
///     Keyway-Signature: t=1700000000,v1=HEX
///
/// HEX is HMAC-SHA256 with the shared secret over the time in decimal digits, a dot, and the body. The service must
/// compare it in constant time, and refuse a time that differs by more than a few minutes.
enum WebhookSignature {
    static let header = "keyway-signature"

    static func value(body: [UInt8], time: Int64, secret: SecretBytes) -> String {
        let message = Array("\(time).".utf8) + body
        return "t=\(time),v1=\(Hexadecimal.encode(HMACSHA256.authenticate(message, key: secret)))"
    }
}
