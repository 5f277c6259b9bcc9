import Foundation

/// The policy of keys that `--dev` registers for Clear Key or AES-128 clients.
struct RegistrationPolicy {
    /// The name of the policy; nil for the server's default.
    let name: String?
    /// A sentence about the effect on such clients.
    let note: String

    /// The name of the policy that is created if neither the command line nor the server has one: the server's built-in
    /// default policy, with such clients allowed.
    static let createdName = "development-other-clients"
    private static let createdDocument = #"{"hdcp": "type0", "virtualMachines": "deny", "otherClients": "allow"}"#

    /// Returns the policy. Existing policies are never changed: one that denies such clients still denies them.
    ///
    /// - Parameter given: The policy on the command line.
    static func forOtherClients(given: String?, on server: KeyServerClient) async throws -> RegistrationPolicy {
        let named = given ?? "default"
        if let document = try await server.policy(named: named) {
            return RegistrationPolicy(name: given, note: note(named, document))
        }
        // Registration fails later, because the policy does not exist.
        if given != nil { return RegistrationPolicy(name: given, note: "the server has no policy \(named)") }
        if let document = try await server.policy(named: createdName) {
            return RegistrationPolicy(name: createdName, note: note(createdName, document))
        }
        let document = Array(createdDocument.utf8)
        try await server.put(policy: document, named: createdName)
        return RegistrationPolicy(name: createdName, note: note(createdName, document))
    }

    private static func note(_ name: String, _ document: [UInt8]) -> String {
        struct Fields: Decodable { var otherClients: String? }
        let fields = try? JSONDecoder().decode(Fields.self, from: Data(document))
        guard fields?.otherClients == "allow" else {
            return "the keys are registered under the policy \(name), which does not allow otherClients: Clear Key and "
                + "AES-128 clients receive no key"
        }
        return
            "the keys are registered under the policy \(name), which issues the raw key to Clear Key and AES-128 clients"
    }
}
