import ArgumentParser
import DRMSignaling
import Foundation
import KeyServer
import KeyStore
import TextCoding

/// `keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract:
            "Add, list, remove, import, export, and re-encrypt content keys; create key periods; and sign key URLs.",
        subcommands: [
            KeysAddCommand.self, KeysAheadCommand.self, List.self, Remove.self, KeysImportCommand.self,
            KeysExportCommand.self,
            KeysRewrapCommand.self, KeysURLCommand.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the content keys, without their values."
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.withStore { store in
                var last: [UInt8]?
                while true {
                    let page = try await store.contents(after: last, limit: 500)
                    for info in page {
                        let track = info.titleName.flatMap { title in info.trackName.map { "\(title)/\($0)" } }
                        let fields: [String?] = [
                            assetName(info.assetID), track ?? info.track.rawValue,
                            info.policyName ?? (track == nil ? "(default)" : nil),
                            info.validFrom.map { "from \(Timestamp.text(seconds: $0))" },
                            info.validUntil.map { "until \(Timestamp.text(seconds: $0))" },
                        ]
                        print(fields.compactMap { $0 }.joined(separator: "  "))
                    }
                    guard let end = page.last else { return }
                    last = end.assetID
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a content key.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("The asset ID: text, or 0x followed by hexadecimal digits.", valueName: "asset"))
        var asset: AssetArgument

        func run() async throws {
            try await store.withStore { store in
                let what = "content \(assetName(asset.bytes)) deleted"
                let audit = AuditRecord.command("keys remove", "content-delete", what) { $0.assetID = asset.bytes }
                guard try await store.deleteContent(assetID: asset.bytes, audit: audit) else {
                    throw CommandFailure("there is no key for \(assetName(asset.bytes)); see `keyway-server keys list`")
                }
                print("removed \(assetName(asset.bytes))")
            }
        }
    }
}

extension ContentTrack: ExpressibleByArgument {}

/// Returns an asset ID as text if it is printable ASCII, otherwise as `0x` and hexadecimal digits.
func assetName(_ assetID: [UInt8]) -> String {
    assetID.allSatisfy { (0x20...0x7e).contains($0) }
        ? String(decoding: assetID, as: UTF8.self) : "0x" + Hexadecimal.encode(assetID)
}
