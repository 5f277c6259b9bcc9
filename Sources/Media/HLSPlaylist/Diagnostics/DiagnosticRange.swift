/// Finds the end of the text that a diagnostic is about.
enum DiagnosticRange {
    /// Returns the offset after the text that begins at an offset of a line: white space, an attribute with its value, a
    /// quoted string, or the text before the next comma. Nothing is left at the end of the line.
    static func end(_ bytes: [UInt8], _ start: Int) -> Int {
        var end = start
        func byte() -> UInt8? { end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D ? bytes[end] : nil }
        func skipQuoted() {
            end += 1
            while let next = byte(), next != 0x22 { end += 1 }
            if byte() != nil { end += 1 }
        }
        guard let first = byte() else { return start }
        if isSpace(first) {
            while let next = byte(), isSpace(next) { end += 1 }
            return end
        }
        if first == 0x2C { return start + 1 }
        while let next = byte(), next != 0x2C, !isSpace(next) {
            if next == 0x22 {
                // The quotation mark may be that after the value.
                if end > start, bytes[end - 1] != 0x3D { return end }
                skipQuoted()
                return end
            }
            end += 1
        }
        return max(end, start + 1)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
