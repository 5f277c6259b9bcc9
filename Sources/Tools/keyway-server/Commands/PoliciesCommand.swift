import ArgumentParser
import KeyServer
import KeyServerModule
import KeyStore
import TextCoding
import ToolSupport

/// `policies`.
struct PoliciesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policies",
        abstract: "Add, list, show, and delete license policies.",
        subcommands: [Add.self, List.self, Show.self, Delete.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a policy, or replace one.",
            discussion: """
                Prints what the policy refuses, which of these rules nothing proves without requireReport, and each \
                permissive setting: a missing limit, a missing requirement for devices, and the clients that get an \
                unencrypted key. The policy named default applies to content that names \
                no policy. docs/policy.md describes the document.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The name that content refers to.")
        var name: String
        @Argument(help: ArgumentHelp("The policy document, a JSON file.", valueName: "file"))
        var file: InputPath
        @Flag(
            help:
                "Replace the policy of this name, if there is one. Without it, an existing policy is an error."
        )
        var replace = false
        @OptionGroup var output: JSONOption

        func run() async throws {
            let record = try ContentDefaults.policy(name: name, json: try InputFile.read(file.path))
            try await store.withStore(creating: .ifMissing) { store in
                try await ContentDefaults.check(policy: record, in: store)
                let name = name
                let outcome = try await store.putPolicy(record, replacing: replace) { outcome in
                    .command("policies add", "policy-put", "policy \(name) \(outcome)") { $0.policyName = name }
                }
                try output.print(record.administrationJSON) { escaped("\(outcome.verb) policy \(name)") }
                try record.printEffects(output)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the policies by name.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                var last: String?
                while true {
                    let page = try await store.policies(after: last, limit: 500)
                    for policy in page { try list.append(policy.administrationJSON, or: [policy.name]) }
                    guard let end = page.last else { return try list.finish() }
                    last = end.name
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a policy's document.",
            discussion: "The document is JSON, with and without --json."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the policy.")
        var name: String
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                guard let policy = try await store.policy(name: name) else {
                    throw CommandFailure.input("there is no policy \(name)", next: "see `keyway-server policies list`")
                }
                try Terminal.write(policy.administrationJSON.indented)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a policy that no content refers to.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The name of the policy.")
        var name: String

        func run() async throws {
            try await store.withStore { store in
                let audit = AuditRecord.command("policies delete", "policy-delete", "policy \(name) deleted") {
                    $0.policyName = name
                }
                guard try await store.deletePolicy(name: name, audit: audit) else {
                    throw CommandFailure.input("there is no policy \(name)", next: "see `keyway-server policies list`")
                }
                try printLine("deleted policy \(name)")
            }
        }
    }
}

extension PolicyRecord {
    /// Prints what the policy refuses and permits, one line each; to standard error if standard output is JSON.
    func printEffects(_ output: JSONOption) throws {
        let policy = try LicensePolicy(json: document)
        let refusals = policy.refusals.isEmpty ? [] : ["Refused: \(policy.refusals.joined(separator: "; "))."]
        for sentence in refusals + policy.unprovenRules + policy.permissiveSettings {
            if output.json { Terminal.writeError("note: \(sentence)") } else { try printLine("  - \(sentence)") }
        }
    }
}
