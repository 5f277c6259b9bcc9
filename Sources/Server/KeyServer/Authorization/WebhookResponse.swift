import KeyStore
import TextCoding

/// The response of the operator's service: `{"allow": true, "account": …, "expires": …, …}` or `{"allow": false,
/// "reason": …}`.
///
/// Unknown fields are errors, because a misspelled limit must not be ignored. A field that is null counts as missing.
enum WebhookResponse: Equatable {
    /// The reason why a response is not valid. It names fields and does not contain values.
    struct FormatError: Error, Equatable {
        let description: String
    }

    case allow(PlaybackAuthorization)
    /// The request is refused, with a reason of one line and at most 1,000 bytes.
    case deny(reason: String?)

    /// The issuer in bindings of tokens that the service authorizes.
    static let issuer = "urn:keyway:webhook"

    private static let fields: Set = [
        "allow", "account", "expires", "notAfter", "assets", "title", "policy", "device", "once", "tokenId", "persist",
        "rentalStart", "reason",
    ]

    init(json text: [UInt8], allowPolicyOverride: Bool) throws(FormatError) {
        let members: JSONObject
        do throws(JSONError) {
            guard case .object(let object) = try JSONValue(parsing: text, maximumDepth: 4) else {
                throw JSONError(reason: "expected an object", place: .path(""))
            }
            members = JSONObject(object.filter { $0.value != .null })
        } catch {
            throw FormatError(description: error.description)
        }
        guard members.keys.allSatisfy({ Self.fields.contains($0) }) else {
            throw FormatError(description: "the response has an unknown field")
        }
        do throws(AuthorizationFields.FieldError) {
            let fields = AuthorizationFields(members)
            guard try AuthorizationFields.required("allow", fields.bool("allow")) else {
                self = .deny(reason: try fields.line("reason", bytes: 1_000))
                return
            }
            let expires = try AuthorizationFields.required("expires", fields.time("expires"))
            var authorization = PlaybackAuthorization(
                account: try AuthorizationFields.required("account", fields.text("account", bytes: 1...200)),
                expires: expires
            )
            try fields.addLimits(to: &authorization)
            authorization.allowPolicyOverride = allowPolicyOverride
            let tokenID = try fields.text("tokenId", bytes: 1...200)
            if try fields.bool("once") == true {
                authorization.binding = TokenBindingClaim(
                    issuer: Self.issuer,
                    tokenID: try AuthorizationFields.required("tokenId", tokenID),
                    expires: expires
                )
            }
            self = .allow(authorization)
        } catch {
            throw FormatError(description: "\(error.field): expected \(error.expectation)")
        }
    }
}
