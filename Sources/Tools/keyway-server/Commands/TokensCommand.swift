import ArgumentParser
import DRMSignaling
import FPSCrypto
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `tokens`.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Add, list, and delete tokens for administration.",
        discussion: """
            The role determines what a token may do over HTTP. viewer reads everything that is not secret, except \
            the list of tokens. support also ends leases, deletes devices and rentals, and revokes licenses. content \
            reads as viewer does, and changes titles, tracks, channels, policies, and keys. encoder only gets and \
            creates content keys with SPEKE. admin may do everything, including managing tokens. Certificates are \
            changed only by `keyway-server certificates`. The store contains only a hash of the token.
            """,
        subcommands: [Add.self, List.self, Delete.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token, and print it once.",
            discussion: """
                Only the token is written to standard output, so that it can be saved in a file. The shell creates \
                that file with the permissions of its umask; to let only the owner read it, run:

                  (umask 077; keyway-server tokens add --data data --name ann --role support > token)
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the token, such as the person or service that uses it.")
        var name: String
        @Option(help: ArgumentHelp("The role, which `keyway-server tokens --help` describes.", valueName: "role"))
        var role: AdminRole
        @OptionGroup var output: JSONOption

        func run() async throws {
            let (record, token) = try AdminTokenRecord.make(name: name, role: role, time: systemMilliseconds() / 1000)
            do {
                try await store.withStore(creating: .ifMissing) { store in
                    let what = "token \(name) created, role \(role)"
                    try await store.addAdminToken(record, audit: .command("tokens add", "token-create", what))
                }
            } catch let error as KeyStoreError where error.code == .conflict {
                // The store's own message mentions --replace, which this command does not have.
                throw CommandFailure.input(
                    "token \(name) already exists",
                    next: "delete it first, or use another name"
                )
            }
            Terminal.writeError(escaped("added token \(name), \(role.rawValue); it is printed only this time"))
            let text = String(decoding: token.reveal(), as: UTF8.self)
            try output.print(record.administrationJSON(token: text)) { text }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens: name, role, day of creation, and day of the last use."
        )

        @OptionGroup var store: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                for token in try await store.adminTokens() {
                    let used = token.lastUsedDay.map { "last used \(Timestamp.text(seconds: $0 * 86_400).prefix(10))" }
                    let created = "created \(Timestamp.text(seconds: token.created).prefix(10))"
                    let line = fields([token.name, token.role.rawValue, created, used ?? "never used"])
                    try list.append(token.administrationJSON(), or: [line])
                }
                try list.finish()
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a token, which becomes invalid immediately.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the token.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let audit = AuditRecord.command("tokens delete", "token-delete", "token \(name) deleted")
                guard try await store.deleteAdminToken(name: name, audit: audit) else {
                    throw CommandFailure.input("there is no token \(name)", next: "see `keyway-server tokens list`")
                }
                try printLine("deleted token \(name)")
            }
        }
    }
}
