import ContentKeySession
import HTTPRequests
import ToolSupport
import VirtualDevice

/// Why a request for a key failed, in words, and what to do.
struct LicenseProblem: Sendable {
    /// The step of the diagnosis: `token`, `spc`, `license` or `ckc`.
    let step: String
    /// The stable code: the name of the server's problem type, or of the device's error.
    let code: String
    /// The remedy.
    let remedy: String
    /// True if a connection failed.
    var isUnreachable = false
    private let sentence: String

    /// The text that is the same for all requests that fail in the same way.
    var identity: String { "\(code)\n\(sentence)" }

    /// Creates the problem of a request; nil if it succeeded.
    init?(_ outcome: KeyRequestOutcome) {
        guard let error = outcome.error else { return nil }
        let uri = PlaylistText.printable(PlaylistText.redacted(outcome.uri))
        switch error {
        case is FPSError where outcome.isRepeated:
            self.init(
                "license-repeated",
                "the response to the key request for \(uri) is the CKC of an earlier request; devices report -42668",
                remedy:
                    "Look for a proxy, a CDN, or an app that caches responses to /fps/license: each SPC needs its own "
                    + "CKC."
            )
        case let error as FPSError: self.init(error, outcome, uri)
        case let failure as CommandFailure:
            if let problem = failure.cause as? ProblemResponse {
                self.init(problem, uri)
            } else if failure.cause is BoundedHTTP.Failure {
                self.init(
                    "license-unreachable",
                    failure.what,
                    remedy: "Check the proxy and the limits of the server: the certificate came from the same address."
                )
                isUnreachable = true
            } else {
                self.init(
                    "license-response",
                    failure.what,
                    remedy: "Check what answers license requests: `keyway device request-key` prints the exchange."
                )
            }
        default:
            self.init(
                "license-failed",
                "the request failed",
                remedy: "Try `keyway device request-key` with the same options."
            )
        }
    }

    /// Creates the problem of a request without a problem document.
    private init(_ code: String, _ what: String, remedy: String) {
        (step, self.code, self.remedy) = ("license", code, remedy)
        let text = Self.safe(what)
        sentence = "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    /// Returns the description.
    ///
    /// - Parameter classes: The device classes in parentheses, or empty text.
    func text(for classes: String) -> String {
        classes.isEmpty ? sentence : "\(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)\(classes)."
    }

    private static func safe(_ text: String) -> String { PlaylistText.message(text) }

    // MARK: Devices

    private init(_ error: FPSError, _ outcome: KeyRequestOutcome, _ uri: String) {
        step = outcome.stage <= .spc ? "spc" : "ckc"
        code = error.name
        let number = error.code.map { " with error \($0)" } ?? ""
        let reason = error.reason.map { ": \($0)" } ?? ""
        let action = outcome.stage <= .spc ? "does not create a key request" : "does not accept the license"
        sentence = "The device \(action) for \(uri)\(number) (\(error.name))\(Self.safe(reason))."
        let meaning = error.code.flatMap { PlatformErrorCatalog.explanations(number: $0).first }
        // The first remedy in the catalog for an invalid CKC is this command.
        let isInvalid = error == .invalidCKC
        let first = isInvalid ? Self.invalidCKCRemedy : meaning?.remedies.first
        let advice = first.map { "\($0) " } ?? ""
        remedy = advice + (error.code.map { "`keyway explain \($0)` has all causes." } ?? "See docs/pitfalls.md.")
    }

    private static let invalidCKCRemedy =
        "Save the messages with `keyway device request-key --save FILE`, and check them with `keyway ckc open`."

    // MARK: Problem types of the server

    /// The problem types with a sentence and a remedy of their own.
    static let explainedTypes: Set<String> = [
        "token-missing", "token-expired", "token-not-yet-valid", "token-audience", "token-issuer", "token-signature",
        "token-unknown-key", "token-algorithm", "token-malformed", "token-claims", "token-asset", "token-device",
        "token-already-bound", "unauthorized", "forbidden", "unknown-asset", "refused-by-policy", "unreadable-spc",
        "unknown-certificate", "streams-exceeded", "devices-exceeded", "rate-limited", "overloaded", "unavailable",
        "internal-error",
    ]

    private init(_ problem: ProblemResponse, _ uri: String) {
        let name = problem.name ?? "status-\(problem.status)"
        code = name
        let detail = [problem.detail, problem.reason.map { "reason: \($0)" }].compactMap { $0 }.joined(separator: "; ")
        let addition = detail.isEmpty ? "" : " (\(Self.safe(detail)))"
        let log = problem.instance.map { " `keyway-server audit list` has the record \(Self.safe($0))." } ?? ""
        switch name {
        case "token-missing":
            step = "token"
            sentence = "The server requires a playback token, and none was sent\(addition)."
            remedy = "Give one with --token @FILE; `keyway token` makes one for a test: docs/authorization.md."
        case "token-expired":
            step = "token"
            sentence = "The token has expired\(addition)."
            remedy = "Get a new one from the service that issues tokens; they should be valid for minutes, not seconds."
        case "token-not-yet-valid":
            step = "token"
            sentence = "The token is not valid yet\(addition)."
            remedy = "Compare the clocks of the token's issuer and of the key server."
        case "token-audience":
            step = "token"
            sentence = "The token is for another service: its audience (aud) is not the server's\(addition)."
            remedy = "Issue it with the audience of the setting `authorization.tokens[].audience`."
        case "token-issuer":
            step = "token"
            sentence = "The server does not trust the token's issuer (iss)\(addition)."
            remedy = "Compare iss with `authorization.tokens[].issuer`: `keyway-server config check FILE`."
        case "token-signature", "token-unknown-key", "token-algorithm":
            step = "token"
            sentence = "The server cannot verify the token: it was signed with a key that it does not have\(addition)."
            remedy = "Compare the issuer's JWKS with the signing key (kid, alg): `keyway-server doctor --config FILE`."
        case "token-malformed", "token-claims":
            step = "token"
            sentence = "The server cannot use the token: \(problem.title ?? name)\(addition)."
            remedy = "Compare its claims with docs/authorization.md."
        case "token-asset":
            step = "token"
            sentence = "The token is for another title or asset than \(uri)\(addition)."
            remedy = "Issue it for this asset: claims `assets` and `title` in docs/authorization.md."
        case "token-device", "token-already-bound":
            step = "token"
            sentence = "The token belongs to another device or session\(addition)."
            remedy = "Get a token of its own for each session."
        case "unauthorized", "forbidden":
            step = "token"
            sentence = "The authorization refused the request\(addition)."
            remedy = "Ask the service behind the webhook: docs/authorization.md.\(log)"
        case "unknown-asset":
            step = "license"
            sentence = "The server has no key for \(uri)\(addition)."
            remedy = "Compare the asset ID with `keyway-server keys list`; add it with `keyway-server keys add`."
        case "refused-by-policy":
            step = "license"
            sentence = "The policy of \(uri) refuses the license\(addition)."
            let explain = problem.reason.map { "`keyway explain \(Self.safe($0))` explains the reason; " } ?? ""
            remedy = "\(explain)`keyway-server policies show` prints the policy, and docs/policy.md its fields.\(log)"
        case "unreadable-spc":
            step = "license"
            sentence =
                "The server cannot open the key request: its ASk or private key is not that of "
                + "--credentials\(addition)."
            remedy =
                "Give the credentials that the server's bundle was made from: `keyway-server certificates "
                + "list`.\(log)"
        case "unknown-certificate":
            step = "license"
            sentence = "The server does not have the certificate of the key request\(addition)."
            remedy =
                "Several servers behind one address may have different certificates: `keyway-server "
                + "certificates list`."
        case "streams-exceeded", "devices-exceeded":
            step = "license"
            sentence = "The account has too many \(name == "streams-exceeded" ? "streams" : "devices")\(addition)."
            remedy = "End one (`keyway-server leases list`), or check with fewer --device-class: each uses one."
        case "rate-limited", "overloaded", "unavailable", "internal-error":
            step = "license"
            sentence = "The server could not answer: \(problem.title ?? name)\(addition)."
            remedy = "Run `keyway-server doctor` on its machine, and look at its log.\(log)"
        default:
            step = "license"
            sentence =
                "The server refused the license for \(uri) with status \(problem.status): "
                + "\(Self.safe(problem.title ?? problem.type ?? "no reason given"))\(addition)."
            remedy = "docs/key-server.md describes the checks.\(log)"
        }
    }
}
