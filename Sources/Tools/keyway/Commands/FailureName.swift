import ContentKeySession
import Foundation
import HLSPlaylist
import KeyServerModule
import StreamValidation
import TextCoding
import ToolSupport
import VirtualDevice

/// The explanation of a name that Keyway prints for a failure: of a key request, a problem type or a reason of the key
/// server, a code of `keyway doctor`, or a rule of `keyway validate`.
struct FailureName: Sendable {
    /// The name, in kebab-case.
    let name: String
    /// The category of the name, with its article.
    let kind: String
    /// The meaning in one sentence; nil if only the page has it.
    var meaning: String?
    /// The remedy; nil if only the page says it.
    var remedy: String?
    /// The page that explains the name.
    let page: String

    /// Finds a name; nil if the text is not one.
    init?(_ text: String) {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        if let found = Self.doctor(name) ?? Self.reason(name) ?? Self.loader(name) ?? Self.rule(name) {
            self = found
        } else {
            return nil
        }
    }

    private init(_ name: String, _ kind: String, _ meaning: String?, _ remedy: String? = nil, page: String) {
        (self.name, self.kind, self.meaning, self.remedy, self.page) = (name, kind, meaning, remedy, page)
    }

    // MARK: Sources

    /// Returns the explanation of a problem type of the key server, or of a code of `keyway doctor`.
    private static func doctor(_ name: String) -> FailureName? {
        let problem = ServerSteps.storedResponses()
        if name == problem.code {
            return FailureName(name, "a code of keyway doctor", problem.text, problem.remedy, page: "docs/doctor.md")
        }
        if let repeated = LicenseProblem(outcome(FPSError.invalidCKC, isRepeated: true)), repeated.code == name {
            let text = repeated.text(for: "")
            return FailureName(name, "a code of keyway doctor", text, repeated.remedy, page: "docs/doctor.md")
        }
        guard LicenseProblem.explainedTypes.contains(name) else { return nil }
        let refusal = CommandFailure.input(name).caused(by: ProblemResponse(type: name))
        return LicenseProblem(outcome(refusal)).map { problem in
            FailureName(
                name,
                "a problem type of the key server",
                problem.text(for: ""),
                problem.remedy,
                page: "docs/server.md, section \"When something is refused\""
            )
        }
    }

    /// Returns the outcome of a request for a key that failed.
    private static func outcome(_ error: any Error, isRepeated: Bool = false) -> KeyRequestOutcome {
        KeyRequestOutcome(
            uri: "the asset",
            deviceClass: "",
            isPersistent: false,
            stage: error is FPSError ? .ckc : .license,
            error: error,
            isRepeated: isRepeated
        )
    }

    /// Returns the explanation of a failure of the key loader.
    private static func loader(_ name: String) -> FailureName? {
        guard let kind = KeyFailure.Kind(rawValue: name) else { return nil }
        let what = "a failure of a key request in apps and in keyway play"
        return FailureName(name, what, nil, kind.rule.advice, page: "docs/key-loader.md")
    }

    /// Returns the explanation of a rule of `keyway validate`.
    private static func rule(_ name: String) -> FailureName? {
        ValidationRule.all.first { $0.id.rawValue == name }.map { rule in
            FailureName(name, "a rule of keyway validate", rule.summary, rule.advice, page: "docs/validate-rules.md")
        }
    }

    /// The meanings of the reasons with which the key server refuses a license.
    private static let reasons: [(KSMError.Code, String)] = [
        (.reportMissing, "The policy requires a report that the SPC does not contain."),
        (.deviceClassUnknown, "The policy has a rule about device classes, and the SPC contains no known class."),
        (.assetIDMismatch, "The SPC and the request have different asset IDs."),
        (.contentOutOfScope, "The scope of the certificate bundle does not include the content."),
        (.syncSPC, "A Sync SPC was sent in a key request."),
        (.spcTooOld, "The SPC is older than allowed: the device's clock is behind, or the request was delayed."),
        (.spcDateInFuture, "The creation date of the SPC is too far ahead of the server's clock."),
        (.playbackStateMissing, "The policy requires the creation date and the playback state, and the SPC has none."),
        (.playbackHalted, "The SPC reports that playback has halted, so it requests no key."),
        (.playbackStateUnknown, "The playback state in the SPC is unknown."),
        (.hdcpNotEnforceable, "The policy requires HDCP Type 1, and the device cannot enforce it."),
        (.securityLevelTooLow, "The policy requires a higher security level than the device has."),
        (.virtualMachine, "The device is a virtual machine, which the policy denies."),
        (.airPlayDenied, "The content would be displayed through AirPlay, which the policy denies."),
        (.adapterDenied, "The content would be displayed through the digital AV adapter, which the policy denies."),
        (.osVersionTooOld, "The operating system is older than the policy requires, or the device does not report it."),
        (.networkDenied, "The client's address is not in a network that the policy lists, or is unknown."),
        (.originDenied, "The policy does not list the web origin of the request, or the request has none."),
        (.offlineKeyUnsupported, "The device cannot enforce the expiry of an offline key."),
        (.streamIDMissing, "Dual expiry requires a stream ID, and the content has none."),
        (.policyInvalid, "The policy contradicts itself, or does not fit the track."),
    ]

    /// Returns the explanation of a reason with which the key server refuses a license.
    private static func reason(_ name: String) -> FailureName? {
        reasons.first { $0.0.rawValue == name }.map { code, meaning in
            FailureName(name, "a reason with which the key server refuses a license", meaning, page: "docs/policy.md")
        }
    }

    // MARK: Printing

    /// The explanation as lines for a terminal.
    func text(_ style: Style) -> String {
        let lines = ["\(style.bold(name))  (\(kind))"] + [meaning].compactMap(\.self)
        let remedies = remedy.map { ["", style.bold("What to do"), "  - \($0)"] } ?? []
        return (lines + remedies + ["", "Source: \(page)"]).joined(separator: "\n") + "\n"
    }

    /// The explanation as JSON, with the members of that of an error number.
    var json: JSONValue {
        let explanation = JSONValue.object([
            "code": .null, "name": .string(name), "kind": .string(kind), "meaning": .string(meaning),
            "remedies": .array([remedy].compactMap(\.self).map { .string($0) }), "source": .string(page),
        ])
        return .object(["domain": .null, "code": .null, "explanations": .array([explanation])])
    }
}
