import ArgumentParser
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `licenses`.
struct LicensesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licenses",
        abstract: "List and revoke the persistent keys on an account's devices.",
        subcommands: [List.self, Revoke.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the persistent keys of an account.",
            discussion: """
                One line per key: device, stream ID, asset, when it was granted, its expiry, and, if it has ended, \
                how and when: invalidated (the device proved that it deleted the key), expired (the device reported \
                that the key had expired), revoked (an administrator revoked it), or, in old records, not-found.
                """
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                for license in try await store.offlineLicenses(account: account.name) {
                    let end = license.end.map { end in timestamp(end.rawValue, license.ended) ?? end.rawValue }
                    let times = [timestamp("granted", license.granted), timestamp("until", license.until), end]
                    let names = [
                        Hexadecimal.encode(license.device.bytes), Hexadecimal.encode(license.streamID),
                        assetName(license.assetID),
                    ]
                    try list.append(license.administrationJSON, or: [fields(names + times)])
                }
                try list.finish()
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a persistent key: it is not granted again.",
            discussion: "The device can use its stored key until that key expires."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(help: ArgumentHelp("The device's hash, as `licenses list` prints it.", valueName: "hex"))
        var device: DeviceArgument
        @Option(help: ArgumentHelp("The stream ID, 16 bytes.", valueName: "hex"))
        var streamID: HexArgument

        func run() async throws {
            let streamID = try streamID.bytes(16, option: "--stream-id")
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "licenses revoke"))
                let isRevoked = try await changes.revokeLicense(
                    account: account.name,
                    device: device.device,
                    streamID: streamID
                )
                guard isRevoked else {
                    throw CommandFailure.input(
                        "there is no such license, or it has already ended",
                        next: "see `keyway-server licenses list`"
                    )
                }
                try printLine(
                    "revoked license \(Hexadecimal.encode(streamID)) of \(account.name) on "
                        + Hexadecimal.encode(device.device.bytes)
                )
            }
        }
    }
}
