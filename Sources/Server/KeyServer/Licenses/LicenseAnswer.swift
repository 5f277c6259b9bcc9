import HTTPTypes
package import Hummingbird
package import KeyStore
import NIOCore
import TextCoding
import XMLDocuments

/// The answer to a license request.
enum LicenseAnswer: Sendable {
    /// A CKC.
    case license(IssuedLicense)
    /// The report in a Sync SPC, for which no key is issued.
    case syncReport(SyncReport)

    /// Returns the HTTP response. A Sync report is JSON, independent of the body format of the request.
    func response(in format: LicenseBodyFormat) -> Response {
        switch self {
        case .license(let license): license.response(in: format)
        case .syncReport(let report): report.response()
        }
    }

    /// The license. The response to a batch contains only licenses, so a Sync SPC in a batch is refused.
    var license: IssuedLicense {
        get throws(ProblemDocument) {
            guard case .license(let license) = self else { throw ProblemDocument.syncInBatch }
            return license
        }
    }
}

/// The HTTP response with a license.
///
/// | Request | Response | Attributes of the key |
/// |---|---|---|
/// | octets | `application/octet-stream`: the CKC | headers |
/// | text, form, multipart | `text/plain`: the CKC in base64 | headers |
/// | JSON | `application/json`: `{"ckc": "…", "dualExpiry": false, "persistable": false}` | fields |
/// | XML | `application/xml`: `<ckc>…</ckc>` | headers |
///
/// An `Accept` header that excludes the format of the request selects another one.
///
/// The headers are `Keyway-Persistable` and `Keyway-Dual-Expiry`, each `true` or `false`.
extension IssuedLicense {
    /// Returns the response in the body format of the request.
    package func response(in format: LicenseBodyFormat) -> Response {
        let type: String
        let body: [UInt8]
        switch format {
        case .octets:
            (type, body) = ("application/octet-stream", ckc)
        case .text, .form, .multipart:
            (type, body) = ("text/plain; charset=us-ascii", Array(Base64.encode(ckc).utf8))
        case .json:
            (type, body) = ("application/json", JSONValue.fields(fields).encoded)
        case .xml:
            var writer = XMLWriter()
            writer.element("ckc", text: Base64.encode(ckc))
            (type, body) = ("application/xml", writer.bytes)
        }
        // A license is for one device at one time.
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store"]
        if format != .json {
            headers[.persistable] = "\(isPersistable)"
            headers[.dualExpiry] = "\(hasDualExpiry)"
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// The license as JSON fields, to which a batch adds others.
    var fields: [(name: String, value: JSONValue?)] {
        [
            ("ckc", .string(Base64.encode(ckc))),
            ("persistable", .bool(isPersistable)),
            ("dualExpiry", .bool(hasDualExpiry)),
        ]
    }
}

extension HTTPField.Name {
    /// The header that specifies whether the key in the CKC may be persisted: `true` or `false`.
    package static let persistable = Self("Keyway-Persistable")!
    /// The header that specifies whether the key in the CKC has a storage and a playback duration: `true` or `false`.
    package static let dualExpiry = Self("Keyway-Dual-Expiry")!
}
