import ArgumentParser
import KeyServer
import KeyStore
import ToolSupport

/// `titles`.
struct TitlesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "titles",
        abstract: "Add, list, and delete titles.",
        discussion: """
            A title has tracks (`keyway-server tracks`); a track has key periods (`keyway-server keys add --title`). \
            A key period is a content key that is used for a track during a certain time.

              keyway-server titles add --data data --name film
              keyway-server tracks add --data data --title film --name hd
              keyway-server keys add --data data --title film --track hd \\
                  --key-id 000102030405060708090a0b0c0d0e0f \\
                  --key 3c3d3e3f404142434445464748494a4b --iv 0f0e0d0c0b0a09080706050403020100
            """,
        subcommands: [Add.self, List.self, Delete.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a title, or replace one.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the title.")
        var name: String
        @Option(
            help: ArgumentHelp(
                "The stored policy that applies to all keys of the title. (default: none)",
                valueName: "name"
            )
        )
        var policy: String?
        @Option(
            help: ArgumentHelp(
                """
                The title ID of offline keys, 16 bytes in hexadecimal digits. (default: the first 16 bytes of \
                SHA-256 of the name)
                """,
                valueName: "hex"
            )
        )
        var titleID: HexArgument?
        @Option(
            help: ArgumentHelp(
                """
                The key URI for playlists, which must start with skd://. It can contain {kid} (the key ID in \
                hexadecimal digits), {track} and {title} (the names), and {period} (the start of the key period in \
                Unix seconds, for keys with --valid-from). No placeholder is required, but the keys of a title must \
                have different URIs. (default: skd://{kid})
                """,
                valueName: "template"
            )
        )
        var keyURI: String?
        @Flag(
            help:
                """
                Replace the title of this name, if there is one; its tracks and keys stay. Without it, an existing \
                title is an error. With it, omitted options are reset to their defaults.
                """
        )
        var replace = false
        @OptionGroup var output: JSONOption

        func run() async throws {
            let record = try TitleRecord(
                name: name,
                titleID: try titleID?.bytes(16, option: "--title-id"),
                policyName: policy,
                keyURITemplate: keyURI,
                time: systemMilliseconds() / 1000
            )
            try await store.withStore(creating: .ifMissing) { store in
                try await ContentDefaults.check(title: record, in: store)
                let outcome = try await store.putTitle(record, replacing: replace) { outcome in
                    .command("titles add", "title-put", "title \(record.name) \(outcome)")
                }
                let stored = try await store.title(name: name) ?? record
                try output.print(stored.administrationJSON) { escaped("\(outcome.verb) title \(name)") }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the titles with their tracks.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                var last: String?
                repeat {
                    let page = try await store.titles(after: last, limit: 500)
                    for title in page {
                        let tracks = try await store.tracks(title: title.name).map(\.name).joined(separator: ", ")
                        let line = fields([
                            title.name, tracks.isEmpty ? "(no tracks)" : tracks,
                            title.policyName.map { "policy \($0)" }, title.keyURITemplate,
                        ])
                        try list.append(title.administrationJSON, or: [line])
                    }
                    last = page.last?.name
                } while last != nil
                try list.finish()
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a title that has no tracks.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the title.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let audit = AuditRecord.command("titles delete", "title-delete", "title \(name) deleted")
                guard try await store.deleteTitle(name: name, audit: audit) else {
                    throw CommandFailure.input("there is no title \(name)", next: "see `keyway-server titles list`")
                }
                try printLine("deleted title \(name)")
            }
        }
    }
}
