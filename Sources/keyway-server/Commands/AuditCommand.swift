import ArgumentParser
import Foundation
import KeyStore

/// The audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Print what was asked and what was answered, the newest last.",
        discussion: """
            One line for each request: time, outcome, asset, device, policy, the ID that the answer carried (`instance` of a problem), and the detail that a client does not see. The \
            device is a keyed hash of its anonymous ID: the same device has the same hash, and the hash names nobody.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("How many requests to print, 1 to 1000.", valueName: "number"))
    var last = 20

    func validate() throws {
        guard (1...1000).contains(last) else { throw ValidationError("--last is 1 to 1000.") }
    }

    func run() async throws {
        try await store.withStore { store in
            for entry in try await store.auditEntries(before: nil, limit: last).reversed() {
                print(line(entry.record))
            }
        }
    }

    private func line(_ record: AuditRecord) -> String {
        let time = Date(timeIntervalSince1970: Double(record.milliseconds) / 1000)
        let device = record.device.map { $0.bytes.prefix(4).map { String(format: "%02x", $0) }.joined() }
        let fields: [String?] = [
            time.formatted(.iso8601), record.outcome, record.assetID.map(assetName),
            [record.deviceClass, device].compactMap { $0 }.joined(separator: " "),
            record.policyName.map { "policy \($0)" }, "\(record.microseconds) us",
            record.requestID.map { "request \($0)" }, record.detail,
        ]
        return fields.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
