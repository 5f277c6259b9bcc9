import Foundation
import HLSPlaylist
import Measuring

// `make bench`: parsing playlists relative to copying their bytes, on one core and in the same run, and to other
// parsers.
//   playlist-bench [--peers FOLDER]      prints the table; Peers/setup installs the other parsers in FOLDER
//   playlist-bench --read FILE           parses a playlist and prints: bytes, seconds, KiB before and at most

func pad(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }

func row(_ name: String, _ cells: [String]) {
    print(name + String(repeating: " ", count: max(0, 26 - name.count)) + cells.map { pad($0, 14) }.joined())
}

func table(_ files: [PlaylistFile], peers: URL?) throws {
    let results = try files.map { try Measurement($0, rounds: $0.name == "multivariant" ? 40 : 60) }
    func rates(_ step: Measurement.Step) -> [Double] { results.map { $0.megabytes(step) } }
    print("Parsing playlists on one core, MB (10^6 bytes) per second of its time; medians, alternating\n")
    row("", files.map(\.name))
    row("segments or variants", files.map { "\($0.count)" })
    row("bytes", results.map { "\($0.bytes)" })
    for step in Measurement.Step.allCases { row(step.rawValue, rates(step).map { String(format: "%.0f", $0) }) }
    for (step, limit) in [(Measurement.Step.resolve, Measurement.Step.copy), (.resolve, .scan)] {
        let ratios = zip(rates(step), rates(limit)).map { String(format: "%.4f", $0 / $1) }
        row("resolved / \(limit == .copy ? "memcpy" : "memchr")", ratios)
    }
    row("allocations per parse", results.map { "\($0.allocations)" })
    print("")
    guard let peers else { return }
    for (name, found) in try Peers(folder: peers).measure(files) {
        row(name, found.map { $0.map { String(format: "%.1f", $0) } ?? "failed" })
        let factors = zip(rates(.resolve), found).map { rate, peer in peer.map { String(format: "%.0f", rate / $0) } }
        row("  times slower", factors.map { $0 ?? "-" })
    }
}

/// Parses a playlist of a size in a separate process.
func child(_ segments: Int) throws -> (bytes: Double, seconds: Double, before: Double, peak: Double) {
    let file = FileManager.default.temporaryDirectory.appending(path: "keyway-playlist-bench-\(getpid()).m3u8")
    try Data(PlaylistFile.plain(segments).text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--read", file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let fields = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard fields.count == 4 else { throw CocoaError(.fileReadCorruptFile) }
    return (fields[0], fields[1], fields[2], fields[3])
}

func read(_ file: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    let before = residentKiB()
    var times: [Double] = []
    var sum = 0
    for _ in 0..<5 {
        let start = threadSeconds()
        sum &+= try Measurement.resolve(try Playlist(parsing: bytes))
        times.append(threadSeconds() - start)
    }
    precondition(sum != 0)
    print(bytes.count, times.sorted()[2], before, peakResidentKiB())
}

func linearity() throws {
    let small = try child(10_000)
    let large = try child(1_000_000)
    let perSegment = (small.seconds / 10_000 * 1e9, large.seconds / 1_000_000 * 1e9)
    print(
        String(
            format: "plain, 10,000 segments: %.0f ns per segment; 1,000,000: %.0f ns, %.2f times as much",
            perSegment.0,
            perSegment.1,
            perSegment.1 / perSegment.0
        )
    )
    let grown = (large.peak - large.before) * 1024
    print(
        String(
            format:
                "1,000,000 segments: %.1f MB; parsing added %.1f MB of resident memory at its peak, %.1f times the size\n",
            large.bytes / 1e6,
            grown / 1e6,
            grown / large.bytes
        )
    )
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 2, arguments[0] == "--read" {
        try read(arguments[1])
    } else if arguments.isEmpty || (arguments.count == 2 && arguments[0] == "--peers") {
        try table(
            [.live(10_000), .plain(10_000), .multivariant(100)],
            peers: arguments.last.map { URL(filePath: $0) }
        )
        try linearity()
    } else {
        FileHandle.standardError.write(Data("usage: playlist-bench [--peers FOLDER | --read FILE]\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
