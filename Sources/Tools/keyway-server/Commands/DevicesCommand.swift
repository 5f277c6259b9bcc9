import ArgumentParser
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List and delete the devices of an account.",
        subcommands: [List.self, Delete.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an account's devices.",
            discussion:
                "A device is identified by a keyed hash that is unique to this store and also appears in the audit log."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @OptionGroup var output: JSONOption

        func run() async throws {
            try await store.withStore { store in
                var list = RecordList(output)
                for device in try await store.devices(account: account.name) {
                    let digits = Hexadecimal.encode(device.device.bytes)
                    let seen = [timestamp("first seen", device.firstSeen), timestamp("last seen", device.lastSeen)]
                    try list.append(device.administrationJSON, or: [fields([digits, device.deviceClass] + seen)])
                }
                try list.finish()
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a device, so that another device can be added."
        )

        @OptionGroup var store: StoreOptions
        @Option(help: "The account.")
        var account: AccountArgument
        @Option(help: ArgumentHelp("The device's hash, as `devices list` prints it.", valueName: "hex"))
        var device: DeviceArgument

        func run() async throws {
            try await store.withStore { store in
                let changes = AccountChanges(store: store, actor: AdminActor(command: "devices delete"))
                guard try await changes.deleteDevice(account: account.name, device: device.device) else {
                    throw CommandFailure.input(
                        "the account has no such device",
                        next: "see `keyway-server devices list`"
                    )
                }
                try printLine("deleted device \(Hexadecimal.encode(device.device.bytes)) of \(account.name)")
            }
        }
    }
}
