import ContentKeySession
import TextCoding

/// The format of `bundle.json`, version 1. Its first line ends after the summary, so that a library can read only that
/// line:
///
///     {"keyway-bundle":1,"summary":{
///         "title": text, "originalURL": text, "state": "downloading" | "unverified" | "complete",
///         "created": seconds, "changed": seconds, "milliseconds": number, "bytes": number, "keys": [text …]},
///     "selection": text,
///     "playlists": [{"file": text, "url": text, "kind": text, "label": text, "sha256": hexadecimal} …],
///     "resources": [{"file": text, "url": text, "from": number, "to": number,      the last two for a byte range
///                    "length": number, "sha256": hexadecimal} …],                  the last two once it is complete
///     "missing": [text …],                                                          only if media are missing
///     "recording": milliseconds}               only for a live stream; its playlists have "next": number
///
/// Parsing is strict: every field must occur exactly once, and other fields are errors.
extension BundleDescription {
    static let version = 1
    /// The maximum size of the document in bytes: 512 MiB.
    static let maximumSize = 512 << 20

    /// The encoded document.
    var bytes: [UInt8] {
        let rest = JSONValue.object([
            "selection": .string(selection),
            "playlists": .array(playlists.map(\.json)),
            "resources": .array(resources.map(\.json)),
            "missing": missing.isEmpty ? nil : .array(missing.map { .string($0) }),
            "recording": recordingDuration.map { .integer(Int(exactly: ($0 * 1000).rounded()) ?? 0) },
        ])
        // Both are objects; the line ends at their boundary.
        return Array("{\"keyway-bundle\":\(Self.version),\"summary\":".utf8) + summary.json.encoded()
            + Array(",\n".utf8)
            + rest.encoded().dropFirst() + [0x0A]
    }

    /// Parses a document.
    ///
    /// - Throws: ``AssetBundleError`` `malformed` or `unknown-version`.
    init(parsing bytes: [UInt8], place: String) throws(AssetBundleError) {
        var document = try StrictObject(parsing: bytes, place: place)
        try BundleSummary.checkVersion(&document, place)
        summary = try BundleSummary(try document.value("summary"), place: place)
        selection = try document.text("selection")
        var playlists: [BundlePlaylist] = []
        for item in try document.items("playlists") { playlists.append(try BundlePlaylist(item, place: place)) }
        var resources: [BundleResource] = []
        for item in try document.items("resources") { resources.append(try BundleResource(item, place: place)) }
        (self.playlists, self.resources) = (playlists, resources)
        if let missing = document.optional("missing") {
            guard let lines = missing.items?.map(\.text), !lines.contains(nil) else {
                throw document.invalidValue("missing")
            }
            self.missing = lines.compactMap(\.self)
        }
        if let recording = document.optional("recording") {
            guard let milliseconds = recording.wholeNumber, milliseconds >= 0 else {
                throw document.invalidValue("recording")
            }
            recordingDuration = Double(milliseconds) / 1000
        }
        try document.requireEnd()
        guard playlists.first?.file == "main.m3u8", Set(playlists.map(\.file)).count == playlists.count,
            Set(resources.map(\.file)).count == resources.count
        else {
            throw AssetBundleError(.malformed, place, "a file occurs twice, or the first playlist is not main.m3u8")
        }
        guard state == .downloading || resources.allSatisfy({ $0.content != nil }) else {
            throw AssetBundleError(.malformed, place, "the state is not downloading, but a file has no length")
        }
    }
}

extension BundleSummary {
    /// Parses the first line of a document.
    ///
    /// - Throws: ``AssetBundleError`` `malformed` or `unknown-version`.
    init(firstLine: [UInt8], place: String) throws(AssetBundleError) {
        guard firstLine.last == UInt8(ascii: ",") else {
            throw AssetBundleError(.malformed, place, "the first line does not end after the summary")
        }
        var document = try StrictObject(parsing: firstLine.dropLast() + [UInt8(ascii: "}")], place: place)
        try Self.checkVersion(&document, place)
        self = try BundleSummary(try document.value("summary"), place: place)
        try document.requireEnd()
    }

    fileprivate static func checkVersion(_ document: inout StrictObject, _ place: String) throws(AssetBundleError) {
        guard try document.number("keyway-bundle") == BundleDescription.version else {
            throw AssetBundleError(.unknownVersion, place, "the file was written by another version of keyway")
        }
    }

    fileprivate init(_ value: JSONValue, place: String) throws(AssetBundleError) {
        var object = try StrictObject(value, place: place)
        title = try object.text("title", atMost: 1024)
        originalURL = try object.text("originalURL")
        guard let state = State(rawValue: try object.text("state")) else { throw object.invalidValue("state") }
        self.state = state
        created = try object.number("created")
        changed = try object.number("changed")
        duration = Double(try object.number("milliseconds")) / 1000
        byteCount = UInt64(try object.number("bytes"))
        var keys: [String] = []
        for item in try object.items("keys") {
            guard let key = item.text else { throw object.invalidValue("keys") }
            keys.append(key)
        }
        self.keys = keys
        try object.requireEnd()
    }

    fileprivate var json: JSONValue {
        .object([
            "title": .string(title), "originalURL": .string(originalURL), "state": .string(state.rawValue),
            "created": .integer(created), "changed": .integer(changed),
            "milliseconds": .integer(Int(exactly: (duration * 1000).rounded()) ?? 0),
            "bytes": .integer(Int(clamping: byteCount)), "keys": .array(keys.map { .string($0) }),
        ])
    }
}

extension BundlePlaylist {
    fileprivate init(_ value: JSONValue, place: String) throws(AssetBundleError) {
        var object = try StrictObject(value, place: place)
        file = try object.text("file")
        guard Self.isSafe(file), file.hasSuffix(".m3u8") else { throw object.invalidValue("file") }
        url = try object.text("url")
        guard let kind = Kind(rawValue: try object.text("kind")) else { throw object.invalidValue("kind") }
        self.kind = kind
        label = try object.text("label")
        sha256 = try object.sha256("sha256")
        if let next = object.optional("next") {
            guard let number = next.wholeNumber, number >= 0 else { throw object.invalidValue("next") }
            self.next = UInt64(number)
        }
        try object.requireEnd()
    }

    fileprivate var json: JSONValue {
        .object([
            "file": .string(file), "url": .string(url), "kind": .string(kind.rawValue), "label": .string(label),
            "sha256": .string(Hexadecimal.encode(sha256)), "next": next.map { .integer(Int(clamping: $0)) },
        ])
    }
}

extension BundleResource {
    fileprivate init(_ value: JSONValue, place: String) throws(AssetBundleError) {
        var object = try StrictObject(value, place: place)
        file = try object.text("file")
        guard Self.isValidPath(file) else { throw object.invalidValue("file") }
        url = try object.text("url")
        if let from = object.optional("from") {
            let end = try object.number("to")
            guard let from = from.wholeNumber, from >= 0, from < end else { throw object.invalidValue("from") }
            range = UInt64(from)..<UInt64(end)
        } else {
            range = nil
        }
        if let length = object.optional("length") {
            guard let length = length.wholeNumber, length >= 0 else { throw object.invalidValue("length") }
            content = Content(length: UInt64(length), sha256: try object.sha256("sha256"))
        } else {
            content = nil
        }
        try object.requireEnd()
    }

    fileprivate var json: JSONValue {
        .object([
            "file": .string(file), "url": .string(url), "from": range.map { .integer(Int(clamping: $0.lowerBound)) },
            "to": range.map { .integer(Int(clamping: $0.upperBound)) },
            "length": content.map { .integer(Int(clamping: $0.length)) },
            "sha256": content.map { .string(Hexadecimal.encode($0.sha256)) },
        ])
    }
}
