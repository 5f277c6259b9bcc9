extension LicensePolicy {
    /// The permissive settings of the policy, as short sentences for the operator: clients that get the raw key,
    /// missing limits, and missing requirements for devices. Empty for a policy without permissive settings.
    package var permissiveSettings: [String] {
        [
            rawKey, onlineTime, persistentKeyTime, outputs, level,
            virtualMachines == .allow ? "Virtual machines get the key." : nil,
            routes,
            undatedSPC == .allow ? "A request without a creation date is accepted, no matter how old it is." : nil,
            devices == nil && streams == nil
                ? "An account can use the key on any number of devices and streams at the same time."
                : nil,
        ].compactMap { $0 }
    }

    private var rawKey: String? {
        switch otherClients {
        case .deny: return nil
        case nil:
            return
                "Clear Key and AES-128 clients get no key from this policy alone, but they do if another policy of the title, "
                + #"track, key or token sets "otherClients" to "allow"; set "deny" to prevent this."#
        case .allow:
            let unenforced = unenforcedForOtherClients
            return
                "Clear Key and AES-128 clients get the raw key if the server's licenses.otherClients lists them; they "
                + "can copy the key, and the key does not expire."
                + (unenforced.isEmpty ? "" : " They do not enforce \(unenforced.joined(separator: ", ")).")
        }
    }

    /// The fields of this policy that a client without FairPlay does not enforce.
    private var unenforcedForOtherClients: [String] {
        let fields: [(name: String, isSet: Bool)] = [
            ("hdcp", hdcp == .type0 || hdcp == .type1), ("securityLevel", securityLevel != nil),
            ("lease", lease != nil),
            ("rental", rental != nil && rentalStart != .token), ("persist", onlineRental != nil),
            ("streams", streams != nil),
            ("devices", devices != nil), ("airplay", airplay == .deny), ("adapter", adapter == .deny),
            ("osVersions", !osVersions.isEmpty),
        ]
        return fields.filter(\.isSet).map(\.name)
    }

    private var onlineTime: String? {
        guard lease == nil else { return nil }
        return onlineRental == nil
            ? "An online key has no time limit: a device can play without an end."
            : "Playback with an online key can continue without an end after it has started, because there is no lease."
    }

    private var persistentKeyTime: String? {
        switch persist {
        case nil: nil
        case .unlimited: "A persistent key for offline playback never expires."
        case .limited where renewAfterExpiry != false, .dual where renewAfterExpiry != false:
            "A persistent key for offline playback can be requested again after it has expired."
        case .limited, .dual: nil
        }
    }

    private var outputs: String? {
        switch hdcp {
        case .some(.none): "HDCP is not required: video can be sent to unprotected outputs."
        case nil: "HDCP is not specified; devices enforce Type 0 by default."
        case .type0, .type1: nil
        }
    }

    private var level: String? {
        switch securityLevel {
        case nil: "Devices of any security level get the key."
        case .audio, .baseline, .main: nil
        }
    }

    private var routes: String? {
        let open = [airplay == .deny ? nil : "AirPlay", adapter == .deny ? nil : "the digital AV adapter"].compactMap {
            $0
        }
        return open.isEmpty ? nil : "The key can be used for playback through \(open.joined(separator: " and "))."
    }
}
