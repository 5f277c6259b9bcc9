/// The spelling of request paths.
package enum RequestPath {
    /// Returns whether the path is in its simplest spelling: without empty components, `.` and `..`, and without
    /// percent-encoded letters or digits. Clients do not encode those; names in administration paths may need other
    /// escapes.
    package static func isExact(_ path: String) -> Bool {
        var path = path
        // This runs for every request, so it processes the bytes in one pass without a copy.
        return path.withUTF8 { path in
            guard path.first == slash else { return false }
            var start = 1
            while start < path.count {
                let rest = path[start...]
                let end = rest.firstIndex(of: slash) ?? path.count
                let part = UnsafeBufferPointer(rebasing: path[start..<end])
                guard !part.isEmpty, !isDots(part), !hasNeedlessEscape(part) else { return false }
                start = end + 1
            }
            // "/" itself is valid, other paths must not end with a slash.
            return path.count == 1 || path.last != slash
        }
    }

    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")
    private static let percent = UInt8(ascii: "%")

    /// Returns whether a component is `.` or `..`; the dots may be percent-encoded.
    private static func isDots(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard part.count <= 6 else { return false }
        var (index, dots) = (0, 0)
        while index < part.count {
            if part[index] == dot {
                index += 1
            } else if escaped(part, at: index) == dot {
                index += 3
            } else {
                return false
            }
            dots += 1
        }
        return dots <= 2
    }

    private static func hasNeedlessEscape(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        part.indices.contains { index in
            switch escaped(part, at: index) {
            case .some(UInt8(ascii: "a")...UInt8(ascii: "z")), .some(UInt8(ascii: "A")...UInt8(ascii: "Z")),
                .some(0x30...0x39):
                true
            default: false
            }
        }
    }

    /// Returns the byte that an escape represents; nil if there is no escape at the index.
    private static func escaped(_ part: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt8? {
        guard part[index] == percent, index + 2 < part.count, let high = digit(part[index + 1]),
            let low = digit(part[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
