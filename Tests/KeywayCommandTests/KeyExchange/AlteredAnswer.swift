import Foundation
import Testing

/// A recorded response that is altered in transit, and the expected error.
struct AlteredAnswer: Sendable, CustomTestStringConvertible {
    /// The name of the session.
    let session: String
    /// The description of the alteration.
    let testDescription: String
    /// A part of the error message.
    let refusal: String
    /// Returns the altered body.
    let change: @Sendable ([UInt8]) -> [UInt8]

    init(_ session: String, _ description: String, _ refusal: String, _ change: @escaping @Sendable (String) -> String)
    {
        self.session = session
        testDescription = description
        self.refusal = refusal
        self.change = { Array(change(String(decoding: $0, as: UTF8.self)).utf8) }
    }

    static let all = [
        AlteredAnswer("film", "cut in the middle", "CPIX, line ") { String($0.prefix($0.count / 2)) },
        AlteredAnswer("film", "about other content", "has another contentId") {
            $0.replacing("\"recorded-film\"", with: "\"other-film\"")
        },
        AlteredAnswer("film", "with another key ID", "the audio key 27d99821e9848eedbaaed7ed5c399501 is missing") {
            $0.replacing("ContentKey kid=\"27d99821", with: "ContentKey kid=\"00000000")
        },
        AlteredAnswer("film", "without a vector", "has no explicitIV") {
            $0.replacing(" explicitIV=\"3LS+eq/RfMIfLBZLVQHLXw==\"", with: "")
        },
        AlteredAnswer("film", "for another scheme", "has the scheme cenc, but cbcs was requested") {
            $0.replacing("\"cbcs\"", with: "\"cenc\"")
        },
        AlteredAnswer("film", "with a box that is too long", "PSSH is not a single pssh box for this system") {
            $0.replacing("PSSH>AAAAi3Bzc2g", with: "PSSH>AAAAjHBzc2g")
        },
        AlteredAnswer("film", "with a line for another playlist", "HLSSignalingData is not an EXT-X-KEY tag with a URI")
        {
            // #EXT-X-KEY:METHOD=NONE
            $0.replacing(
                #/playlist="media">[^<]*/#,
                with: #"playlist="media">I0VYVC1YLUtFWTpNRVRIT0Q9Tk9ORQ=="#
            )
        },
        AlteredAnswer("film-encrypted", "with another MAC", "ValueMAC does not match") {
            altered($0, afterLast: "<pskc:ValueMAC>")
        },
        AlteredAnswer("film-encrypted", "with another encrypted key", "ValueMAC does not match") {
            altered($0, afterLast: "<enc:CipherValue>")
        },
        AlteredAnswer("film-encrypted", "for another recipient", "is encrypted for this private key") {
            // The first value is that of the document key.
            guard let tag = $0.range(of: "<enc:CipherValue>") else { return $0 }
            return $0.replacingCharacters(in: tag.upperBound..<$0.index(after: tag.upperBound), with: "+")
        },
        AlteredAnswer("film-encrypted", "with keys in the clear", "contains clear keys") { text in
            let other = try? RecordedKeyExchange("film-with-playready").exchanges.first?.answer.body
            return other.map { String(decoding: $0, as: UTF8.self) } ?? text
        },
    ]

    /// Returns the text with a different Base64 character after the last tag of a name.
    private static func altered(_ text: String, afterLast tag: String) -> String {
        guard let tag = text.range(of: tag, options: .backwards) else { return text }
        let place = tag.upperBound
        return text.replacingCharacters(in: place..<text.index(after: place), with: text[place] == "A" ? "B" : "A")
    }
}
