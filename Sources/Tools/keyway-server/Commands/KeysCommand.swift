import ArgumentParser
import DRMSignaling
import Foundation
import KeyServer
import KeyStore
import ToolSupport

/// `keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract:
            "Add, list, delete, export, import, and re-encrypt content keys; create key periods; and sign key URLs.",
        subcommands: [
            KeysAddCommand.self, KeysCreatePeriodsCommand.self, List.self, Delete.self, KeysExportCommand.self,
            KeysImportCommand.self, KeysRewrapCommand.self, KeysURLCommand.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the content keys, without their values."
        )

        @OptionGroup var store: StoreOptions
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                var last: [UInt8]?
                while true {
                    let page = try await store.contents(after: last, limit: 500)
                    for info in page {
                        let track = info.titleName.flatMap { title in info.trackName.map { "\(title)/\($0)" } }
                        let line = fields([
                            assetName(info.assetID), track ?? info.track.rawValue,
                            info.policyName ?? (track == nil ? "(default)" : nil),
                            timestamp("from", info.validFrom), timestamp("until", info.validUntil),
                        ])
                        try list.append(info.administrationJSON, or: [line])
                    }
                    guard let end = page.last else { return try list.finish() }
                    last = end.assetID
                }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a content key.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The asset ID: text, or 0x followed by hexadecimal digits.", valueName: "asset-id"))
        var asset: AssetIDArgument

        func run() async throws {
            try await store.withStore { store in
                let what = "content \(assetName(asset.bytes)) deleted"
                let audit = AuditRecord.command("keys delete", "content-delete", what) { $0.assetID = asset.bytes }
                guard try await store.deleteContent(assetID: asset.bytes, audit: audit) else {
                    throw CommandFailure.input(
                        "there is no key for \(assetName(asset.bytes))",
                        next: "see `keyway-server keys list`"
                    )
                }
                try printLine("deleted \(assetName(asset.bytes))")
            }
        }
    }
}
