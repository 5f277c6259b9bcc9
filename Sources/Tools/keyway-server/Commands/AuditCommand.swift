import ArgumentParser
import Foundation
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `audit`.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read the audit log, and verify its integrity.",
        subcommands: [List.self, Verify.self]
    )
}

extension AuditCommand {
    /// `audit list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print entries of the audit log, newest last.",
            discussion: """
                One line per entry: number, time, outcome, asset, account, device, policy, duration, the ID of the \
                response (`instance` of a problem document), and the detail that clients do not see. The device is a \
                keyed hash of its anonymous ID: the same device always has the same hash, and the hash does not \
                identify the device elsewhere.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(
            help: ArgumentHelp(
                """
                The number of entries to print, 1 to 1000: the newest ones or, with --after, the first ones after \
                that entry.
                """,
                valueName: "number"
            )
        )
        var limit = 20
        @Option(
            help: ArgumentHelp(
                "Print the entries that follow this entry number. (default: the newest entries)",
                valueName: "entry"
            )
        )
        var after: Int64?
        @OptionGroup var selection: AuditFilterOptions
        @OptionGroup var output: JSONOption

        func validate() throws {
            guard (1...1000).contains(limit) else {
                throw ValidationError("--limit: expected a number from 1 to 1000.")
            }
            guard after == nil || selection.filter == AuditFilter() else {
                throw ValidationError("--after: cannot be combined with options that select entries.")
            }
        }

        func run() async throws {
            try await store.withStore { store in
                let entries =
                    if let after {
                        try await store.auditEntries(after: after, limit: limit)
                    } else {
                        Array(try await newest(store).reversed())
                    }
                var list = RecordList(output)
                for entry in entries { try list.append(entry.administrationJSON, or: [line(entry)]) }
                try list.finish()
            }
        }

        /// Returns the newest entries that are selected, newest first.
        private func newest(_ store: any AuditLog) async throws -> [AuditEntry] {
            var (entries, next): ([AuditEntry], Int64?) = ([], nil)
            repeat {
                let page = try await store.auditEntries(
                    matching: selection.filter,
                    before: next,
                    limit: limit - entries.count
                )
                entries += page.entries
                next = page.next
            } while next != nil && entries.count < limit
            return entries
        }

        private func line(_ entry: AuditEntry) -> String {
            let record = entry.record
            let device = record.device.map { Hexadecimal.encode($0.bytes.prefix(4)) }
            let parts: [String?] = [
                "\(entry.number)", Timestamp.text(seconds: record.milliseconds / 1000), record.outcome,
                record.assetID.map(assetName),
                record.account.map { "account \($0)" },
                [record.deviceClass, device].compactMap { $0 }.joined(separator: " "),
                record.policyName.map { "policy \($0)" }, "\(record.microseconds) us",
                record.requestID.map { "request \($0)" }, record.detail,
            ]
            return fields(parts.map { $0.flatMap { $0.isEmpty ? nil : $0 } })
        }
    }

    /// `audit verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that no entry was changed, removed, or moved.",
            discussion: """
                Every entry contains a hash of its contents and of the previous entry's hash. The command recomputes \
                all hashes and prints the head of each hash chain: the position and hash of its last entry. Store \
                the heads somewhere else. A later run with --head then proves that the log still contains everything \
                up to that entry. Without --head, someone who can write to the database could remove entries from \
                the end, or rewrite the whole log, without being detected.

                Exit codes: 0 the log is intact, 1 it is not, 2 usage error, 3 unusable file or connection.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("A head that an earlier run printed. (default: none)", valueName: "head"))
        var head: HeadArgument?
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                let found = try await store.verifyAudit(expecting: head?.head)
                if output.json { try Terminal.write(found.administrationJSON.indented) }
                if let firstBreak = found.firstBreak { throw CommandFailure.input(Self.message(firstBreak)) }
                guard !output.json else { return }
                try printLine("intact: \(counted(found.entries, "entry", "entries"))")
                for head in found.heads { try printLine("head \(head)") }
            }
        }

        private static func message(_ found: AuditVerification.Break) -> String {
            let place = "entry \(found.sequence) of node \(Hexadecimal.encode(found.node))"
            let number = found.number.map { ", number \($0) in the log" } ?? ""
            return switch found.fault {
            case .changed: "the audit log is not intact: \(place)\(number), or an entry before it, was changed"
            case .missing: "the audit log is not intact: entries are missing before \(place)\(number)"
            case .reordered: "the audit log is not intact: \(place)\(number), is not in its original position"
            case .truncated: "the audit log is not intact: \(place) and the entries after it are missing"
            }
        }
    }
}
