import DRMSignaling
import FPSCrypto
import TextCoding

/// The license policies that `--dev` creates for generated keys, so that a license requires what the playlists signal:
///
///     HDCP-LEVEL      NONE, TYPE-0, TYPE-1                  hdcp: none, type0, type1
///     ALLOWED-CPC     AppleBaseline or Baseline is listed   securityLevel: baseline
///                     only AppleMain and Main               securityLevel: main
///                     none                                  no securityLevel
///     class audio                                           securityLevel: audio
///
/// The other fields are those of the server's policy `default`. Where that policy is stricter, its value is kept.
struct SignaledPolicies: Sendable {
    /// A policy to create.
    struct Policy: Hashable, Sendable {
        /// The name, which is determined by the content: a policy of this name never needs to be changed.
        let name: String
        /// The document.
        let document: [UInt8]
    }

    /// The types of HDCP from least to most strict; a policy without the field enforces Type 0 on the device.
    private static let hdcpTypes = ["none", nil, "type0", "type1"]

    /// The server's policy `default`; nil if it has none, so that the built-in one applies.
    private let stored: JSONObject?
    /// True if Clear Key and AES-128 clients are to receive the keys, unless the server's policy denies it.
    private let wantsOtherClients: Bool

    /// Creates policies.
    ///
    /// - Parameters:
    ///   - defaultPolicy: The server's policy `default`, if it has one.
    ///   - wantsOtherClients: Whether Clear Key and AES-128 clients are to receive the keys.
    init(defaultPolicy: [UInt8]?, wantsOtherClients: Bool) {
        self.wantsOtherClients = wantsOtherClients
        let value = defaultPolicy.flatMap { try? JSONValue(parsing: $0) }
        if case .object(let object)? = value { stored = object } else { stored = nil }
    }

    /// True if Clear Key and AES-128 clients receive the keys. A server with its own policy decides.
    var allowsOtherClients: Bool {
        stored.map { $0["otherClients"]?.text == "allow" } ?? wantsOtherClients
    }

    /// Returns the policy of a class's key.
    func policy(of trackClass: TrackClass, _ protection: OutputProtection) -> Policy {
        var rest: JSONObject = stored ?? ["virtualMachines": .string("deny")]
        _ = rest.removeValue(forKey: "name")
        let hdcp = hdcp(protection, rest.removeValue(forKey: "hdcp")?.text)
        let given = rest.removeValue(forKey: "securityLevel")
        var level = Self.level(of: trackClass, protection).map { JSONValue.string($0) }
        if trackClass != .audio, let given, Self.isMain(given) || level == nil { level = given }
        if stored == nil, wantsOtherClients {
            rest = JSONObject(rest.members + [JSONObject.Member(key: "otherClients", value: .string("allow"))])
        }
        let own: JSONObject = ["hdcp": hdcp.map { JSONValue.string($0) }, "securityLevel": level]
        let document = JSONValue.object(JSONObject(own.members + rest.members)).encoded()
        var words = ["development", hdcp ?? "any", level.flatMap { $0.text ?? $0["value"]?.text }].compactMap { $0 }
        if stored != nil {
            words.append(Hexadecimal.encode(SHA256.hash(document).prefix(4)))
        } else if wantsOtherClients {
            words.append("other-clients")
        }
        return Policy(name: words.joined(separator: "-").lowercased(), document: document)
    }

    /// Returns the stricter of the signaled type and that of the server's policy.
    private func hdcp(_ protection: OutputProtection, _ given: String?) -> String? {
        let signaled = protection.hdcp.map { $0.rawValue.lowercased().filter { $0 != "-" } }
        guard stored != nil, let given else { return signaled ?? given }
        func rank(_ type: String?) -> Int { Self.hdcpTypes.firstIndex(of: type) ?? Self.hdcpTypes.count }
        return rank(given) > rank(signaled) ? given : signaled
    }

    private static func level(of trackClass: TrackClass, _ protection: OutputProtection) -> String? {
        guard trackClass != .audio else { return "audio" }
        guard let labels = protection.labels[.fairPlay], !labels.isEmpty else { return nil }
        return labels.contains(.baseline) || labels.contains(.appleBaseline) ? "baseline" : "main"
    }

    private static func isMain(_ value: JSONValue) -> Bool {
        (value.text ?? value["value"]?.text)?.lowercased().hasSuffix("main") ?? false
    }
}
