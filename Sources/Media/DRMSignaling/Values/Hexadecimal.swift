/// Hexadecimal digits, as ASCII.
enum Hexadecimal {
    /// The value of a digit in either case; nil for another byte.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Two lower-case digits for each byte.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    /// The digits of a text, without the `0x` that may stand before them.
    static func digits(of text: some StringProtocol) -> Substring.UTF8View {
        let all = Substring(text).utf8
        return all.starts(with: "0x".utf8) || all.starts(with: "0X".utf8) ? all.dropFirst(2) : all
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
