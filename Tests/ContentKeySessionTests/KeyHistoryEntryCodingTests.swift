import ContentKeySession
import Foundation
import Testing

@Suite("The coding of key histories")
struct KeyHistoryEntryCodingTests {
    @Test(
        "A decoded history is equal to the encoded one",
        arguments: [
            KeyHistoryEntry.Terms.unknown, .limited(nil), .limited(60), .dual(storage: nil, playback: 7),
            .dual(storage: 30, playback: nil),
        ]
    )
    func roundTrip(terms: KeyHistoryEntry.Terms) throws {
        var entry = KeyHistoryEntry(terms: terms, issued: 5, firstPlayed: 6)
        entry.protocolVersions = [1, 2]
        (entry.renewals, entry.renewed, entry.reported, entry.revoked, entry.latest) = (3, 7, 8, 9, 10)
        entry.renewalRefusal = LogSafeWord("renewal-after-expiry")
        entry.refusal = .init(code: .persistentKeyExpired, moment: 11)
        let text = try JSONEncoder().encode(entry)
        #expect(try JSONDecoder().decode(KeyHistoryEntry.self, from: text) == entry)
    }

    @Test("A word that is not safe to log is not decoded", arguments: ["Two Words", "", "a/b"])
    func unsafeWord(text: String) throws {
        let encoded = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([LogSafeWord].self, from: encoded) }
    }
}
