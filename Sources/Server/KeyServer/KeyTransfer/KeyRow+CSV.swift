import DRMSignaling
import FPSCrypto
import KeyStore
import TextCoding

extension KeyRow {
    /// The columns, in the order in which they are written. `key` and `iv` are required, and `asset` or `kid`. A file
    /// may have the columns in any order.
    enum Column: String, CaseIterable {
        case title, track, kind, asset, kid, key, iv, policy, stream
        case validFrom = "valid_from"
        case validUntil = "valid_until"
        case titleID = "title_id"
        case titlePolicy = "title_policy"
        case trackPolicy = "track_policy"
        case template = "key_uri"
    }

    static func rows(of table: CSVTable) throws -> (rows: [KeyRow], mistakes: [KeyFileError]) {
        var indices: [Column: Int] = [:]
        for (index, name) in table.header.fields.enumerated() {
            guard let column = Column(rawValue: name) else {
                let known = Column.allCases.map(\.rawValue).joined(separator: ", ")
                throw KeyFileError(line: table.header.line, reason: "column \(index + 1) must be one of \(known)")
            }
            guard indices.updateValue(index, forKey: column) == nil else {
                throw KeyFileError(line: table.header.line, reason: "the column \(name) appears more than once")
            }
        }
        for column in [Column.key, .iv] where indices[column] == nil {
            throw KeyFileError(line: table.header.line, reason: "the column \(column.rawValue) is missing")
        }
        var (rows, mistakes): ([KeyRow], [KeyFileError]) = ([], [])
        for row in table.rows {
            do { rows.append(try KeyRow(Fields(row: row, indices: indices))) } catch { mistakes.append(error) }
        }
        return (rows, mistakes)
    }

    private init(_ fields: Fields) throws(KeyFileError) {
        guard let key = try fields.bytes(.key), let iv = try fields.bytes(.iv) else {
            throw fields.error(fields[.key] == nil ? .key : .iv, "is missing")
        }
        self.init(line: fields.row.line, key: SecretBytes(copying: key), iv: iv)
        title = fields[.title]
        track = fields[.track]
        if let word = fields[.kind] {
            guard let kind = ContentTrack(rawValue: word.lowercased()) else {
                let known = ContentTrack.allCases.map(\.rawValue).joined(separator: ", ")
                throw fields.error(.kind, "must be one of \(known)")
            }
            self.kind = kind
        }
        assetID = try fields.assetID()
        keyID = try fields.bytes(.kid)
        policy = fields[.policy]
        streamID = try fields.bytes(.stream)
        validFrom = try fields.time(.validFrom)
        validUntil = try fields.time(.validUntil)
        titleID = try fields.bytes(.titleID)
        titlePolicy = fields[.titlePolicy]
        trackPolicy = fields[.trackPolicy]
        template = fields[.template]
    }

    /// The header line of CSV.
    static var csvHeader: String { CSVTable.line(Column.allCases.map(\.rawValue)) }

    /// The row as a line of CSV, with its unencrypted key.
    var csvLine: String {
        CSVTable.line(Column.allCases.map { text(of: $0) ?? "" })
    }

    private func text(of column: Column) -> String? {
        switch column {
        case .title: title
        case .track: track
        case .kind: kind?.rawValue
        case .asset: assetID.map { Self.text(ofAssetID: $0) }
        case .kid: keyID.map { Hexadecimal.encode($0) }
        case .key: Hexadecimal.encode(key.reveal())
        case .iv: Hexadecimal.encode(iv)
        case .policy: policy
        case .stream: streamID.map { Hexadecimal.encode($0) }
        case .validFrom: validFrom.map { Timestamp.text(seconds: $0) }
        case .validUntil: validUntil.map { Timestamp.text(seconds: $0) }
        case .titleID: titleID.map { Hexadecimal.encode($0) }
        case .titlePolicy: titlePolicy
        case .trackPolicy: trackPolicy
        case .template: template
        }
    }

    /// Returns an asset ID as text if it is printable ASCII, otherwise as `0x` and hexadecimal digits.
    private static func text(ofAssetID assetID: [UInt8]) -> String {
        let isPlain = assetID.allSatisfy { (0x21...0x7E).contains($0) } && !assetID.starts(with: "0x".utf8)
        return isPlain ? String(decoding: assetID, as: UTF8.self) : "0x" + Hexadecimal.encode(assetID)
    }
}

/// The fields of one row by column; an empty field counts as missing.
private struct Fields {
    let row: CSVTable.Row
    let indices: [KeyRow.Column: Int]

    subscript(column: KeyRow.Column) -> String? {
        guard let index = indices[column], !row.fields[index].isEmpty else { return nil }
        return row.fields[index]
    }

    func error(_ column: KeyRow.Column, _ reason: String) -> KeyFileError {
        KeyFileError(line: row.line, reason: "\(column.rawValue) \(reason)")
    }

    /// Returns 16 bytes from hexadecimal digits or a UUID.
    func bytes(_ column: KeyRow.Column) throws(KeyFileError) -> [UInt8]? {
        guard let text = self[column] else { return nil }
        guard let value = try? ContentKeyID(parsing: text) else {
            throw error(column, "must be 16 bytes as 32 hexadecimal digits")
        }
        return value.bytes
    }

    func assetID() throws(KeyFileError) -> [UInt8]? {
        guard let text = self[.asset] else { return nil }
        guard text.hasPrefix("0x") else { return Array(text.utf8) }
        guard let bytes = Hexadecimal.decode(String(text.dropFirst(2))) else {
            throw error(.asset, "starts with 0x, which must be followed by hexadecimal digits")
        }
        return bytes
    }

    func time(_ column: KeyRow.Column) throws(KeyFileError) -> Int64? {
        guard let text = self[column] else { return nil }
        guard let seconds = Int64(text) ?? UnixTime.seconds(iso8601: text) else {
            throw error(column, "must be a time: ISO 8601 with a time zone, or Unix seconds")
        }
        return seconds
    }
}
