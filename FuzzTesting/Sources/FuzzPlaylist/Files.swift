import HLSPlaylist

/// A playlist of the input. A line `=== NAME` starts another one, as in the project's vectors, so that an input can be
/// a Multivariant Playlist with its Media Playlists, or two snapshots of one playlist.
struct NamedFile {
    let name: String
    var bytes: [UInt8] = []

    /// Returns the playlists of an input; the first needs no line with its name.
    static func split(_ input: [UInt8]) -> [NamedFile] {
        let marker = Array("=== ".utf8)
        var files: [NamedFile] = []
        var rest = input[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            if line.starts(with: marker) {
                let name = line.dropFirst(marker.count).filter { $0 != 10 && $0 != 13 }
                files.append(NamedFile(name: String(decoding: name, as: UTF8.self)))
                continue
            }
            if files.isEmpty { files.append(NamedFile(name: "main.m3u8")) }
            files[files.count - 1].bytes += line
        }
        return files.isEmpty ? [NamedFile(name: "main.m3u8")] : files
    }
}

/// Parses the first playlist as a Multivariant Playlist and the others as its Media Playlists; a single one as both.
func checkPresentation(_ files: [NamedFile]) {
    var options = options
    guard let first = try? LintFile(name: files[0].name, bytes: files[0].bytes, options: options) else { return }
    // An empty playlist has no #EXTM3U on its first line.
    let own = linter.check(first)
    for finding in own {
        precondition(finding.line <= max(1, first.lines.count) && !finding.message.isEmpty)
        precondition(!finding.description.isEmpty && finding.rule == RuleID(rawValue: finding.rule.rawValue))
    }
    if let worst = own.max(by: { $0.severity < $1.severity }) {
        let others = own.filter { $0.rule != worst.rule }
        precondition(Linter(disabled: [worst.rule]).check(first) == others)
    }
    if case .multivariant(let multivariant) = first.playlist { options.importedVariables = multivariant.variables }
    let others = files.dropFirst().compactMap { try? LintFile(name: $0.name, bytes: $0.bytes, options: options) }
    let findings = linter.check(presentation: first) { uri in
        others.isEmpty ? first : others.first { $0.name == uri }
    }
    let names = Set(files.map(\.name))
    precondition(findings.allSatisfy { names.contains($0.file) && !$0.diagnostic.message.isEmpty })
}

/// Returns two snapshots of one playlist: the first two playlists, or two parts of a single one.
func checkReload(_ files: [NamedFile], choice: Int) {
    let (before, after) =
        if files.count > 1 { (files[0].bytes, files[1].bytes) } else { parts(files[0].bytes, choice: choice) }
    guard let first = try? LintFile(name: "a", bytes: before, options: options),
        let second = try? LintFile(name: "a", bytes: after, options: options)
    else { return }
    for finding in linter.check(reloadFrom: first, to: second) {
        precondition(finding.line <= max(1, second.lines.count) && !finding.message.isEmpty)
    }
    guard case .media(let base) = first.playlist, case .media(let update) = second.playlist,
        let merged = try? base.applying(update)
    else { return }
    use(merged)
    guard let written = try? merged.write(),
        case .media(let again)? = try? Playlist.parseLeniently(written, options: options).playlist
    else { return }
    let mayRefer = hasReference(before) || hasReference(after)
    precondition(mayRefer || again.segments.map(\.uri) == merged.segments.map(\.uri))
}

/// Returns the first and the second half, or one of them and the whole.
private func parts(_ input: [UInt8], choice: Int) -> ([UInt8], [UInt8]) {
    let half = input.count / 2
    let parts = [Array(input[..<half]), Array("#EXTM3U\n".utf8) + input[half...], input]
    let (before, after) = [(0, 1), (1, 0), (2, 1), (0, 2)][choice % 4]
    return (parts[before], parts[after])
}
