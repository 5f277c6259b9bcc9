import ByteCoding

/// The blocks of an SPC's payload by which its session is opened and its integrity is checked (Table 2-4).
package struct SessionBlocks: Sendable {
    /// Session key, device ID and R1, encrypted.
    package let sessionKeyAndR1: SessionKeyAndR1
    /// What the decrypted [SK...R1] must end with.
    package let integrity: SessionKeyAndR1Integrity
    /// The input of the function that derives DASk.
    package let r2: R2

    /// Takes the blocks of a payload that could be read.
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

    /// Finds the blocks in a payload that cannot be read as a whole, since something else in it is damaged. Blocks begin at
    /// multiples of 16 bytes, whatever lies between them.
    ///
    /// - Returns: up to ``combinations`` ways to combine what was found, since a block may be there twice.
    package static func found(in payload: [UInt8]) -> [SessionBlocks] {
        var sessions: [SessionKeyAndR1] = []
        var integrities: [SessionKeyAndR1Integrity] = []
        var seeds: [R2] = []
        for start in stride(from: 0, to: payload.count, by: 16) {
            var reader = ByteReader(payload.span.bytes)
            guard (try? reader.skip(start, "what precedes the block")) != nil,
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

    /// How many combinations are tried: each costs the derivation of a key.
    package static let combinations = 4

    private static func content<Content: TLLVContent>(
        _: Content.Type,
        of block: TLLV
    ) throws(ParseError) -> Content? {
        block.tag == Content.tag ? try Content(block) : nil
    }
}
