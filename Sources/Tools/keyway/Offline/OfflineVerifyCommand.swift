import ArgumentParser
import OfflineAssets
import TextCoding
import ToolSupport

/// `keyway offline verify`.
struct OfflineVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare every file of a download with the checksum that was recorded when it was written.",
        discussion: """
            All files are read. Missing, shortened, lengthened, and changed files are listed, and the exit code is then 1. \
            keyway download with the same --out fetches only these files again. No key is used, and nothing is written.
            """
    )

    @OptionGroup var title: OfflineTitleArgument
    @OptionGroup var output: JSONOption

    func run() throws {
        let bundle = try title.location().open()
        guard bundle.description.state != .downloading else {
            throw CommandFailure.input(
                "\(bundle.folder): the download is not complete",
                next: "run keyway download again"
            )
        }
        try ReportOptions.print(Self.report(bundle, bundle.differences(.contents)), json: output.json)
    }

    private static func report(_ bundle: AssetBundle, _ differences: [BundleDifference]) -> Report {
        let count = bundle.description.playlists.count + bundle.description.resources.count
        let name = escaped(bundle.description.title)
        var report = Report(
            kind: "verification",
            headline: differences.isEmpty
                ? "\(name): \(counted(count, "file")), all as downloaded"
                : "\(name): \(differences.count) of \(counted(count, "file")) missing or changed"
        )
        report.tables = [
            FieldTable(
                title: "Files",
                fields: [Field("files", .number(count)), Field("differences", .number(differences.count))],
                blocks: differences.map { difference in
                    FieldTable(
                        title: escaped(difference.file),
                        remark: difference.explanation,
                        heading: [
                            Field("file", .text(difference.file)), Field("difference", .text(difference.code)),
                        ]
                    )
                }
            )
        ]
        if let first = differences.first {
            report.problem = .init(
                stage: "verification",
                code: first.code,
                reason: "\(bundle.folder): \(first)",
                next: "run keyway download again with the same --out, which fetches only these files"
            )
        }
        return report
    }
}
