import ByteCoding
import MediaFormats

/// Takes out of a file what says that it is encrypted, and leaves every byte where it is: boxes become `free` boxes of
/// zeros, and sample entries get their own type back. So offsets in tables, runs and indexes stay right, byte ranges in
/// playlists too.
///
///     moov/pssh, moof/pssh, pssh                      free
///     stsd/encv, enca, enct                           what frma says
///     stsd/encv/sinf                                  free
///     stbl or traf: senc, saiz, saio, sgpd and sbgp of seig, and the uuid boxes that preceded them   free
struct ProtectionEraser {
    private static let schemes: Set<FourCC> = ["cbcs", "cenc", "cens", "cbc1"]
    /// What `pssh` and `senc` were before they had types: boxes of the Protected Interoperable File Format 1.1.
    private static let olderTypes: Set<[UInt8]> = [
        [0xD0, 0x8A, 0x4F, 0x18, 0x10, 0xF3, 0x4A, 0x82, 0xB6, 0xC8, 0x32, 0xD8, 0xAB, 0xA1, 0x83, 0xD3],
        [0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4],
    ]

    /// The tracks that are encrypted, wholly or in part.
    let tracks: Set<UInt32>

    /// Erases in `output` what is found in `input`, of which it is a copy.
    func erase(_ input: RawSpan, in output: inout MutableRawSpan) throws {
        // Collected first: a closure cannot hold a mutable span.
        var patches = Patches()
        try BoxPlaces.forEach(in: input, 0..<input.byteCount) { header, content in
            switch header.type {
            case "moov":
                try collectMovie(input, content, &patches)
            case "moof":
                try BoxPlaces.forEach(in: input, content) { inner, range in
                    if inner.type == "traf" { try collectFragment(input, range, &patches) }
                    if isHeader(inner) { patches.free(inner, range) }
                }
            default:
                if isHeader(header) { patches.free(header, content) }
            }
        }
        patches.apply(to: &output)
    }

    private func isHeader(_ header: BoxHeader) -> Bool {
        header.type == "pssh" || header.userType.map(Self.olderTypes.contains) ?? false
    }

    // MARK: moov

    private func collectMovie(_ input: RawSpan, _ content: Range<Int>, _ patches: inout Patches) throws {
        try BoxPlaces.forEach(in: input, content) { header, range in
            if isHeader(header) { patches.free(header, range) }
        }
        // What stands in front of the boxes of a sample entry depends on its kind: the tree knows.
        let tree = BoxTree(reading: input.extracting(content))
        guard !tree.isCutShort else {
            throw DecryptionError(.notSupported, "moov box", "it has more than 100,000 boxes")
        }
        for track in tree.boxes where track.type == "trak" {
            let id = track.child("tkhd")?.fields.first { $0.name == "track_ID" }.flatMap { UInt32($0.value) }
            guard let id, tracks.contains(id) else { continue }
            guard let table = track.child("mdia")?.child("minf")?.child("stbl") else { continue }
            for entry in table.child("stsd")?.children ?? [] {
                try collectEntry(input, entry, in: content, &patches)
            }
            try BoxPlaces.forEach(in: input, try place(of: table, in: content)) { _, boxes in
                try collectAuxiliary(input, boxes, &patches)
            }
        }
    }

    private func collectEntry(
        _ input: RawSpan,
        _ entry: BoxTree.Node,
        in content: Range<Int>,
        _ patches: inout Patches
    ) throws {
        let protections = entry.children.filter { $0.type == "sinf" }
        guard let format = protections.first?.child("frma") else { return }
        var reader = ByteReader(input.extracting(try place(of: format, in: content)))
        try reader.skip(8, "header of a frma box")
        patches.setType(try reader.readFourCC("original format"), at: content.lowerBound + entry.offset)
        for node in protections {
            try BoxPlaces.forEach(in: input, try place(of: node, in: content)) { patches.free($0, $1) }
        }
    }

    /// Where a box lies in the file. The tree shows boxes that are cut off as well, and more sample entries than a
    /// sample description says it has.
    private func place(of node: BoxTree.Node, in content: Range<Int>) throws(ParseError) -> Range<Int> {
        let start = content.lowerBound + node.offset
        guard node.size <= content.upperBound - start else {
            throw ParseError(
                .truncated,
                reading: "\(node.type) box",
                offset: start,
                reason: "it reaches beyond the moov box"
            )
        }
        return start..<start + node.size
    }

    // MARK: moof

    private func collectFragment(_ input: RawSpan, _ content: Range<Int>, _ patches: inout Patches) throws {
        var isEncrypted = false
        try BoxPlaces.forEach(in: input, content) { header, range in
            guard header.type == "tfhd" else { return }
            var reader = ByteReader(input.extracting(range), base: range.lowerBound)
            isEncrypted = tracks.contains(try TrackFragmentHeaderBox(reading: &reader).trackID)
        }
        if isEncrypted { try collectAuxiliary(input, content, &patches) }
    }

    /// The boxes of a `stbl` or `traf` box.
    private func collectAuxiliary(_ input: RawSpan, _ content: Range<Int>, _ patches: inout Patches) throws {
        try BoxPlaces.forEach(in: input, content) { header, range in
            var reader = ByteReader(input.extracting(range), base: range.lowerBound)
            switch header.type {
            case "senc":
                patches.free(header, range)
            case "saiz", "saio":
                let flags = try reader.readUInt32("version and flags of a \(header.type) box") & 0xFF_FFFF
                // Without a type it is what the scheme of the track defines.
                let isOfScheme =
                    flags & 1 == 0
                    ? true : Self.schemes.contains(try reader.readFourCC("type of auxiliary information"))
                if isOfScheme { patches.free(header, range) }
            case "sgpd", "sbgp":
                try reader.skip(4, "version and flags of a \(header.type) box")
                if try reader.readFourCC("grouping type") == "seig" { patches.free(header, range) }
            default:
                if isHeader(header) { patches.free(header, range) }
            }
        }
    }
}

/// Changes to a file that leave its size as it is.
private struct Patches {
    private var types: [(offset: Int, type: FourCC)] = []
    private var zeros: [Range<Int>] = []

    /// Makes a `free` box of a box.
    mutating func free(_ header: BoxHeader, _ content: Range<Int>) {
        setType("free", at: header.offset)
        // An extended type is content of the new box.
        let start = header.userType == nil ? content.lowerBound : content.lowerBound - 16
        zeros.append(start..<content.upperBound)
    }

    /// Changes the type of the box at `offset`.
    mutating func setType(_ type: FourCC, at offset: Int) { types.append((offset, type)) }

    func apply(to output: inout MutableRawSpan) {
        for range in zeros {
            output.withUnsafeMutableBytes { bytes in
                for index in range { bytes[index] = 0 }
            }
        }
        for (offset, type) in types {
            output.storeBytes(of: type.rawValue.bigEndian, toByteOffset: offset + 4, as: UInt32.self)
        }
    }
}

extension BoxTree.Node {
    /// The first box of a type in this one.
    fileprivate func child(_ type: FourCC) -> BoxTree.Node? { children.first { $0.type == type } }
}
