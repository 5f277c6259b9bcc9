import DRMSignaling

/// The choice of the license policy for each key that `--dev` generates.
struct KeyPolicies: Sendable {
    /// A policy by name; one with a document is created if the server does not have it.
    struct Choice: Sendable {
        /// The name; nil for the server's policy `default`.
        var name: String?
        /// The document of a policy that the server may not have.
        var document: [UInt8]?
    }

    /// The policies on the command line.
    var given: [PolicyArgument] = []
    /// The policies that require what the playlists signal; nil if they signal nothing that a license can require.
    var signaled: SignaledPolicies?
    /// The policy of all other keys; nil for the server's policy `default`.
    var fallback: String?

    /// Returns the policy of a key.
    func choice(for entry: KeyRegistration.Entry) -> Choice {
        guard let trackClass = entry.classes.first else { return Choice(name: fallback) }
        let named = given.first { $0.trackClass == trackClass } ?? given.first { $0.trackClass == nil }
        if let named { return Choice(name: named.name) }
        guard let signaled, let protection = entry.protection else { return Choice(name: fallback) }
        let policy = signaled.policy(of: trackClass, protection)
        return Choice(name: policy.name, document: policy.document)
    }

    /// Finds the policies for keys with these systems.
    ///
    /// - Returns: The policies, and sentences about their effect on clients without FairPlay.
    static func find(
        given: [PolicyArgument],
        systems: [ProtectionSystem],
        on server: KeyServerClient
    ) async throws -> (policies: KeyPolicies, notes: [String]) {
        var policies = KeyPolicies(given: given)
        var notes: [String] = []
        let hasOtherClients = !Set(systems).isDisjoint(with: [.common, .identity])
        let coversAll = given.contains { $0.trackClass == nil }
        if !coversAll, systems.contains(.fairPlay) {
            let found = SignaledPolicies(
                defaultPolicy: try await server.policy(named: "default"),
                wantsOtherClients: hasOtherClients
            )
            policies.signaled = found
            if hasOtherClients {
                notes.append(
                    found.allowsOtherClients
                        ? "the keys are registered under policies that issue the raw key to Clear Key and AES-128 clients"
                        : "the server's policy default does not allow otherClients: Clear Key and AES-128 clients "
                            + "receive no key"
                )
            }
        }
        guard hasOtherClients else { return (policies, notes) }
        for name in given.map(\.name) {
            notes.append(try await RegistrationPolicy.forOtherClients(given: name, on: server).note)
        }
        if !coversAll, policies.signaled == nil {
            let found = try await RegistrationPolicy.forOtherClients(given: nil, on: server)
            policies.fallback = found.name
            notes.append(found.note)
        }
        return (policies, notes)
    }
}
