import Foundation
import Measuring

// `make bench`: SPC to CKC on one core relative to the same machine's raw RSA private operation, in the same run; and
// the decryption of segments relative to libcrypto's. `… --soak SECONDS`: processes SPCs for that duration and prints
// the resident memory meanwhile.

/// A measurement: both sides alternate in many short rounds, so that changes of the machine's speed affect both
/// equally.
func compare(_ fixture: Fixture, rounds: Int, batch: Int) throws -> (raw: Double, full: Double, ratio: [Double]) {
    func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = threadSeconds()
        for _ in 0..<batch { try body() }
        return threadSeconds() - start
    }
    var rawRates: [Double] = []
    var fullRates: [Double] = []
    for round in 0...rounds {
        let raw = Double(batch) / seconds { precondition(fixture.raw.decrypt()) }
        let full = Double(batch) / (try seconds { _ = try fixture.answer() })
        // The first round is a warm-up.
        if round > 0 {
            rawRates.append(raw)
            fullRates.append(full)
        }
    }
    let ratios = zip(fullRates, rawRates).map { $0 / $1 }.sorted()
    return (rawRates.sorted()[rounds / 2], fullRates.sorted()[rounds / 2], ratios)
}

func pad(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }

func bench() throws {
    print("SPC to CKC on one core, per second of its time; medians of 40 rounds, alternating\n")
    let columns = [
        ("", 10), ("raw RSA/s", 12), ("SPC to CKC/s", 14), ("ratio", 8), ("min", 8), ("max", 8), ("target", 8),
    ]
    print(columns.map { pad($0.0, $0.1) }.joined())
    for (bits, bar) in [(1024, 0.75), (2048, 0.90)] {
        let fixture = try Fixture(bits: bits)
        let result = try compare(fixture, rounds: 40, batch: bits == 1024 ? 300 : 100)
        let median = result.ratio[result.ratio.count / 2]
        let cells = [
            (fixture.name, 10), (String(format: "%.0f", result.raw), 12), (String(format: "%.0f", result.full), 14),
            (String(format: "%.3f", median), 8), (String(format: "%.3f", result.ratio.first ?? 0), 8),
            (String(format: "%.3f", result.ratio.last ?? 0), 8), (String(format: "%.2f", bar), 8),
        ]
        print(cells.map { pad($0.0, $0.1) }.joined() + (median >= bar ? "  met" : "  MISSED"))
    }
}

func soak(seconds: Double) throws {
    let fixture = try Fixture(bits: 2048)
    print("seconds   answered   resident KiB")
    let start = ContinuousClock.now
    var answered = 0
    var next = 0.0
    while true {
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        if elapsed >= next {
            print(pad(String(format: "%.0f", elapsed), 7), pad("\(answered)", 10), pad("\(residentKiB())", 14))
            next += seconds / 20
        }
        if elapsed >= seconds { return }
        for _ in 0..<200 { _ = try fixture.answer() }
        answered += 200
    }
}

do {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "--soak", let seconds = Double(arguments[2]) {
        try soak(seconds: seconds)
    } else if arguments.count == 1 {
        try bench()
        try benchDecryption(rounds: 20)
    } else {
        FileHandle.standardError.write(Data("usage: keyway-bench [--soak SECONDS]\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
