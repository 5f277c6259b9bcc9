import ByteCoding

/// The blocks of an SPC's payload from which the session secrets are decrypted and the integrity is checked (Table
/// 2-4).
package struct SessionBlocks: Sendable {
    /// The encrypted session key, device ID and R1.
    package let sessionKeyAndR1: SessionKeyAndR1
    /// The integrity value, which the end of the decrypted [SK...R1] must equal.
    package let integrity: SessionKeyAndR1Integrity
    /// The input of the function that derives DASk.
    package let r2: R2

    /// Creates the value from the blocks of a parsed payload.
    package init(_ payload: SPCPayload) {
        sessionKeyAndR1 = payload.sessionKeyAndR1
        integrity = payload.sessionKeyAndR1Integrity
        r2 = payload.r2
    }

    private init(_ sessionKeyAndR1: SessionKeyAndR1, _ integrity: SessionKeyAndR1Integrity, _ r2: R2) {
        self.sessionKeyAndR1 = sessionKeyAndR1
        self.integrity = integrity
        self.r2 = r2
    }

    /// Finds the blocks in a payload that cannot be parsed as a whole, because another part of it is damaged. Blocks
    /// start at multiples of 16 bytes.
    ///
    /// - Returns: up to ``combinations`` combinations of the blocks that were found, because a block can occur more
    ///   than once.
    package static func found(in payload: [UInt8]) -> [SessionBlocks] {
        var sessions: [SessionKeyAndR1] = []
        var integrities: [SessionKeyAndR1Integrity] = []
        var seeds: [R2] = []
        for start in stride(from: 0, to: payload.count, by: 16) {
            var reader = ByteReader(payload.span.bytes)
            guard (try? reader.skip(start, "the bytes before the block")) != nil,
                let block = try? TLLV(reading: &reader, of: payload)
            else { continue }
            if let content = try? content(SessionKeyAndR1.self, of: block) { sessions.append(content) }
            if let content = try? content(SessionKeyAndR1Integrity.self, of: block) { integrities.append(content) }
            if let content = try? content(R2.self, of: block) { seeds.append(content) }
        }
        let all = sessions.flatMap { session in
            seeds.flatMap { seed in integrities.map { SessionBlocks(session, $0, seed) } }
        }
        return Array(all.prefix(combinations))
    }

    /// The maximum number of combinations; each costs the derivation of a key.
    package static let combinations = 4

    private static func content<Content: TLLVContent>(
        _: Content.Type,
        of block: TLLV
    ) throws(ParseError) -> Content? {
        block.tag == Content.tag ? try Content(block) : nil
    }
}
