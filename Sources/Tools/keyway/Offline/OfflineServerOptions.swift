import ArgumentParser
import OfflineAssets

/// What a command needs that asks the key server about the kept keys of one download.
struct OfflineServerOptions: ParsableArguments {
    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    /// Asks, and prints what came of it.
    ///
    /// - Parameter ask: is given the keys and the title.
    func printReport(_ ask: (OfflineKeys, String) async throws -> Report) async throws {
        do {
            let place = try title.place()
            let name = try place.open().description.title
            let home = try OfflineHome(library: place.library, keys.home)
            let report = try await ask(try keys.keys(home, requiresServer: true), name)
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }
}
