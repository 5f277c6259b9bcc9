extension LicensePolicy {
    /// The permissive settings of the policy, as short sentences for the operator: missing limits, missing
    /// requirements for devices, and clients that get the raw key. Empty for a policy without permissive settings.
    package var permissiveSettings: [String] { PolicyField.all.compactMap { $0.opening(self) } }

    /// The requests that the policy refuses, as noun phrases for the operator. What every policy refuses, such as a halted
    /// playback, is not listed.
    package var refusals: [String] { PolicyField.all.compactMap { $0.refusal(self) } }

    /// Sentences for the operator about the rules whose refusal an attacker avoids by removing a report from the SPC.
    package var unprovenRules: [String] {
        PolicyField.all.compactMap { field in
            guard let report = field.report, report.canRefuse(self), !requiredReports.contains(report.rule),
                let passing = report.passingWithout
            else { return nil }
            return "Nothing proves \(field.name): \(passing) gets the key. If all your devices report it, set "
                + #"\#(field.name) to {"value": "deny", "requireReport": true}."#
        }
    }

    /// The effects of all fields, in the order of the fields.
    package var effects: [PolicyEffect] { PolicyField.all.flatMap { $0.effects(in: self) } }
}

// Sentences about permissive values, for the rows of the fields.

extension LicensePolicy {
    var rawKey: String? {
        switch otherClients {
        case .deny: return nil
        case nil:
            return
                "Clear Key and AES-128 clients get no key from this policy alone, but they do if another policy of the title, "
                + #"track, key or token sets "otherClients" to "allow"; set "deny" to prevent this."#
        case .allow:
            let unenforced = PolicyField.all.filter { $0.isUnenforcedWithoutFairPlay(self) }.map(\.name)
            return
                "Clear Key and AES-128 clients get the raw key if the server's licenses.otherClients lists them; they "
                + "can copy the key, and the key does not expire."
                + (unenforced.isEmpty ? "" : " They do not enforce \(unenforced.joined(separator: ", ")).")
        }
    }

    var endlessPlayback: String? {
        guard lease == nil else { return nil }
        return onlineRental == nil
            ? "An online key has no time limit: a device can play without an end."
            : "Playback with an online key can continue without an end after it has started, because there is no lease."
    }

    var persistentKeyWithoutEnd: String? {
        switch persist {
        case nil: nil
        case .unlimited: "A persistent key for offline playback never expires."
        case .limited where renewAfterExpiry != false, .dual where renewAfterExpiry != false:
            "A persistent key for offline playback can be requested again after it has expired."
        case .limited, .dual: nil
        }
    }

    var unprotectedOutputs: String? {
        switch hdcp {
        case .some(.none): "HDCP is not required: video can be sent to unprotected outputs."
        case nil: "HDCP is not specified; devices enforce Type 0 by default."
        case .type0, .type1: nil
        }
    }

    var routes: String? {
        let open = [airplay == .deny ? nil : "AirPlay", adapter == .deny ? nil : "the digital AV adapter"].compactMap {
            $0
        }
        return open.isEmpty ? nil : "The key can be used for playback through \(open.joined(separator: " and "))."
    }

    var unlimitedAccount: String? {
        devices == nil && streams == nil
            ? "An account can use the key on any number of devices and streams at the same time." : nil
    }
}
