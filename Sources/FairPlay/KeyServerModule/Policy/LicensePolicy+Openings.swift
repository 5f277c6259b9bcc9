extension LicensePolicy {
    /// What the policy leaves open, in short sentences for the operator: who gets the raw key, which limit there is not, and
    /// what is not asked of a device. Empty for a policy that leaves nothing of this open.
    package var openings: [String] {
        [
            rawKey, onlineTime, keptTime, outputs, level,
            virtualMachines == .allow ? "Virtual machines get the key." : nil,
            routes,
            undatedSPC == .allow ? "A request that has no date is accepted however old it is." : nil,
            devices == nil && streams == nil
                ? "An account may use the key on any number of devices and streams at once."
                : nil,
        ].compactMap { $0 }
    }

    private var rawKey: String? {
        switch otherClients {
        case .deny: return nil
        case nil:
            return
                "Clear Key and AES-128 clients get no key from this policy alone, but do if another policy of the title, "
                + #"track, key or token says "otherClients": "allow"; say "deny" to rule that out."#
        case .allow:
            let unenforced = unenforcedForOtherClients
            return
                "Clear Key and AES-128 clients get the raw key, if the server's licenses.otherClients lists them: they "
                + "can copy it, and nothing ends it."
                + (unenforced.isEmpty ? "" : " They do not follow \(unenforced.joined(separator: ", ")).")
        }
    }

    /// The fields of this policy that a client without FairPlay does not follow.
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
            ? "An online key has no time limit: a device may play with it for as long as it likes."
            : "Playback with an online key may go on without an end once it has begun: there is no lease."
    }

    private var keptTime: String? {
        switch persist {
        case nil: nil
        case .unlimited: "A key that is kept for offline playback never expires."
        case .limited where renewAfterExpiry != false, .dual where renewAfterExpiry != false:
            "A key that is kept for offline playback may be requested again after it has expired."
        case .limited, .dual: nil
        }
    }

    private var outputs: String? {
        switch hdcp {
        case .some(.none): "No HDCP is asked for: pictures may leave by unprotected outputs."
        case nil: "HDCP is left to the device, which enforces Type 0."
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
        return open.isEmpty ? nil : "The key may be used for playback by \(open.joined(separator: " and "))."
    }
}
