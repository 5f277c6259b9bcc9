import ByteCoding
import FPSCrypto
import TextCoding

/// What is known of the files of a download, as a journal tells it: a line for each step, each with a check of itself.
///
///     journal = "keyway-journal 1 " plan LF *line     the plan: SHA-256 of what is to be fetched, in hexadecimal
///     line    = check SP record LF                    the check: the first 4 bytes of the record's SHA-256
///     record  = "part" SP file SP length SP etag SP date
///             / "done" SP file SP length SP sha256 SP etag SP date
///             / "drop" SP file
///
/// `file` is the place among the resources, from 0; `length` is in bytes; `etag` and `date` are the header fields of the
/// server in hexadecimal, or `-`. A line is written when the bytes that it speaks of are on the disk for good, never before.
///
/// It is read up to the first line that is not whole or not right. Such a line is the last one where the machine stopped in
/// the middle of writing it, and what it would have said is done again.
struct DownloadJournal: Sendable, Equatable {
    /// What is known of one file.
    enum Entry: Sendable, Hashable {
        /// At least so many bytes are on the disk, of a resource with these validators.
        case part(length: UInt64, Validators)
        /// All are.
        case done(BundleResource.Content, Validators)
    }

    /// One step.
    enum Record: Sendable, Hashable {
        case part(Int, length: UInt64, Validators)
        case done(Int, BundleResource.Content, Validators)
        /// What was known of a file counts no longer.
        case drop(Int)
    }

    /// By the file's place among the resources.
    private(set) var entries: [Int: Entry] = [:]

    /// Takes a step.
    mutating func apply(_ record: Record) {
        switch record {
        case .part(let file, let length, let validators): entries[file] = .part(length: length, validators)
        case .done(let file, let content, let validators): entries[file] = .done(content, validators)
        case .drop(let file): entries[file] = nil
        }
    }

    /// The first line.
    static func header(plan: [UInt8]) -> [UInt8] { Array("keyway-journal 1 \(Hexadecimal.encode(plan))\n".utf8) }

    /// What a plan is called: anything else about a resource but the query of its URL, which may be a signature, makes another
    /// plan.
    static func plan(of resources: [BundleResource]) -> [UInt8] {
        var hash = SHA256Stream()
        for resource in resources {
            let range = resource.range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? ""
            let address = URLAddress.withoutQuery(resource.url)
            Array("\(resource.file)\n\(address)\n\(range)\n".utf8).withUnsafeBytes { hash.update($0) }
        }
        return hash.finish()
    }

    /// Reads a journal.
    ///
    /// - Parameters:
    ///   - plan: what the resources are called now: a journal of another plan says nothing.
    ///   - files: how many resources there are.
    /// - Returns: What it says, and up to where it is right, in bytes. 0 where the first line is not.
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

/// By what a server says whether a resource is still the same: RFC 9110, section 8.8.
struct Validators: Sendable, Hashable {
    /// ETag, with quotation marks.
    var etag: String?
    /// Last-Modified.
    var lastModified: String?

    init(etag: String? = nil, lastModified: String? = nil) {
        // Longer ones are no use, and would make the journal long.
        self.etag = etag.flatMap { $0.utf8.count <= 512 ? $0 : nil }
        self.lastModified = lastModified.flatMap { $0.utf8.count <= 128 ? $0 : nil }
    }

    /// What may stand in If-Range: a strong ETag, or else the date (section 13.1.5).
    var ifRange: String? {
        if let etag, etag.hasPrefix("\""), etag.utf8.count > 2 { return etag }
        return lastModified
    }

    /// Whether a later answer speaks of something else. What is missing on one side says nothing.
    func contradicts(_ other: Validators) -> Bool {
        if let etag, let theirs = other.etag { return etag != theirs }
        if let lastModified, let theirs = other.lastModified { return lastModified != theirs }
        return false
    }
}

extension DownloadJournal.Record {
    /// The place of the file that it speaks of.
    var file: Int {
        switch self {
        case .part(let file, _, _), .done(let file, _, _), .drop(let file): file
        }
    }

    /// The line, with its check and its end.
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

    /// Nil where the line is not whole or not right.
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

    /// Nil inside where there is none, nil outside where it is malformed.
    private static func field(_ text: Substring) -> String?? {
        if text == "-" { return .some(nil) }
        guard let bytes = Hexadecimal.decode(text), let field = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return .some(field)
    }
}
