/// Percent-encoding (RFC 3986, 2.1), undone into bytes: an asset ID need not be text.
enum PercentEncoding {
    /// The bytes that a text stands for; nil when an escape is broken.
    ///
    /// - Parameter plusIsSpace: whether `+` stands for a space, as it does in forms and queries but not in paths.
    static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }
}
