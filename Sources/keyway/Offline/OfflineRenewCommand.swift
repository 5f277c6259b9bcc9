import ArgumentParser
import OfflineAssets

/// `keyway offline renew`.
struct OfflineRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Ask the key server for new keys in the place of those that are kept.",
        discussion: """
            The server decides. Under a policy with "renewAfterExpiry": false it gives none for a key that has run out, \
            and says renewal-after-expiry. What is kept stays where the server gives nothing.
            """
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    func run() async throws {
        do {
            let place = try title.place()
            let bundle = try place.open()
            let home = try OfflineHome(library: place.library, keys.home)
            let renewals = try await keys.keys(home, requiresServer: true).renew(bundle.description.title)
            var report = Report(kind: "renewal", headline: "Keys of \(escaped(bundle.description.title))")
            var table = FieldTable(title: "Keys", fields: [])
            var refused: [OfflineKeyError] = []
            for (identifier, renewal) in renewals.sorted(by: { $0.key < $1.key }) {
                switch renewal {
                case .renewed: table.fields.append(Field(identifier, .text("renewed")))
                case .refused(let error):
                    table.fields.append(Field(identifier, .text("refused: \(error.code)")))
                    refused.append(error)
                }
            }
            report.tables = [table]
            if let error = refused.first {
                report.problem = .init(stage: "renewal", code: error.code, reason: "\(error)")
            }
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }
}
