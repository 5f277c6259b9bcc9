import ArgumentParser
import OfflineAssets
import ToolSupport

/// The options of commands that send requests about the stored keys of one download to the key server.
struct OfflineServerOptions: ParsableArguments {
    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    /// Performs a request, and prints its report.
    ///
    /// - Parameter request: A closure that receives the keys and the title, and returns the report.
    func printReport(_ request: (OfflineKeys, String) async throws -> Report) async throws {
        do {
            let location = try title.location()
            let name = try location.open().description.title
            let storage = try OfflineStorage(library: location.library, keys.storage)
            let report = try await request(try keys.keys(storage, requiresServer: true), name)
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }
}
