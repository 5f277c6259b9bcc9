import HTTPTypes
package import Hummingbird
package import KeyStore
import NIOCore
import TextCoding

/// A license as HTTP has it.
///
/// | Question | Answer | What the app is told |
/// |---|---|---|
/// | octets | `application/octet-stream`: the CKC | headers |
/// | text, form | `text/plain`: the CKC in base64 | headers |
/// | JSON | `application/json`: `{"ckc": "…", "dualExpiry": false, "persistable": false}` | fields |
///
/// The headers are `Keyway-Persistable` and `Keyway-Dual-Expiry`, each `true` or `false`.
extension LicenseAnswer {
    /// The answer in the shape of the question.
    package func response(in shape: LicenseShape) -> Response {
        let type: String
        let body: [UInt8]
        switch shape {
        case .octets:
            (type, body) = ("application/octet-stream", ckc)
        case .text, .form:
            (type, body) = ("text/plain; charset=us-ascii", Array(Base64.encode(ckc).utf8))
        case .json:
            (type, body) = ("application/json", JSONValue.fields(fields).encoded)
        }
        // A license is for one device and one moment.
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store"]
        if shape != .json {
            headers[.persistable] = "\(isPersistable)"
            headers[.dualExpiry] = "\(hasDualExpiry)"
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// The answer as JSON fields; the batch adds its own around them.
    var fields: [(name: String, value: JSONValue?)] {
        [
            ("ckc", .string(Base64.encode(ckc))),
            ("persistable", .bool(isPersistable)),
            ("dualExpiry", .bool(hasDualExpiry)),
        ]
    }
}

extension HTTPField.Name {
    /// Whether the key of the CKC may be kept: `true` or `false`.
    package static let persistable = Self("Keyway-Persistable")!
    /// Whether the key of the CKC has a storage and a playback duration: `true` or `false`.
    package static let dualExpiry = Self("Keyway-Dual-Expiry")!
}
