import DRMSignaling
import FPSCrypto
import KeyStore

extension KeyRow {
    /// Returns the keys in a CPIX document. The content ID of the key, or that of the document, is the title, the intended track type of a key's usage rule
    /// is the track, and the period of that rule is the validity. The asset ID is the part of FairPlay's key URI after
    /// `skd://`, if there is one.
    static func rows(of document: CPIXDocument) -> (rows: [KeyRow], mistakes: [KeyFileError]) {
        let rules = Dictionary(grouping: document.usageRules, by: \.keyID)
        let periods = Dictionary(document.periods.map { ($0.id, $0) }) { first, _ in first }
        var assetIDs: [ContentKeyID: [UInt8]] = [:]
        for system in document.systems where system.systemID == .fairPlay {
            assetIDs[system.keyID] = system.signaledKeyURI.flatMap(ContentDefaults.assetID(inKeyURI:))
        }
        var (rows, mistakes): ([KeyRow], [KeyFileError]) = ([], [])
        for contentKey in document.contentKeys {
            do {
                var row = try KeyRow(contentKey)
                row.assetID = assetIDs[contentKey.keyID]
                try row.apply(
                    rules[contentKey.keyID] ?? [],
                    periods,
                    title: contentKey.contentID ?? document.contentID
                )
                rows.append(row)
            } catch {
                mistakes.append(error)
            }
        }
        return (rows, mistakes)
    }

    private init(_ contentKey: CPIXDocument.ContentKey) throws(KeyFileError) {
        guard !contentKey.isEncrypted else {
            throw KeyFileError(
                line: contentKey.line,
                reason: "the key is encrypted: give the recipient's private key"
            )
        }
        guard let key = contentKey.key else {
            throw KeyFileError(line: contentKey.line, reason: "ContentKey contains no key")
        }
        guard let iv = contentKey.explicitIV else {
            throw KeyFileError(line: contentKey.line, reason: "ContentKey has no explicitIV, which FairPlay requires")
        }
        self.init(line: contentKey.line, key: key, iv: iv)
        keyID = contentKey.keyID.bytes
    }

    private mutating func apply(
        _ rules: [CPIXDocument.UsageRule],
        _ periods: [String: CPIXDocument.KeyPeriod],
        title: String?
    ) throws(KeyFileError) {
        let types = rules.compactMap(\.intendedTrackType)
        let tracks = Set(types.map(SPEKENames.track(ofType:)))
        guard tracks.count <= 1 else {
            throw KeyFileError(
                line: line,
                reason: "the key's usage rules have different track types; a key can have only one track"
            )
        }
        kind = types.first.flatMap { SPEKENames.kind(ofType: $0) } ?? ContentTrack(rules)
        // Without a usage rule for a track type, the key has no track and no title.
        if let title, let name = tracks.first ?? kind?.rawValue {
            self.title = SPEKENames.title(ofContentID: title)
            track = name
        }
        let ids = Set(rules.flatMap(\.periodIDs))
        guard ids.count <= 1 else {
            throw KeyFileError(
                line: line,
                reason: "the key's usage rules have different periods; a key can have only one"
            )
        }
        guard let id = ids.first else { return }
        guard let period = periods[id] else {
            throw KeyFileError(line: line, reason: "a usage rule of the key refers to a missing period")
        }
        (validFrom, validUntil) = (period.start, period.endTime)
    }

    /// Returns a document with the keys of one title.
    ///
    /// - Throws: ``KeyFileError`` for a key without a key ID.
    static func document(of rows: [KeyRow], title: String) throws(KeyFileError) -> CPIXDocument {
        var document = CPIXDocument(contentID: title)
        for row in rows {
            guard let keyID = row.keyID.flatMap({ ContentKeyID($0) }) else {
                throw KeyFileError(line: row.line, reason: "CPIX cannot contain a key without a key ID")
            }
            document.contentKeys.append(
                .init(keyID: keyID, key: row.key, explicitIV: row.iv, scheme: "cbcs")
            )
            guard let name = String(validating: row.assetID ?? [], as: UTF8.self), !name.isEmpty else {
                throw KeyFileError(line: row.line, reason: "CPIX cannot contain an asset ID that is not UTF-8")
            }
            document.systems.append(.init(keyID: keyID, systemID: .fairPlay, keyURI: "skd://\(name)"))
            var rule = CPIXDocument.UsageRule(
                keyID: keyID,
                intendedTrackType: row.track.map(SPEKENames.trackType(ofTrack:))
            )
            if row.validFrom != nil || row.validUntil != nil {
                let id = "period-\(document.periods.count + 1)"
                document.periods.append(.init(id: id, start: row.validFrom, end: row.validUntil))
                rule.periodIDs = [id]
            }
            if row.kind == .audio { rule.audioFilters = [.init()] }
            if row.kind?.isVideo ?? false { rule.videoFilters = [.init()] }
            document.usageRules.append(rule)
        }
        return document
    }
}

extension ContentTrack {
    fileprivate init?(_ rules: [CPIXDocument.UsageRule]) {
        let audio = rules.contains { !$0.audioFilters.isEmpty }
        let video = rules.contains { !$0.videoFilters.isEmpty }
        guard audio != video else { return nil }
        self = audio ? .audio : .video
    }
}
