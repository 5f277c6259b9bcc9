/// Characters of text and of attributes (XML 1.0, 2.2 and 2.4).
package enum XMLText {
    /// Text as it stands between tags or between quotation marks. What XML has no way to write becomes U+FFFD; line
    /// breaks as well, which would become blanks in attributes.
    package static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
