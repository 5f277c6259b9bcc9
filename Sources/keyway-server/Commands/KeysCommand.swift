public import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
public import KeyStore

/// Content keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Add, list and remove content keys.",
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a content key, or replace one.")

        @OptionGroup var store: StoreOptions
        @Option(help: "The asset ID that SPCs name: text, or 0x and hexadecimal digits; 2 to 200 bytes.")
        var asset: AssetArgument
        @Option(help: ArgumentHelp("The content key, 16 bytes; @FILE reads it from a file.", valueName: "hex"))
        var key: HexArgument
        @Option(help: ArgumentHelp("The IV of the samples, 16 bytes.", valueName: "hex"))
        var iv: HexArgument
        @Option(
            help: ArgumentHelp(
                "The name of a stored policy, or a JSON file, which is stored under its own name or the file's; without it "
                    + "the policy called default.",
                valueName: "name|file"
            )
        )
        var policy: String?
        @Option(help: "What the key decrypts: audio or video.")
        var track: ContentTrack = .unspecified
        @Option(help: ArgumentHelp("The key ID, 16 bytes.", valueName: "hex"))
        var keyID: HexArgument?
        @Option(
            help: ArgumentHelp(
                "The stream ID of offline keys, 16 bytes; without one, the first 16 bytes of SHA-256 over the asset ID.",
                valueName: "hex"
            )
        )
        var streamID: HexArgument?
        @Option(help: ArgumentHelp("The title ID of offline keys, 16 bytes.", valueName: "hex"))
        var titleID: HexArgument?
        @Flag(help: "Replace the key of this asset, if there is one.")
        var replace = false

        func run() async throws {
            try await store.withStore { store in
                let record = try record(policyName: try await storedPolicy(in: store))
                try await ContentDefaults.check(record, against: store)
                let outcome = try await store.putContent(record, replacing: replace)
                print("\(outcome == .created ? "added" : "replaced") \(assetName(asset.bytes))")
            }
        }

        private func record(policyName: String?) throws -> ContentRecord {
            try ContentRecord(
                assetID: asset.bytes,
                keyID: try keyID?.requireCount(16, "--key-id"),
                contentKey: SecretBytes(copying: try key.requireCount(16, "--key")),
                iv: try iv.requireCount(16, "--iv"),
                track: track,
                policyName: policyName,
                streamID: try streamID?.requireCount(16, "--stream-id")
                    ?? ContentDefaults.streamID(forAssetID: asset.bytes),
                titleID: try titleID?.requireCount(16, "--title-id"),
                time: systemMilliseconds() / 1000
            )
        }

        /// The name of the policy, which is stored first if it was given as a file.
        private func storedPolicy(in store: any KeyStore) async throws -> String? {
            guard let policy, policy.contains("/") || policy.hasSuffix(".json") else { return policy }
            let file = URL(filePath: policy).deletingPathExtension().lastPathComponent
            let record = try ContentDefaults.policy(orNamed: file, json: try contents(ofFile: policy))
            if let stored = try await store.policy(name: record.name), stored != record, !replace {
                throw CommandFailure("there is another policy \(record.name); --replace puts this one in its place")
            }
            try await store.putPolicy(record, replacing: true)
            return record.name
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List content, without its keys.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.withStore { store in
                var last: [UInt8]?
                while true {
                    let page = try await store.contents(after: last, limit: 500)
                    for info in page {
                        print("\(assetName(info.assetID))  \(info.track.rawValue)  \(info.policyName ?? "(default)")")
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
        @Option(help: "The asset ID: text, or 0x and hexadecimal digits.")
        var asset: AssetArgument

        func run() async throws {
            try await store.withStore { store in
                guard try await store.deleteContent(assetID: asset.bytes) else {
                    throw CommandFailure("there is no key for \(assetName(asset.bytes))")
                }
                print("removed \(assetName(asset.bytes))")
            }
        }
    }
}

extension ContentTrack: ExpressibleByArgument {}

/// An asset ID for people: itself where it is plain text.
func assetName(_ assetID: [UInt8]) -> String {
    assetID.allSatisfy { (0x20...0x7e).contains($0) }
        ? String(decoding: assetID, as: UTF8.self) : "0x" + assetID.map { String(format: "%02x", $0) }.joined()
}
