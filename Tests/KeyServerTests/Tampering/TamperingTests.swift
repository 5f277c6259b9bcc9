import FPSCrypto
import Foundation
import KeyServerModule
import KeyStore
import Testing
import VirtualDevice

@testable import KeyServer

/// SPCs that are changed in transit, for each rule and its device: the changes that succeed, without and with evidence
/// in the store. `KEYWAY_SWEEP` is the number of devices per rule, and makes every change instead of a part of them;
/// `KEYWAY_SWEEP_REPORT` is a file for the table of docs/threat-model.md.
@Suite("Tampered SPCs", .serialized)
struct TamperingTests {
    /// The number of devices per rule; nil means one device, and a part of the changes.
    private static let devices = ProcessInfo.processInfo.environment["KEYWAY_SWEEP"].flatMap { Int($0) }
    private static let pool = BoundedWorkPool(threads: 2, capacity: 1_000)

    private var seeds: ClosedRange<UInt64> { 1...UInt64(Self.devices ?? 1) }

    /// Returns all changes, or a part that contains every kind and every block.
    private func changes(of spc: [UInt8], every step: Int) -> [SPCChange] {
        let all = SPCChange.all(of: spc)
        guard Self.devices == nil else { return all }
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }

    @Test("A server without evidence issues keys for few changes, and for almost none if a report is required")
    func census() async throws {
        var lines = ["| Rule | changes | pass | tries | with `requireReport` |", "|---|---|---|---|---|"]
        for rule in TamperingRule.all {
            let target = try await TamperingTarget(rule, pool: Self.pool)
            let strict = try rule.strictPolicy.map { try LicensePolicy(json: Array($0.utf8)) }
            var count = 0
            var passing: [SPCChange.Kind: Int] = [:]
            var strategies: [String: (count: Int, passes: Int)] = [:]
            var strictPassing = 0
            for seed in seeds {
                let spc = try target.request(target.device(seed)).spc
                #expect(try target.getsKey(spc, of: seed, target.policy) == false, "\(rule.name)")
                for change in changes(of: spc, every: 5) {
                    count += 1
                    strategies[change.strategy, default: (0, 0)].count += 1
                    if try target.getsKey(change.bytes, of: seed, target.policy) {
                        passing[change.kind, default: 0] += 1
                        strategies[change.strategy, default: (0, 0)].passes += 1
                    }
                    if let strict, try target.getsKey(change.bytes, of: seed, strict) { strictPassing += 1 }
                }
            }
            let passes = passing.values.reduce(0, +)
            // A rule that most changes bypass would be useless.
            #expect(Double(passes) < 0.1 * Double(count), "\(rule.name): \(passes) of \(count)")
            #expect(Double(strictPassing) <= 0.001 * Double(count), "\(rule.name): \(strictPassing) of \(count)")
            let kinds = passing.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
            // The probability for an attacker who knows the best strategy.
            let best = strategies.values.map { Double($0.passes) / Double($0.count) }.max() ?? 0
            let tries = best == 0 ? "-" : "\(Int((1 / best).rounded()))"
            lines.append(
                "| \(rule.name) | \(count) | \(passes)\(kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))") | \(tries) "
                    + "| \(strict == nil ? "-" : "\(strictPassing)") |"
            )
        }
        if let path = ProcessInfo.processInfo.environment["KEYWAY_SWEEP_REPORT"] {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test("After an SPC was seen, no change to it gets a key, and no response depends on the decrypted contents")
    func sameSPC() async throws {
        for rule in TamperingRule.all {
            for seed in seeds {
                let target = try await TamperingTarget(rule, pool: Self.pool)
                let spc = try target.request(target.device(seed)).spc
                #expect(try await target.ask(spc) == .refused(rule.reason), "\(rule.name)")
                for change in changes(of: spc, every: 23) where change.bytes != spc {
                    let answer = try await target.ask(change.bytes)
                    #expect(answer == .unreadable, "\(rule.name): \(change.kind) at \(change.place)")
                }
                // The original SPC is answered as before.
                #expect(try await target.ask(spc) == .refused(rule.reason), "\(rule.name)")
                let tampered = try await target.store.auditEntries(before: nil, limit: 1_000)
                    .filter { $0.record.outcome == "tampered" }
                #expect(!tampered.isEmpty, "\(rule.name)")
            }
        }
    }

    @Test("Of the changes to an SPC that was never sent unchanged, at most one is processed")
    func unseenSPC() async throws {
        for rule in TamperingRule.all {
            for seed in seeds {
                let target = try await TamperingTarget(rule, pool: Self.pool)
                let spc = try target.request(target.device(seed)).spc
                var random = SeededShuffle(seed: seed)
                var readable = 0
                for change in changes(of: spc, every: 23).shuffled(using: &random) where change.bytes != spc {
                    if try await target.ask(change.bytes) != .unreadable { readable += 1 }
                }
                #expect(readable <= 1, "\(rule.name)")
            }
        }
    }

    @Test("A risk that a device reported refuses its later requests, independent of their contents")
    func sameDevice() async throws {
        for rule in TamperingRule.all where rule.binds {
            for seed in seeds {
                let target = try await TamperingTarget(rule, pool: Self.pool)
                let device = target.device(seed)
                let first = try target.request(device).spc
                #expect(try await target.ask(first) == .refused(rule.reason), "\(rule.name)")
                let count = SPCChange.all(of: first).count
                for index in stride(from: 0, to: count, by: Self.devices == nil ? 11 : 1) {
                    // Each change is of a new SPC.
                    let all = SPCChange.all(of: try target.request(device).spc)
                    let change = all[index % all.count]
                    let answer = try await target.ask(change.bytes)
                    #expect(answer != .license, "\(rule.name): \(change.kind) at \(change.place)")
                }
            }
        }
    }
}

/// A reproducible random number generator (SplitMix64).
private struct SeededShuffle: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
