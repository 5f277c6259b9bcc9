import ByteCoding

struct Syncframe {
    var size: Int
    var beginsFrame: Bool
    init?(_ bytes: RawSpan, at position: Int, base: Int) throws(ParseError) { return nil }
}
