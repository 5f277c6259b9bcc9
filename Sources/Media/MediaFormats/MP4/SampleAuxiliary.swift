import ByteCoding

/// The protection parameters that `tenc` and `seig` share, stored inline.
struct ProtectionParameters: Hashable, Sendable {
    var isProtected: Bool
    var ivSize: Int
    var keyID: KeyID
    var constantIV: SampleIV
    var cryptByteBlock: UInt8
    var skipByteBlock: UInt8

    /// Creates the parameters of a box. Returns nil if the key ID does not have 16 bytes, which is impossible for a
    /// parsed box.
    init?(_ box: TrackEncryptionBox) {
        guard let keyID = KeyID(box.keyID), let constantIV = SampleIV(box.constantIV) else { return nil }
        isProtected = box.isProtected
        ivSize = Int(box.perSampleIVSize)
        self.keyID = keyID
        self.constantIV = constantIV
        cryptByteBlock = box.cryptByteBlock
        skipByteBlock = box.skipByteBlock
    }
}

/// The locations of the initialization vectors, subsamples and key groups of the samples of a `stbl` or `traf` box.
struct SampleAuxiliary: Hashable, Sendable {
    /// The location of `senc` entries. The size of their initialization vectors is not known here.
    struct Entries: Hashable, Sendable {
        var offset: Int
        var end: Int
        var count: Int
        var hasSubsamples: Bool
    }

    /// The sizes in a `saiz` box.
    struct Sizes: Hashable, Sendable {
        var defaultSize: Int
        var offset: Int
        var count: Int
    }

    var entries: Entries?
    var sizes: Sizes?
    var offsets: TableEntries?
    var groups: TableEntries?
    var groupParameters: [ProtectionParameters] = []
    var defaultGroup: UInt32 = 0

    private static let schemes: Set<FourCC> = ["cbcs", "cenc", "cens", "cbc1"]

    /// Reads a box if it contains auxiliary information or key groups.
    mutating func read(_ type: FourCC, _ reader: inout ByteReader) throws(ParseError) {
        switch type {
        case "senc":
            let header = try FullBoxHeader(reading: &reader, of: "senc", newest: 0)
            let count = Int(try reader.readUInt32("number of samples in the senc box"))
            entries = Entries(
                offset: reader.offset,
                end: reader.offset + reader.remaining,
                count: count,
                hasSubsamples: header.flags & 2 != 0
            )
        case "saiz":
            let header = try FullBoxHeader(reading: &reader, of: "saiz", newest: 0)
            guard try isOfScheme(header, &reader) else { return }
            let size = Int(try reader.readUInt8("default size of auxiliary information"))
            let count =
                size == 0
                ? try reader.readCount(entrySize: 1, "number of samples in the saiz box")
                : Int(try reader.readUInt32("number of samples in the saiz box"))
            sizes = Sizes(defaultSize: size, offset: reader.offset, count: count)
        case "saio":
            let header = try FullBoxHeader(reading: &reader, of: "saio", newest: 1)
            guard try isOfScheme(header, &reader) else { return }
            offsets = try TableEntries(reading: &reader, entrySize: header.version == 0 ? 4 : 8, "saio")
        case "sbgp":
            let box = try SampleToGroupBox(reading: &reader)
            if box.groupingType == "seig" { groups = box.entries }
        case "sgpd":
            let box = try SampleGroupDescriptionBox(reading: &reader)
            guard box.groupingType == "seig" else { return }
            defaultGroup = box.defaultIndex
            groupParameters = []
            for entry in box.entries {
                var reader = ByteReader(entry.span.bytes)
                let encryption = try SampleEncryptionGroupEntry(reading: &reader).encryption
                if let parameters = ProtectionParameters(encryption) { groupParameters.append(parameters) }
            }
        default: break
        }
    }

    private func isOfScheme(_ header: FullBoxHeader, _ reader: inout ByteReader) throws(ParseError) -> Bool {
        guard header.flags & 1 != 0 else { return true }
        let type = try reader.readFourCC("type of auxiliary information")
        try reader.skip(4, "parameter of auxiliary information")
        return Self.schemes.contains(type)
    }
}
