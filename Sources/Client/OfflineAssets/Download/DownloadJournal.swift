import ByteCoding
import FPSCrypto
import TextCoding

/// The state of a download's files as recorded by a journal: a line for each step, each with its own checksum.
///
///     journal = "keyway-journal 1 " plan LF *line     the plan: SHA-256 of the planned resources, in hexadecimal
///     line    = check SP record LF                    the check: the first 4 bytes of the record's SHA-256
///     record  = "part" SP file SP length SP etag SP date
///             / "done" SP file SP length SP sha256 SP etag SP date
///             / "drop" SP file
///
/// `file` is the index of the resource, from 0; `length` is in bytes; `etag` and `date` are the server's header fields
/// in hexadecimal, or `-`. A line is written only after the bytes that it records are synchronized to the disk.
///
/// The journal is read up to the first incomplete or invalid line. Such a line is the last one if the machine crashed
/// while writing it, and its step is repeated.
struct DownloadJournal: Sendable, Equatable {
    /// The recorded state of a file.
    enum Entry: Sendable, Hashable {
        /// At least this number of bytes is on the disk, of a resource with these validators.
        case part(length: UInt64, Validators)
        /// All bytes are on the disk.
        case done(BundleResource.Content, Validators)
    }

    /// A step of a download.
    enum Record: Sendable, Hashable {
        case part(Int, length: UInt64, Validators)
        case done(Int, BundleResource.Content, Validators)
        /// The recorded state of a file is no longer valid.
        case drop(Int)
    }

    /// The entries by index of the resource.
    private(set) var entries: [Int: Entry] = [:]

    /// Applies a step.
    mutating func apply(_ record: Record) {
        switch record {
        case .part(let file, let length, let validators): entries[file] = .part(length: length, validators)
        case .done(let file, let content, let validators): entries[file] = .done(content, validators)
        case .drop(let file): entries[file] = nil
        }
    }

    /// Returns the first line.
    static func header(plan: [UInt8]) -> [UInt8] { Array("keyway-journal 1 \(Hexadecimal.encode(plan))\n".utf8) }

    /// Returns the identifier of a plan, a hash of its resources. It ignores the queries of URLs, which may be
    /// signatures.
    static func plan(of resources: [BundleResource]) -> [UInt8] {
        var hash = SHA256Stream()
        for resource in resources {
            let range = resource.range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? ""
            let address = URLAddress.withoutQuery(resource.url)
            Array("\(resource.file)\n\(address)\n\(range)\n".utf8).withUnsafeBytes { hash.update($0) }
        }
        return hash.finish()
    }

    /// Parses a journal.
    ///
    /// - Parameters:
    ///   - plan: The identifier of the current plan: a journal of another plan is ignored.
    ///   - files: The number of resources.
    /// - Returns: The journal, and the length of its valid part in bytes; 0 if the first line is invalid.
    static func read(_ bytes: [UInt8], plan: [UInt8], files: Int) -> (journal: DownloadJournal, validLength: Int) {
        var journal = DownloadJournal()
        let header = header(plan: plan)
        guard bytes.starts(with: header) else { return (journal, 0) }
        var position = header.count
        while let end = bytes[position...].firstIndex(of: 0x0A), end - position <= 4096 {
            guard let record = Record(line: bytes[position..<end]), (0..<files).contains(record.file) else { break }
            journal.apply(record)
            position = end + 1
        }
        return (journal, position)
    }
}

/// The validators of a resource, which show whether it has changed: RFC 9110, section 8.8.
struct Validators: Sendable, Hashable {
    /// The ETag field, with quotation marks.
    var etag: String?
    /// The Last-Modified field.
    var lastModified: String?

    init(etag: String? = nil, lastModified: String? = nil) {
        // Longer values are discarded, because they would make the journal long.
        self.etag = etag.flatMap { $0.utf8.count <= 512 ? $0 : nil }
        self.lastModified = lastModified.flatMap { $0.utf8.count <= 128 ? $0 : nil }
    }

    /// The value for If-Range: a strong ETag, or otherwise the date (section 13.1.5).
    var ifRange: String? {
        if let etag, etag.hasPrefix("\""), etag.utf8.count > 2 { return etag }
        return lastModified
    }

    /// Returns whether the validators show that the resource has changed. A validator that is missing on one side is
    /// ignored.
    func contradicts(_ other: Validators) -> Bool {
        if let etag, let theirs = other.etag { return etag != theirs }
        if let lastModified, let theirs = other.lastModified { return lastModified != theirs }
        return false
    }
}

extension DownloadJournal.Record {
    /// The index of the file that the record is about.
    var file: Int {
        switch self {
        case .part(let file, _, _), .done(let file, _, _), .drop(let file): file
        }
    }

    /// The line, with its checksum and the line feed.
    var line: [UInt8] {
        let text =
            switch self {
            case .part(let file, let length, let validators): "part \(file) \(length) \(validators.text)"
            case .done(let file, let content, let validators):
                "done \(file) \(content.length) \(Hexadecimal.encode(content.sha256)) \(validators.text)"
            case .drop(let file): "drop \(file)"
            }
        return Array("\(Self.check(text.utf8)) \(text)\n".utf8)
    }

    /// Parses a line; nil if the line is incomplete or invalid.
    init?(line: ArraySlice<UInt8>) {
        guard let text = String(validating: line, as: UTF8.self), text.utf8.count > 9,
            text.utf8.prefix(8).elementsEqual(Self.check(text.utf8.dropFirst(9)).utf8)
        else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 3, let file = Int(words[2]) else { return nil }
        switch (words[1], words.count) {
        case ("part", 6):
            guard let length = UInt64(words[3]), let validators = Validators(words[4], words[5]) else { return nil }
            self = .part(file, length: length, validators)
        case ("done", 7):
            guard let length = UInt64(words[3]), let sha256 = Hexadecimal.decode(words[4]), sha256.count == 32,
                let validators = Validators(words[5], words[6])
            else { return nil }
            self = .done(file, BundleResource.Content(length: length, sha256: sha256), validators)
        case ("drop", 3): self = .drop(file)
        default: return nil
        }
    }

    private static func check(_ text: some Collection<UInt8>) -> String {
        Hexadecimal.encode(SHA256.hash(text).prefix(4))
    }
}

extension Validators {
    fileprivate var text: String { "\(Self.text(etag)) \(Self.text(lastModified))" }

    private static func text(_ field: String?) -> String { field.map { Hexadecimal.encode($0.utf8) } ?? "-" }

    fileprivate init?(_ etag: Substring, _ date: Substring) {
        guard let etag = Self.field(etag), let date = Self.field(date) else { return nil }
        self.init(etag: etag, lastModified: date)
    }

    /// The inner optional is nil if there is no field, the outer one if the text is malformed.
    private static func field(_ text: Substring) -> String?? {
        if text == "-" { return .some(nil) }
        guard let bytes = Hexadecimal.decode(text), let field = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return .some(field)
    }
}
