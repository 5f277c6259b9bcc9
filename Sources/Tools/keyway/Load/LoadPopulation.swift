import ArgumentParser
import FPSCrypto
import Foundation
import Synchronization
import VirtualDevice

/// Who asks: accounts with devices.
struct LoadPopulation: Sendable {
    /// A device of an account.
    struct Member: Sendable {
        let account: Int
        /// Its number among the account's devices.
        let number: Int
        let device: FPSDevice
        let clock: NotedClock
    }

    /// The accounts' names.
    let accounts: [String]
    /// What their requests carry.
    let tokens: LoadTokens
    /// All devices: the first of each account, then the second of each, and so on.
    let members: [Member]
}

/// The system's clock, which remembers what it last said: when a device acquired its key.
final class NotedClock: DeviceClock {
    private let last = Atomic<Int64>(0)

    var now: Int64 {
        let time = SystemDeviceClock().now
        last.store(time, ordering: .relaxed)
        return time
    }

    /// What ``now`` last was.
    var noted: Int64 { last.load(ordering: .relaxed) }
}

/// How many accounts and devices there are, and what they are.
struct LoadPopulationOptions: ParsableArguments {
    @Option(help: .init("How many accounts ask.", valueName: "number"))
    var accounts = 100

    @Option(help: .init("How many devices each account has.", valueName: "number"))
    var devicesPerAccount = 2

    @Option(help: .init("The asset IDs that are asked for, with commas between them.", valueName: "ids"))
    var assets: String

    @Option(
        help: .init(
            "Devices that are the same in every run with this number; without it, new ones.",
            valueName: "number"
        )
    )
    var identities: UInt64?

    @OptionGroup var device: DeviceOptions
    @OptionGroup var tokens: TokenOptions

    @Option(help: .init("What has a token of its own: each request, session or account.", valueName: "what"))
    var tokenPer = LoadTokens.Scope.request

    func validate() throws {
        guard (1...1_000_000).contains(accounts), (1...1000).contains(devicesPerAccount),
            accounts * devicesPerAccount <= 1_000_000
        else { throw ValidationError("--accounts and --devices-per-account are 1 to 1,000,000 devices together.") }
        guard device.seed == nil else {
            throw ValidationError(
                "--seed would make the same SPCs again, which is a replay; --identities keeps devices."
            )
        }
        guard assetIDs.allSatisfy({ (2...200).contains($0.utf8.count) }) else {
            throw ValidationError("--assets takes IDs of 2 to 200 bytes, with commas between them.")
        }
    }

    /// The assets.
    var assetIDs: [String] { assets.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

    /// Makes devices, and what signs their tokens. `lifetime` is how long tokens are valid, in seconds.
    func population(lifetime: Int64) async throws -> LoadPopulation {
        guard let profile = DeviceProfile.named(device.profile) else {
            throw CommandFailure.usage("there is no such profile")
        }
        let rule = try device.rule()
        let names = (0..<accounts).map { "load-\($0 + 1)" }
        let tokens = try await LoadTokens(tokens, per: tokenPer, accounts: names, lifetime: lifetime)
        let members = (0..<devicesPerAccount).flatMap { number in
            names.indices.map { account in
                let clock = NotedClock()
                let device = FPSDevice(
                    profile: profile,
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
