extension FileKind {
    /// What it is, to stand behind "is".
    var words: String {
        switch self {
        case .empty: "empty"
        case .spc(let version, let completeness): "an SPC of version \(version)" + completeness.words
        case .ckc(let completeness): "a CKC" + completeness.words
        case .certificate(let encoding, let subject): "a certificate (\(encoding.rawValue), \(subject))"
        case .privateKey(let encoding): "a private key (\(encoding.rawValue))"
        case .pem(let label): "a PEM file that holds a \(label)"
        case .html: "a web page (HTML)"
        case .xml: "XML"
        case .gzip: "compressed with gzip"
        case .playlist: "an HLS playlist"
        case .keyURI: "a key URI (skd://)"
        case .json(.message(let field)): "a JSON document with the field \"\(field)\""
        case .json(.error(let text)): "a JSON document that reports an error (\"\(text.prefix(120))\")"
        case .json(.other): "a JSON document"
        case .form(let field, let kind): "a form body whose field \"\(field.prefix(40))\" holds \(kind.nounPhrase)"
        case .base64(.base64(let kind)): "base64 of base64 of \(kind.nounPhrase)"
        case .base64(let kind): "base64 of \(kind.nounPhrase)"
        case .base64WithoutPlus(let kind): "base64 of \(kind.nounPhrase) in which every + has become a space"
        case .hexadecimal(let kind): "hexadecimal of \(kind.nounPhrase)"
        case .utf16(let kind): "UTF-16 text: \(kind.nounPhrase)"
        case .text: "text"
        case .binary(let version):
            "none of the files that are known here" + (version.map { " (it begins with \($0))" } ?? "")
        }
    }

    /// What it is, to stand behind "of".
    private var nounPhrase: String {
        switch self {
        case .empty: "nothing"
        case .gzip: "gzip"
        case .binary(let version): version.map { "bytes that begin with \($0)" } ?? "other bytes"
        default: words
        }
    }

    /// What to do when a message was expected.
    func advice(expecting message: MessageKind) -> String {
        let inspect = "keyway \(message.command) inspect"
        switch self {
        case .empty: return "look at the request or the answer that it was taken from"
        case .spc(3, _):
            return "version 3 is Apple's own; it needs the licensed library, by way of a plug-in (--plugin)"
        case .spc(_, .whole), .ckc(.whole): return "try keyway \(message.other.command) inspect"
        case .spc(_, .cut), .ckc(.cut): return "have it sent again, whole and in binary or base64"
        case .spc(_, .followed), .ckc(.followed): return "something was appended on the way, a newline for instance"
        case .spc(_, .oddLength), .ckc(.oddLength):
            return "it was damaged on the way, by a text conversion for instance"
        case .certificate where message == .spc:
            return
                "the device makes an SPC of it: send that, and not the certificate; keyway certificate check reads it"
        case .certificate: return "keyway certificate check reads it"
        case .privateKey: return "it must never leave the key server: if a client sent it, replace it"
        case .pem: return "give \(message.words) itself"
        case .html: return "a proxy or a login page answered in place of the server: look at the status of the answer"
        case .xml, .text, .binary: return "give \(message.words), in binary or base64"
        case .gzip: return "uncompress it first: gunzip -c FILE | \(inspect) -"
        case .playlist, .keyURI: return "it says where the key is; the key request is made of it on the device"
        case .json(.message(let field)) where field.contains("-"): return "take one item out of it, base64-decoded"
        case .json(.message(let field)): return "take the field out: jq -r .\(field) FILE | \(inspect) -"
        case .json(.error): return "the server refused: its audit log has the reason"
        case .json(.other): return "give \(message.words), in binary or base64"
        case .form: return "give the value of the field alone, URL-decoded"
        case .base64(.base64): return "it was encoded twice on the way: decode it once, and find out who did"
        case .base64WithoutPlus: return "the client must write + as %2B in a form body"
        case .base64(let kind): return kind.advice(expecting: message)
        case .hexadecimal: return "turn it into bytes: xxd -r -p FILE | \(inspect) -"
        case .utf16: return "save it as UTF-8"
        }
    }
}

extension FileKind.Completeness {
    /// To stand behind what the message is.
    fileprivate var words: String {
        switch self {
        case .whole: ""
        case .cut(let missing): " that is cut: \(count(missing)) missing"
        case .followed(let extra): " with \(count(extra)) too many at its end"
        case .oddLength(let length): " whose payload length is \(length), which is no multiple of 16"
        }
    }

    private func count(_ bytes: Int) -> String { bytes == 1 ? "1 byte" : "\(bytes) bytes" }
}
