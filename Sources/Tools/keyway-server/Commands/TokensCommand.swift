import ArgumentParser
import DRMSignaling
import FPSCrypto
import KeyServer
import KeyStore
import TextCoding

/// Tokens for administration.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Add, list and remove tokens for administration.",
        discussion: """
            A role says what a token may do: viewer reads; support also ends leases, forgets devices and revokes licenses; \
            content also changes titles, policies and keys; admin does everything. The store keeps a hash of the token.
            """,
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token, and print it, this once.",
            discussion: "The token alone goes to standard output, so that it can be kept: `tokens add … > token`."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "A name for the token: who, or what, has it.")
        var name: String
        @Option(help: "viewer, support, content or admin.")
        var role: AdminRole

        func run() async throws {
            let (record, token) = try AdminTokenRecord.make(name: name, role: role, time: systemMilliseconds() / 1000)
            do {
                try await store.withStore(creating: .ifMissing) { store in
                    let what = "token \(name) made, role \(role)"
                    try await store.addAdminToken(record, audit: .command("tokens add", "token-make", what))
                }
            } catch let error as KeyStoreError where error.code == .conflict {
                // There is no --replace that the store's own words could lead to.
                throw CommandFailure("there is a token \(name) already; remove it first, or choose another name")
            }
            tell("added token \(name), \(role.rawValue); it is shown now and never again")
            print(String(decoding: token.reveal(), as: UTF8.self))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the tokens, without the tokens themselves.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.withStore { store in
                for token in try await store.adminTokens() {
                    let used = token.lastUsedDay.map { "last used \(Timestamp.text(seconds: $0 * 86_400).prefix(10))" }
                    let made = "made \(Timestamp.text(seconds: token.created).prefix(10))"
                    print("\(token.name)  \(token.role.rawValue)  \(made)  \(used ?? "never used")")
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a token: from now on it opens nothing.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the token.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let audit = AuditRecord.command("tokens remove", "token-delete", "token \(name) deleted")
                guard try await store.deleteAdminToken(name: name, audit: audit) else {
                    throw CommandFailure("there is no token \(name)")
                }
                print("removed token \(name)")
            }
        }
    }
}

extension AdminRole: ExpressibleByArgument {}
