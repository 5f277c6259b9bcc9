import ByteCoding
import MediaFormats

/// Removes the encryption metadata from a file without moving any byte: boxes become `free` boxes filled with zeros,
/// and sample entries get their original type. Offsets in tables, runs and indexes stay valid, and so do byte ranges in
/// playlists.
///
///     moov/pssh, moof/pssh, pssh                      free
///     stsd/encv, enca, enct                           the type in frma
///     stsd/encv/sinf                                  free
///     stbl or traf: senc, saiz, saio, sgpd and sbgp of seig, and their PIFF uuid boxes   free
struct ProtectionEraser {
    private static let schemes: Set<FourCC> = ["cbcs", "cenc", "cens", "cbc1"]
    /// The user types of the `uuid` boxes that correspond to `pssh` and `senc` in the Protected Interoperable File
    /// Format (PIFF) 1.1.
    private static let piffTypes: Set<[UInt8]> = [
        [0xD0, 0x8A, 0x4F, 0x18, 0x10, 0xF3, 0x4A, 0x82, 0xB6, 0xC8, 0x32, 0xD8, 0xAB, 0xA1, 0x83, 0xD3],
        [0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4],
    ]

    /// The IDs of the tracks that contain encrypted samples.
    let tracks: Set<UInt32>

    /// Erases the encryption metadata of `input` in `output`, which is a copy of `input`.
    func erase(_ input: RawSpan, in output: inout MutableRawSpan) throws {
        // The changes are collected first, because a closure cannot capture a mutable span.
        var patches = Patches()
        try BoxRanges.forEach(in: input, 0..<input.byteCount) { header, content in
            switch header.type {
            case "moov":
                try collectMovie(input, content, &patches)
            case "moof":
                try BoxRanges.forEach(in: input, content) { inner, range in
                    if inner.type == "traf" { try collectFragment(input, range, &patches) }
                    if isProtectionHeader(inner) { patches.free(inner, range) }
                }
            default:
                if isProtectionHeader(header) { patches.free(header, content) }
            }
        }
        patches.apply(to: &output)
    }

    private func isProtectionHeader(_ header: BoxHeader) -> Bool {
        header.type == "pssh" || header.userType.map(Self.piffTypes.contains) ?? false
    }

    // MARK: moov

    private func collectMovie(_ input: RawSpan, _ content: Range<Int>, _ patches: inout Patches) throws {
        try BoxRanges.forEach(in: input, content) { header, range in
            if isProtectionHeader(header) { patches.free(header, range) }
        }
        // The fields before the child boxes of a sample entry depend on its type, which BoxTree handles.
        let tree = BoxTree(reading: input.extracting(content))
        guard !tree.isTruncated else {
            throw DecryptionError(.notSupported, "moov box", "it has more than 100,000 boxes")
        }
        for track in tree.boxes where track.type == "trak" {
            let id = track.child("tkhd")?.fields.first { $0.name == "track_ID" }.flatMap { UInt32($0.value) }
            guard let id, tracks.contains(id) else { continue }
            guard let table = track.child("mdia")?.child("minf")?.child("stbl") else { continue }
            for entry in table.child("stsd")?.children ?? [] {
                try collectEntry(input, entry, in: content, &patches)
            }
            try BoxRanges.forEach(in: input, try range(of: table, in: content)) { _, boxes in
                try collectAuxiliaryInformation(input, boxes, &patches)
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
        var reader = ByteReader(input.extracting(try range(of: format, in: content)))
        try reader.skip(8, "header of the frma box")
        patches.setType(try reader.readFourCC("original format"), at: content.lowerBound + entry.offset)
        for node in protections {
            try BoxRanges.forEach(in: input, try range(of: node, in: content)) { patches.free($0, $1) }
        }
    }

    /// Returns the range of a box in the file. The tree also contains truncated boxes, and more sample entries than the
    /// entry count of the sample description.
    private func range(of node: BoxTree.Node, in content: Range<Int>) throws(ParseError) -> Range<Int> {
        let start = content.lowerBound + node.offset
        guard node.size <= content.upperBound - start else {
            throw ParseError(
                .truncated,
                reading: "\(node.type) box",
                offset: start,
                reason: "it extends beyond the moov box"
            )
        }
        return start..<start + node.size
    }

    // MARK: moof

    private func collectFragment(_ input: RawSpan, _ content: Range<Int>, _ patches: inout Patches) throws {
        var isEncrypted = false
        try BoxRanges.forEach(in: input, content) { header, range in
            guard header.type == "tfhd" else { return }
            var reader = ByteReader(input.extracting(range), base: range.lowerBound)
            isEncrypted = tracks.contains(try TrackFragmentHeaderBox(reading: &reader).trackID)
        }
        if isEncrypted { try collectAuxiliaryInformation(input, content, &patches) }
    }

    /// Erases the boxes of a `stbl` or `traf` box.
    private func collectAuxiliaryInformation(_ input: RawSpan, _ content: Range<Int>, _ patches: inout Patches) throws {
        try BoxRanges.forEach(in: input, content) { header, range in
            var reader = ByteReader(input.extracting(range), base: range.lowerBound)
            switch header.type {
            case "senc":
                patches.free(header, range)
            case "saiz", "saio":
                let flags = try reader.readUInt32("version and flags of the \(header.type) box") & 0xFF_FFFF
                // Without a type, the auxiliary information belongs to the track's scheme.
                let isOfScheme =
                    flags & 1 == 0
                    ? true : Self.schemes.contains(try reader.readFourCC("type of auxiliary information"))
                if isOfScheme { patches.free(header, range) }
            case "sgpd", "sbgp":
                try reader.skip(4, "version and flags of the \(header.type) box")
                if try reader.readFourCC("grouping type") == "seig" { patches.free(header, range) }
            default:
                if isProtectionHeader(header) { patches.free(header, range) }
            }
        }
    }
}

/// Changes to a file that do not change its size.
private struct Patches {
    private var types: [(offset: Int, type: FourCC)] = []
    private var zeros: [Range<Int>] = []

    /// Converts a box to a `free` box.
    mutating func free(_ header: BoxHeader, _ content: Range<Int>) {
        setType("free", at: header.offset)
        // The user type of a `uuid` box becomes content of the `free` box.
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
    /// Returns the first child box of a type.
    fileprivate func child(_ type: FourCC) -> BoxTree.Node? { children.first { $0.type == type } }
}
