import TextCoding

extension FileKind {
    /// The description of the kind, which follows "is" in messages.
    var description: String {
        switch self {
        case .empty: "empty"
        case .spc(let version, let completeness): "an SPC of version \(version)" + completeness.suffix
        case .ckc(let completeness): "a CKC" + completeness.suffix
        case .certificate(let encoding, let subject): "a certificate (\(encoding.rawValue), \(subject))"
        case .privateKey(let encoding): "a private key (\(encoding.rawValue))"
        case .pem(let label): "a PEM file with a \(label)"
        case .html: "a web page (HTML)"
        case .xml: "XML"
        case .gzip: "gzip-compressed data"
        case .playlist: "an HLS playlist"
        case .keyURI: "a key URI (skd://)"
        case .json(.message(let field)): "a JSON document with the field \"\(field)\""
        case .json(.error(let text)): "a JSON document that reports an error (\"\(text.prefix(120))\")"
        case .json(.other): "a JSON document"
        case .form(let field, let kind): "a form body whose field \"\(field.prefix(40))\" contains \(kind.nounPhrase)"
        case .base64(.base64(let kind)): "double base64 of \(kind.nounPhrase)"
        case .base64(let kind): "base64 of \(kind.nounPhrase)"
        case .base64WithoutPlus(let kind): "base64 of \(kind.nounPhrase) in which every + was replaced with a space"
        case .hexadecimal(let kind): "hexadecimal of \(kind.nounPhrase)"
        case .utf16(let kind): "UTF-16 text: \(kind.nounPhrase)"
        case .text: "text"
        case .binary(let version):
            "data of an unknown type" + (version.map { " (it begins with \($0))" } ?? "")
        }
    }

    /// The description of the kind, which follows "of" or "contains" in messages.
    private var nounPhrase: String {
        switch self {
        case .empty: "nothing"
        case .gzip: "gzip-compressed data"
        case .binary(let version): version.map { "data that begins with \($0)" } ?? "other data"
        default: description
        }
    }

    /// Returns advice if a message was expected.
    func advice(expecting message: MessageKind) -> String {
        let inspect = "keyway \(message.command) inspect"
        switch self {
        case .empty: return "check the request or the response that it was saved from"
        case .spc(3, _):
            return "only Apple's licensed library can open version 3: give a plug-in with --plugin"
        case .spc(_, .complete), .ckc(.complete): return "try keyway \(message.other.command) inspect"
        case .spc(_, .truncated), .ckc(.truncated): return "send or save it again, complete and in binary or base64"
        case .spc(_, .excess), .ckc(.excess): return "something was appended to it, for example a newline"
        case .spc(_, .invalidLength), .ckc(.invalidLength):
            return "it was damaged in transit, for example by a text conversion"
        case .certificate where message == .spc:
            return
                "a device creates the SPC from the certificate: give that SPC; keyway certificate check inspects certificates"
        case .certificate: return "inspect it with keyway certificate check"
        case .privateKey: return "a private key must never leave the key server: if a client sent it, replace it"
        case .pem: return "give \(message.description) instead"
        case .html: return "a proxy or a login page responded instead of the server: check the status of the response"
        case .xml, .text, .binary: return "give \(message.description), in binary or base64"
        case .gzip: return "decompress it first: gunzip -c FILE | \(inspect) -"
        case .playlist, .keyURI: return "it refers to the key; the device creates the key request from it"
        case .json(.message(let field)) where field.contains("-"):
            return "extract one item from it, and decode its base64"
        case .json(.message(let field)): return "extract the field: jq -r .\(field) FILE | \(inspect) -"
        case .json(.error): return "the server refused the request: see its audit log for the reason"
        case .json(.other): return "give \(message.description), in binary or base64"
        case .form: return "give only the value of the field, URL-decoded"
        case .base64(.base64): return "it was base64-encoded twice: decode it once, and fix the encoder"
        case .base64WithoutPlus: return "the client must encode + as %2B in a form body"
        case .base64(let kind): return kind.advice(expecting: message)
        case .hexadecimal: return "convert it to binary: xxd -r -p FILE | \(inspect) -"
        case .utf16: return "save it as UTF-8"
        }
    }
}

extension FileKind.Completeness {
    /// The text after the name of the message.
    fileprivate var suffix: String {
        switch self {
        case .complete: ""
        case .truncated(let missing): " that is truncated: \(count(missing)) missing"
        case .excess(let extra): " with \(count(extra)) too many at its end"
        case .invalidLength(let length): " whose payload length, \(length), is not a multiple of 16"
        }
    }

    private func count(_ bytes: Int) -> String { counted(bytes, "byte") }
}
