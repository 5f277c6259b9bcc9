import FPSCrypto
import TextCoding

/// Shows the operator's service that a question comes from this server, and when it was asked.
///
///     Keyway-Signature: t=1700000000,v1=HEX
///
/// HEX is HMAC-SHA256 with the shared secret over the time in decimal digits, a dot, and the body. The service compares
/// in constant time, and refuses a time that is off by more than a few minutes.
enum WebhookSignature {
    static let header = "keyway-signature"

    static func value(body: [UInt8], time: Int64, secret: SecretBytes) -> String {
        let message = Array("\(time).".utf8) + body
        return "t=\(time),v1=\(Hexadecimal.encode(HMACSHA256.authenticate(message, key: secret)))"
    }
}
