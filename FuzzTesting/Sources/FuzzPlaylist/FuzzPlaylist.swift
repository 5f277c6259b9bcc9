import HLSPlaylist

// Playlists: what was not changed is written back to the byte; what was changed is there when the file is read again; and
// nothing that the linter, the resolver or the list of lines is given makes it stop.

/// As a client would read it: with a query and with variables of a Multivariant Playlist.
let options = ParsingOptions(
    url: "https://example.com/live/main.m3u8?token=a%20b&v=7",
    importedVariables: ["base": "https://cdn.example.com", "token": "imported"]
)

let linter = Linter()

/// One playlist, and what can be done with it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let strict = try? Playlist(parsing: input, options: options)
    do {
        let (playlist, diagnostics) = try Playlist.parseLeniently(input, options: options)
        precondition((strict == nil) == diagnostics.contains { $0.severity == .error })
        if let strict { precondition(isSame(strict, playlist)) }
        let written = try playlist.write()
        precondition(written == input)
        try readLines(input)
        lint(input)
        use(playlist)
        let choice = Int(input.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
        checkEdits(playlist, choice: choice, isValid: strict != nil, hasReferences: hasReference(input))
        checkReload(input, choice: choice)
    } catch {
        // Nothing of this size passes a limit but one of these.
        precondition((error as? PlaylistError)?.rule == .limitExceeded)
    }
    return 0
}

/// Whether a variable may be referred to. Text that becomes a reference only when it is written cannot be told apart.
func hasReference(_ bytes: [UInt8]) -> Bool { zip(bytes, bytes.dropFirst()).contains { $0 == 0x7B && $1 == 0x24 } }

func isSame(_ left: Playlist, _ right: Playlist) -> Bool {
    switch (left, right) {
    case (.media(let left), .media(let right)): left == right
    case (.multivariant(let left), .multivariant(let right)): left == right
    default: false
    }
}

/// Every line by itself: numbers and texts are the input's, and each attribute is found where it says it stands.
func readLines(_ input: [UInt8]) throws {
    let lines = try Playlist.lines(of: input, options: options)
    precondition(lines.count <= input.count)
    for (index, line) in lines.enumerated() {
        precondition(line.number == index + 1)
        for name in line.attributeNames {
            precondition(line.column(ofAttribute: name) > 0 && line.rawAttribute(name) != nil)
        }
        _ = line.text
    }
}

/// A playlist by itself, and as its own presentation.
func lint(_ input: [UInt8]) {
    guard let file = try? LintFile(name: "main.m3u8", bytes: input, options: options) else { return }
    // An empty playlist lacks #EXTM3U on its first line.
    for finding in linter.check(file) {
        precondition(finding.line <= max(1, file.lines.count) && !finding.message.isEmpty)
    }
    _ = linter.check(presentation: file) { _ in file }
}

/// Everything that a player asks for.
func use(_ playlist: Playlist) {
    guard case .media(let media) = playlist else { return }
    _ = media.duration
    for range in media.dateRanges { _ = range.interstitial }
    guard let segments = try? media.resolvedSegments() else { return }
    for segment in segments {
        for key in segment.keys.keys { _ = segment.initializationVector(for: key)?.bytes }
        _ = segment.initialization?.byteRange
        _ = segment.programDateTime?.description
        if let range = segment.byteRange { precondition(range.lowerBound <= range.upperBound) }
    }
}

/// The input as two snapshots of one playlist: its first half and its second, or one of them and the whole.
func checkReload(_ input: [UInt8], choice: Int) {
    let half = input.count / 2
    let parts = [Array(input[..<half]), Array("#EXTM3U\n".utf8) + input[half...], input]
    let (before, after) = [(0, 1), (1, 0), (2, 1), (0, 2)][choice % 4]
    guard let first = try? LintFile(name: "a", bytes: parts[before], options: options),
        let second = try? LintFile(name: "a", bytes: parts[after], options: options)
    else { return }
    _ = linter.check(reloadFrom: first, to: second)
    guard case .media(let base) = first.playlist, case .media(let update) = second.playlist,
        let merged = try? base.applying(update)
    else { return }
    use(.media(merged))
    guard let written = try? merged.write(),
        case .media(let again)? = try? Playlist.parseLeniently(written, options: options).playlist
    else { return }
    precondition(hasReference(input) || again.segments.map(\.uri) == merged.segments.map(\.uri))
}
