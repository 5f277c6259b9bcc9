/// Escaping of text and attribute values (XML 1.0, 2.2 and 2.4).
package enum XMLText {
    /// Escapes text for element content or an attribute value. Characters that XML cannot represent become U+FFFD. Line
    /// breaks also become U+FFFD, because a parser would turn them into spaces in attributes.
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

    /// Escapes text like ``escaped(_:)``, but preserves line breaks and tabs: in text as they are, and in attribute values
    /// as character references, because a parser would turn them into spaces there.
    package static func preserved(_ value: String, inAttribute: Bool) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\r": text += "&#13;"
            case "\n", "\t":
                if inAttribute { text += "&#\(scalar.value);" } else { text.unicodeScalars.append(scalar) }
            default: text += escaped(String(scalar))
            }
        }
        return text
    }
}
