import ArgumentParser
import ContentKeySession
import Foundation
import OfflineAssets
import TextCoding
import ToolSupport

/// `keyway offline return`.
struct OfflineReturnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "return",
        abstract: "Return the keys of downloads that were deleted without a connection to their key server.",
        discussion: """
            --server and one of --credentials, --ask, and --dask are required.

            Every command that sends requests about keys to the key server does this first; this command does nothing \
            else. Keys of another server are kept. If the title was downloaded again, its old keys are not returned: the \
            server's record is then that of the new keys.
            """
    )

    @Argument(help: .init("The folder of downloads.", valueName: "folder"))
    var library = FolderPath(argument: ".")

    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    func run() async throws {
        do {
            let root = URL(fileURLWithPath: library.path).standardizedFileURL.path
            let storage = try OfflineStorage(library: root, keys.storage)
            let returns = try await keys.keys(storage, requiresServer: true).sendPendingReturns()
            var report = Report(
                kind: "returns",
                headline: "\(counted(returns.completed, "deleted download")) returned, \(returns.remaining) remaining"
            )
            report.tables = [
                FieldTable(
                    title: "Returned",
                    fields: [
                        Field("downloads", .number(returns.completed)), Field("remaining", .number(returns.remaining)),
                        Field("proofs", .number(returns.responses.count)),
                    ],
                    blocks: returns.responses.enumerated().map {
                        OfflineReportCommand.table("\($0.offset + 1)", $0.element)
                    }
                )
            ]
            if let error = returns.error {
                guard error.code != "no-connection" else { throw error }
                report.problem = .init(stage: "return", code: error.code, reason: "\(error)")
            }
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }
}
