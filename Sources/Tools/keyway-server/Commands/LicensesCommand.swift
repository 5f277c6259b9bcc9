import ArgumentParser
import KeyServer
import KeyStore
import TextCoding

/// The keys that devices keep.
struct LicensesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licenses",
        abstract: "List and revoke the keys that an account's devices keep.",
        subcommands: [List.self, Revoke.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the kept keys of an account.",
            discussion: "One line for each: device, stream ID, asset, when it was given, until when, and how it ended."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument

        func run() async throws {
            try await store.withStore { store in
                for license in try await store.offlineLicenses(account: account.name) {
                    let end = license.end.map { end in moment(end.rawValue, license.ended) ?? end.rawValue }
                    let times = [moment("granted", license.granted), moment("until", license.until), end]
                    let names = [
                        Hexadecimal.encode(license.device.bytes), Hexadecimal.encode(license.streamID),
                        assetName(license.assetID),
                    ]
                    print(fields(names + times))
                }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a kept key: it is given no more.",
            discussion: "The device keeps the key that it has until that runs out."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(help: ArgumentHelp("The device, as `licenses list` shows it.", valueName: "hex"))
        var device: DeviceArgument
        @Option(help: ArgumentHelp("The stream ID, 16 bytes.", valueName: "hex"))
        var stream: HexArgument

        func run() async throws {
            let streamID = try stream.requireCount(16, "--stream")
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "licenses revoke"))
                let isRevoked = try await changes.revokeLicense(
                    account: account.name,
                    device: device.device,
                    streamID: streamID
                )
                guard isRevoked else { throw CommandFailure("there is no such license, or it has ended") }
                print(
                    "revoked license \(Hexadecimal.encode(streamID)) of \(account.name) on \(Hexadecimal.encode(device.device.bytes))"
                )
            }
        }
    }
}
