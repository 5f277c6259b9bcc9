import Foundation

/// Other parsers on the same files, each in a separate program that prints the median of the seconds for one run.
struct Peers {
    let folder: URL

    /// The program and the arguments before the file.
    private struct Peer {
        let name: String
        let program: URL
        let arguments: [String]
        let missing: String
        let needs: [String]
    }

    private var all: [Peer] {
        let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Peers")
        let python = folder.appending(path: "venv/bin/python")
        let hls = ProcessInfo.processInfo.environment["HLS_JS"] ?? ""
        return [
            Peer(
                name: "Python m3u8",
                program: python,
                arguments: [scripts.appending(path: "m3u8_package.py").path],
                missing: "the package m3u8 could not be installed from PyPI",
                needs: [python.path]
            ),
            Peer(
                name: "hls.js",
                program: URL(filePath: "/usr/bin/env"),
                arguments: ["node", scripts.appending(path: "hls.mjs").path, hls],
                missing: "set HLS_JS=<path of hls.mjs>",
                needs: [hls]
            ),
        ]
    }

    /// The rate of each peer for each file, in 10^6 bytes per second; nil if it did not run.
    func measure(_ files: [PlaylistFile]) throws -> [(name: String, rates: [Double?])] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var result: [(name: String, rates: [Double?])] = []
        for peer in all {
            guard peer.needs.allSatisfy({ !$0.isEmpty && FileManager.default.fileExists(atPath: $0) }) else {
                print("\(peer.name) is not available: skipped (\(peer.missing))")
                continue
            }
            var rates: [Double?] = []
            for file in files {
                let path = folder.appending(path: "\(file.name).m3u8")
                try Data(file.text.utf8).write(to: path)
                rates.append(try run(peer, path).map { Double(file.text.utf8.count) / $0 / 1e6 })
            }
            result.append((peer.name, rates))
        }
        return result
    }

    private func run(_ peer: Peer, _ file: URL) throws -> Double? {
        let process = Process()
        process.executableURL = peer.program
        process.arguments = peer.arguments + [file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Double(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
