import ArgumentParser
import Foundation
import KeyStore
import TextCoding

/// The audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read the audit log, and check that nobody changed it.",
        subcommands: [List.self, Verify.self],
        defaultSubcommand: List.self
    )
}

extension AuditCommand {
    /// What was asked and answered.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what was asked and what was answered, the newest last.",
            discussion: """
                One line for each request: number, time, outcome, asset, account, device, policy, how long it took, the ID \
                that the answer carried (`instance` of a problem), and the detail that a client does not see. The device is \
                a keyed hash of its anonymous ID: the same device has the same hash, and the hash names nobody.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("How many requests to print, 1 to 1000.", valueName: "number"))
        var last = 20
        @Option(help: ArgumentHelp("Print what came after this entry instead, as many.", valueName: "entry"))
        var after: Int64?

        func validate() throws {
            guard (1...1000).contains(last) else { throw ValidationError("--last is 1 to 1000.") }
        }

        func run() async throws {
            try await store.withStore { store in
                let entries =
                    if let after {
                        try await store.auditEntries(after: after, limit: last)
                    } else {
                        Array(try await store.auditEntries(before: nil, limit: last).reversed())
                    }
                for entry in entries { print(line(entry)) }
            }
        }

        private func line(_ entry: AuditEntry) -> String {
            let record = entry.record
            let device = record.device.map { Hexadecimal.encode($0.bytes.prefix(4)) }
            let fields: [String?] = [
                "\(entry.number)", Timestamp.text(seconds: record.milliseconds / 1000), record.outcome,
                record.assetID.map(assetName),
                record.account.map { "account \($0)" },
                [record.deviceClass, device].compactMap { $0 }.joined(separator: " "),
                record.policyName.map { "policy \($0)" }, "\(record.microseconds) us",
                record.requestID.map { "request \($0)" }, record.detail,
            ]
            return fields.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
        }
    }

    /// Whether the log is whole.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that no entry was changed, taken out or moved.",
            discussion: """
                Every entry carries a hash over itself and the entry before it. The command computes them anew, all of \
                them, and prints the head: the last entry's place and hash. Note it somewhere else. Given later with \
                --head, it proves that the log still holds what it held then: whoever can write to the database could \
                cut entries off the end, or write the whole log anew.

                Exit codes: 0 the log is whole, 1 it is not.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("A head that an earlier run printed.", valueName: "head"))
        var head: HeadArgument?

        func run() async throws {
            try await store.withStore { store in
                let found = try await store.verifyAudit(expecting: head?.head)
                if let firstBreak = found.firstBreak { throw CommandFailure(Self.words(firstBreak)) }
                print("whole: \(found.entries) entries")
                for head in found.heads { print("head \(head)") }
            }
        }

        private static func words(_ found: AuditVerification.Break) -> String {
            let place = "entry \(found.sequence) of node \(Hexadecimal.encode(found.node))"
            let number = found.number.map { ", number \($0) in the log" } ?? ""
            return switch found.fault {
            case .changed: "the audit log is not whole: \(place)\(number), or what stands before it, was changed"
            case .missing: "the audit log is not whole: before \(place)\(number), entries are missing"
            case .reordered: "the audit log is not whole: \(place)\(number), does not stand where it was written"
            case .truncated: "the audit log is not whole: \(place) and what came after it are missing"
            }
        }
    }
}

/// A head on the command line.
struct HeadArgument: ExpressibleByArgument {
    let head: AuditHead

    init?(argument: String) {
        guard let head = AuditHead(argument) else { return nil }
        self.head = head
    }
}
