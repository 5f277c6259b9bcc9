import ArgumentParser
import ContentKeySession
import Foundation
import OfflineAssets
import TextCoding
import ToolSupport
import VirtualDevice

/// `keyway offline clock`.
struct OfflineClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Print the clock of the device, or set it back to the time of the key server.",
        discussion: """
            The clock of the device never goes back, so that setting back the clock of the computer extends no key. If \
            the clock of the computer was once far ahead, the device keeps that time: keys are expired, and servers \
            refuse its requests (spc-date-in-future). Set the clock of the computer right, and run this command with \
            --server: the device then accepts the time of the server. No key is extended by that.

            The server's time is accepted only over https, which authenticates the server, or from a server on this \
            computer. Without --server, both clocks are printed.
            """
    )

    @Argument(help: .init("The folder of downloads.", valueName: "folder"))
    var library = FolderPath(argument: ".")

    @OptionGroup var keys: OfflineKeyOptions
    @OptionGroup var output: JSONOption

    func run() async throws {
        do {
            let root = URL(fileURLWithPath: library.path).standardizedFileURL.path
            let hasServer = keys.server != nil
            let storage = try OfflineStorage(library: root, keys.storage, mustBeWritable: hasServer)
            let offline = try keys.keys(storage)
            let back = hasServer ? try await offline.correctClock() : nil
            let system = SystemDeviceClock().now
            let time = await offline.device.trustedTime ?? system
            let ahead = max(0, time - system)
            var report = Report(kind: "clock", headline: Self.headline(back: back, ahead: ahead))
            var fields = [
                Field("device", .time(time)), Field("computer", .time(system)),
                Field("ahead", .number(ahead, unit: "s")),
            ]
            if let back { fields.append(Field("set back", .number(back, unit: "s"))) }
            report.tables = [FieldTable(title: "Clocks", fields: fields)]
            if back == nil, ahead > 60 {
                report.notes = ["to set the clock of the device back to the time of the key server, give --server"]
            }
            try ReportOptions.print(report, json: output.json)
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    private static func headline(back: Int64?, ahead: Int64) -> String {
        if let back, back > 0 { return "The device's clock was set back by \(counted(back, "second"))" }
        return ahead > 60
            ? "The device's clock is ahead of the computer's by \(counted(ahead, "second"))"
            : "The device's clock is that of the computer"
    }
}
