import Foundation

/// The policy of keys that `--dev` registers for Clear Key or AES-128 clients, and whether it gives them the keys.
struct RegistrationPolicy {
    /// What the keys are registered under; nil leaves the server's default.
    let name: String?
    /// What it means for such clients, in a sentence.
    let words: String

    /// The policy that is made where neither the command line nor the server names one: the built-in default policy of the
    /// server, with such clients.
    static let madeName = "development-other-clients"
    private static let madeDocument = #"{"hdcp": "type0", "virtualMachines": "deny", "otherClients": "allow"}"#

    /// Finds the policy. What the server has is never changed: a policy that denies such clients goes on denying them.
    ///
    /// - Parameter given: The policy that the command line names.
    static func forOtherClients(given: String?, on server: KeyServerClient) async throws -> RegistrationPolicy {
        let named = given ?? "default"
        if let document = try await server.policy(named: named) {
            return RegistrationPolicy(name: given, words: words(named, document))
        }
        // Registering says that there is no such policy.
        if given != nil { return RegistrationPolicy(name: given, words: "the server has no policy \(named)") }
        if let document = try await server.policy(named: madeName) {
            return RegistrationPolicy(name: madeName, words: words(madeName, document))
        }
        let document = Array(madeDocument.utf8)
        try await server.put(policy: document, named: madeName)
        return RegistrationPolicy(name: madeName, words: words(madeName, document))
    }

    private static func words(_ name: String, _ document: [UInt8]) -> String {
        struct Fields: Decodable { var otherClients: String? }
        let fields = try? JSONDecoder().decode(Fields.self, from: Data(document))
        guard fields?.otherClients == "allow" else {
            return "the keys are registered under the policy \(name), which does not allow otherClients: Clear Key and "
                + "AES-128 clients get no key"
        }
        return "the keys are registered under the policy \(name), which gives Clear Key and AES-128 clients the raw key"
    }
}
