/// A box of an MP4 file that can be changed and written again.
struct MutableBox {
    /// The form in which the size is written.
    enum Form { case short, large, toEnd }

    var type: UInt32
    var form = Form.short
    /// The bytes before the child boxes; the whole content if there are none.
    var content: [UInt8]
    var children: [MutableBox] = []

    /// The size in bytes, including the header.
    var size: Int { children.reduce((form == .large ? 16 : 8) + content.count) { $0 + $1.size } }

    static func code(_ type: StaticString) -> UInt32 {
        type.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The number of bytes before the child boxes, by the type of container box.
    private static let heads: [UInt32: Int] = {
        var heads: [UInt32: Int] = [:]
        for type in containers { heads[code(type)] = 0 }
        for type in ["avc1", "avc3", "hvc1", "hev1", "encv", "dvh1"] as [StaticString] { heads[code(type)] = 78 }
        for type in ["mp4a", "ac-3", "ec-3", "enca"] as [StaticString] { heads[code(type)] = 28 }
        for type in ["stsd", "dref", "wvtt", "stpp"] as [StaticString] { heads[code(type)] = 8 }
        heads[code("meta")] = 4
        return heads
    }()

    private static let containers: [StaticString] = [
        "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "udta", "mvex", "moof", "traf", "mfra", "sinf", "schi",
        "wave", "ludt",
    ]

    /// Types of boxes that are inserted.
    static let types: [UInt32] = (containers + leaves).map(code)

    private static let leaves: [StaticString] = [
        "ftyp", "styp", "mdat", "free", "mvhd", "tkhd", "mdhd", "hdlr", "elng", "elst", "vmhd", "smhd", "nmhd", "sthd",
        "dref", "stsd", "stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sbgp", "sgpd", "saiz", "saio",
        "senc", "mehd", "trex", "mfhd", "tfhd", "tfdt", "trun", "tfra", "mfro", "sidx", "emsg", "prft", "pssh", "frma",
        "schm", "tenc", "avc1", "avc3", "hvc1", "hev1", "encv", "mp4a", "ac-3", "ec-3", "enca", "enct", "wvtt", "stpp",
        "tx3g", "avcC", "hvcC", "esds", "dac3", "dec3", "dvcC", "dvvC", "colr", "pasp", "btrt", "mdcv", "clli", "tlou",
        "alou", "uuid",
    ]

    /// Parses boxes; data that is not a box becomes a box without a type.
    static func read(_ bytes: [UInt8]) -> [MutableBox] { read(bytes[...], depth: 0) }

    private static func read(_ bytes: ArraySlice<UInt8>, depth: Int) -> [MutableBox] {
        var boxes: [MutableBox] = []
        var rest = bytes
        func number(_ offset: Int) -> UInt32 {
            rest[(rest.startIndex + offset)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        while rest.count >= 8 {
            var box = MutableBox(type: number(4), content: [])
            var size = Int(number(0))
            var header = 8
            if size == 0 {
                box.form = .toEnd
                size = rest.count
            } else if size == 1, rest.count >= 16 {
                box.form = .large
                size = Int(number(12))
                header = 16
            }
            guard size >= header else { break }
            let content = rest.prefix(size).dropFirst(header)
            if let head = heads[box.type], depth < 16, content.count >= head {
                box.content = Array(content.prefix(head))
                box.children = read(content.dropFirst(head), depth: depth + 1)
            } else {
                box.content = Array(content)
            }
            boxes.append(box)
            rest = rest.dropFirst(size)
        }
        if !rest.isEmpty { boxes.append(MutableBox(type: 0, content: Array(rest))) }
        return boxes
    }

    /// Writes the box with its size field.
    func write(to bytes: inout [UInt8]) {
        func write(_ number: UInt32) {
            for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        switch form {
        case .short: write(UInt32(size))
        case .large: write(1)
        case .toEnd: write(0)
        }
        write(type)
        if form == .large {
            write(0)
            write(UInt32(size))
        }
        bytes += content
        for child in children { child.write(to: &bytes) }
    }

    /// Adjusts the chunk offsets of all tracks.
    mutating func moveChunks(by distance: Int) {
        for index in children.indices { children[index].moveChunks(by: distance) }
        let width = type == Self.code("stco") ? 4 : type == Self.code("co64") ? 8 : 0
        guard width > 0 else { return }
        for place in stride(from: 8 + width - 4, to: content.count - 3, by: width) { move(place, by: distance) }
    }

    /// Adjusts the data offsets of the runs of a fragment, if they declare one.
    mutating func moveRuns(by distance: Int) {
        for index in children.indices { children[index].moveRuns(by: distance) }
        if type == Self.code("trun"), content.count >= 12, content[3] & 1 != 0 { move(8, by: distance) }
    }

    private mutating func move(_ place: Int, by distance: Int) {
        let old = content[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let new = old &+ UInt32(truncatingIfNeeded: distance)
        for index in 0..<4 { content[place + index] = UInt8(truncatingIfNeeded: new >> UInt32(24 - 8 * index)) }
    }
}
