import HLSPlaylist

// Playlists: unchanged parts are written byte by byte as parsed; changes are present when the file is parsed again; and
// no input stops the linter, the resolver or the list of lines.

/// Options as a client has them: with a query and with variables of a Multivariant Playlist.
let options = ParsingOptions(
    url: "https://example.com/live/main.m3u8?token=a%20b&v=7",
    importedVariables: ["base": "https://cdn.example.com", "token": "imported"]
)

/// Unusual options: without a URL, or with a URL whose parameters cannot be variables.
let otherOptions: [ParsingOptions] = [
    ParsingOptions(), ParsingOptions(url: "main.m3u8"), ParsingOptions(url: "https://h/?token=%22&v=%0A#x"),
]

let linter = Linter()

/// Tests one or more playlists with all operations.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let files = NamedFile.split(input)
    // A number from the input: it selects one of several operations.
    let choice = Int(input.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
    checkPlaylist(files[0].bytes, choice: choice)
    checkLimits(files[0].bytes)
    checkPresentation(files)
    checkReload(files, choice: choice)
    return 0
}

func checkPlaylist(_ input: [UInt8], choice: Int) {
    let strict = try? Playlist(strictlyParsing: input, options: options)
    for options in otherOptions { _ = try? Playlist.parseLeniently(input, options: options) }
    do {
        let (playlist, diagnostics) = try Playlist.parseLeniently(input, options: options)
        precondition((strict == nil) == diagnostics.contains { $0.severity == .error })
        if let strict { precondition(isSame(strict, playlist)) }
        checkKind(input, playlist, isValid: strict != nil)
        let written = try playlist.write()
        precondition(written == input)
        try readLines(input)
        use(playlist, choice: choice)
        checkInvalidPlaylists(playlist, choice: choice)
        checkEdits(playlist, choice: choice, isValid: strict != nil, hasReferences: hasReference(input))
    } catch {
        // No input of this size exceeds a limit other than one of these.
        precondition((error as? PlaylistError)?.rule == .limitExceeded)
    }
}

/// Checks that a playlist is parsed as one of its own kind, and not as one of the other.
func checkKind(_ input: [UInt8], _ playlist: Playlist, isValid: Bool) {
    let media = try? MediaPlaylist(strictlyParsing: input, options: options)
    let multivariant = try? MultivariantPlaylist(strictlyParsing: input, options: options)
    if let text = String(validating: input, as: UTF8.self) {
        let ofText = Result { () throws(PlaylistError) in try Playlist(parsing: text, options: options) }
        let ofBytes = Result { () throws(PlaylistError) in try Playlist(parsing: input, options: options) }
        switch (ofText, ofBytes) {
        case (.success(let left), .success(let right)): precondition(isSame(left, right))
        case (.failure(let left), .failure(let right)): precondition(left == right)
        default: preconditionFailure("text and bytes give different results")
        }
    }
    precondition((media != nil) == (isValid && playlist.kind == .media))
    precondition((multivariant != nil) == (isValid && playlist.kind == .multivariant))
}

/// With narrow limits a playlist must be refused, or be the same.
func checkLimits(_ input: [UInt8]) {
    var narrow = options
    narrow.limits.bytes = 3000
    narrow.limits.lineLength = 400
    narrow.limits.lines = 100
    (narrow.limits.attributes, narrow.limits.segments) = (12, 12)
    (narrow.limits.keyFormats, narrow.limits.variables) = (2, 2)
    (narrow.limits.substitutedBytes, narrow.limits.diagnostics) = (60, 5)
    _ = try? Playlist.lines(of: input, options: narrow)
    do throws(PlaylistError) {
        let (limited, _) = try Playlist.parseLeniently(input, options: narrow)
        guard let playlist = try? Playlist.parseLeniently(input, options: options).playlist else {
            preconditionFailure("accepted with narrow limits, but refused with wide ones")
        }
        precondition(isSame(limited, playlist))
    } catch {
        precondition(error.rule == .limitExceeded && !error.description.isEmpty)
    }
}

/// Whether a variable can be referenced. Text that becomes a reference only when it is written cannot be distinguished.
func hasReference(_ bytes: [UInt8]) -> Bool { zip(bytes, bytes.dropFirst()).contains { $0 == 0x7B && $1 == 0x24 } }

func isSame(_ left: Playlist, _ right: Playlist) -> Bool {
    switch (left, right) {
    case (.media(let left), .media(let right)): left == right
    case (.multivariant(let left), .multivariant(let right)): left == right
    default: false
    }
}

/// Tests every line alone: numbers and texts are the input's, and each attribute is found at its declared position.
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

/// Calls everything that a player needs.
func use(_ playlist: Playlist, choice: Int) {
    switch playlist {
    case .media(let media): use(media)
    case .multivariant(let multivariant): checkSelection(multivariant, choice: choice)
    }
}

func use(_ media: MediaPlaylist) {
    precondition(media.duration >= 0 && media.isDeltaUpdate == (media.skip != nil))
    for range in media.dateRanges {
        _ = range.interstitial
        precondition(range.startDate.map { $0.timeIntervalSince1970.isFinite } ?? true)
    }
    guard let segments = try? media.resolvedSegments() else { return }
    for segment in segments {
        precondition(segment.keys.isEncrypted == !segment.keys.keys.isEmpty)
        for key in segment.keys.keys {
            precondition(segment.keys[key.keyFormat] == key)
            let vector = segment.initializationVector(for: key)
            precondition(vector.map { InitializationVector(bytes: $0.bytes) == $0 } ?? true)
        }
        precondition(segment.bitrate == nil || segment.segment.byteRange == nil)
        _ = segment.initialization?.byteRange
        _ = segment.programDateTime?.description
        if let range = segment.byteRange { precondition(range.lowerBound <= range.upperBound) }
    }
}
