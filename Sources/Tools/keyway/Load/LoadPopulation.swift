import ArgumentParser
import FPSCrypto
import Foundation
import Synchronization
import ToolSupport
import VirtualDevice

/// The accounts and devices that send requests.
struct LoadPopulation: Sendable {
    /// A device of an account.
    struct Member: Sendable {
        let account: Int
        /// The number of the device within the account.
        let number: Int
        let device: FPSDevice
        let clock: RecordingClock
    }

    /// The names of the accounts.
    let accounts: [String]
    /// The tokens of their requests.
    let tokens: LoadTokens
    /// All devices: the first of each account, then the second of each, and so on.
    let members: [Member]
}

/// The system's clock, which also stores the time that it returned last: the time when a device acquired its key.
final class RecordingClock: DeviceClock {
    private let last = Atomic<Int64>(0)

    var now: Int64 {
        let time = SystemDeviceClock().now
        last.store(time, ordering: .relaxed)
        return time
    }

    /// The time that ``now`` returned last.
    var lastTime: Int64 { last.load(ordering: .relaxed) }
}

/// The options for the accounts and devices.
struct LoadPopulationOptions: ParsableArguments {
    @Option(help: .init("The number of accounts.", valueName: "number"))
    var accounts = 100

    @Option(help: .init("The number of devices per account.", valueName: "number"))
    var devicesPerAccount = 2

    @Option(help: .init("The asset IDs to request, separated by commas; 2 to 200 bytes each.", valueName: "list"))
    var assets: CommaList<String>

    @Option(
        name: .customLong("identity-seed"),
        help: .init(
            "A seed for device identities: the same number gives the same devices. (default: new devices)",
            valueName: "number"
        )
    )
    var identities: UInt64?

    @OptionGroup var device: DeviceOptions
    @OptionGroup var tokens: TokenOptions

    @Option(
        help: .init(
            "The scope of a token: each request, session (playback), or account has a separate token. "
                + "It has no effect with --token-algorithm none or dev.",
            valueName: "scope"
        )
    )
    var tokenPer = LoadTokens.Scope.request

    func validate() throws {
        guard (1...1_000_000).contains(accounts), (1...1000).contains(devicesPerAccount),
            accounts * devicesPerAccount <= 1_000_000
        else { throw ValidationError("Expected --accounts times --devices-per-account from 1 to 1,000,000.") }
        guard device.seed == nil else {
            throw ValidationError(
                "--seed would create the same SPCs again, which is a replay: use --identity-seed for the same devices."
            )
        }
        guard assets.elements.allSatisfy({ (2...200).contains($0.utf8.count) }) else {
            throw ValidationError("--assets: expected IDs of 2 to 200 bytes, separated by commas.")
        }
    }

    /// The number of accounts that the server distinguishes: requests without a token are all of the same account.
    var accountsOfTokens: Int { tokens.tokens == .none ? 1 : accounts }

    /// Creates the devices, and the signer of their tokens. `lifetime` is the lifetime of tokens, in seconds.
    func population(lifetime: Int64) async throws -> LoadPopulation {
        let rule = try device.source.rule()
        let names = (0..<accounts).map { "load-\($0 + 1)" }
        let tokens = try await LoadTokens(tokens, per: tokenPer, accounts: names, lifetime: lifetime)
        let members = (0..<devicesPerAccount).flatMap { number in
            names.indices.map { account in
                let clock = RecordingClock()
                let device = FPSDevice(
                    profile: device.profile.value,
                    dask: rule,
                    secret: identity(account: account, number: number),
                    clock: clock
                )
                return LoadPopulation.Member(account: account, number: number, device: device, clock: clock)
            }
        }
        return LoadPopulation(accounts: names, tokens: tokens, members: members)
    }

    private func identity(account: Int, number: Int) -> SecretBytes? {
        identities.map { SecretBytes(copying: SHA256.hash(Array("identity \($0) \(account) \(number)".utf8))) }
    }
}
