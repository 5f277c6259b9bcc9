public import ByteCoding

/// The complete bit stream information of an E-AC-3 syncframe: bsi() (ETSI TS 102 366, E.1.2.2), after the fields of
/// ``AC3Syncframe``.
///
///     dialnorm, compre ...    6 bits, and 8 if compre is 1; twice for acmod 0
///     chanmape, chanmap       1 and 16 bits   dependent substreams
///     mixmdate                1 bit, and the mixing metadata
///     infomdate               1 bit, and in it bsmod 3 bits and more
///     convsync                1 bit           independent, fewer than 6 blocks
///     blkid, frmsizecod       1 and 6 bits    converted from AC-3
///     addbsie                 1 bit
///     addbsil                 6 bits          number of addbsi bytes, minus 1
///     addbsi                                  for object audio (ETSI TS 103 420, 8.3): reserved 7 bits,
///                                             flag_ec3_extension_type_a 1 bit, complexity_index_type_a 8 bits
public struct EnhancedAC3Information: Hashable, Sendable {
    /// The header of the syncframe.
    public let header: AC3Syncframe
    /// The `bsmod`: the type of service; 0, a complete main service, if absent.
    public let bitStreamMode: UInt8
    /// The `chanmap`: the loudspeakers of a dependent substream, starting with the highest bit (table E.1.4). If nil,
    /// they follow from acmod.
    public let channelMap: UInt16?
    /// The `addbsi`: additional information, at most 64 bytes.
    public let additional: [UInt8]

    /// The number of objects for a decoder of joint object coding (Dolby Atmos); nil if there are none.
    public var objectCount: UInt8? { additional.count >= 2 && additional[0] & 1 == 1 ? additional[1] : nil }

    /// Reads the bit stream information.
    ///
    /// - Parameter base: the offset of the first byte, for errors.
    /// - Throws: `ParseError`; `not-supported` for an AC-3 syncframe, for which ``AC3Syncframe`` contains the
    ///   information.
    public init(_ syncframe: RawSpan, base: Int = 0) throws(ParseError) {
        let header = try AC3Syncframe(syncframe, base: base)
        guard header.isEnhanced else {
            let reason = "the syncframe is AC-3 (bsid \(header.bitStreamID)), not E-AC-3"
            throw ParseError(.notSupported, reading: "E-AC-3 bit stream information", offset: base, reason: reason)
        }
        self.header = header
        let content = syncframe.extracting(0..<min(header.size, syncframe.byteCount))
        var reader = BitReader(content, base: base, emulationPrevention: false)
        try reader.skip(bits: 45, "syncinfo")
        for _ in 0..<(header.codingMode == 0 ? 2 : 1) {
            try reader.skip(bits: 5, "dialnorm")
            if try reader.readFlag("compre") { try reader.skip(bits: 8, "compr") }
        }
        let hasMap = header.streamType == .dependent ? try reader.readFlag("chanmape") : false
        channelMap = hasMap ? UInt16(truncatingIfNeeded: try reader.readBits(16, "chanmap")) : nil
        if try reader.readFlag("mixmdate") { try Self.skipMixing(&reader, header) }
        bitStreamMode = try reader.readFlag("infomdate") ? try Self.readInformation(&reader, header) : 0
        if header.streamType == .independent, header.blockCount != 6 { try reader.skip(bits: 1, "convsync") }
        if header.streamType == .converted {
            let isPresent = header.blockCount == 6 ? true : try reader.readFlag("blkid")
            if isPresent { try reader.skip(bits: 6, "frmsizecod") }
        }
        var bytes: [UInt8] = []
        if try reader.readFlag("addbsie") {
            for _ in 0...(try reader.readInt(6, "addbsil")) {
                bytes.append(UInt8(truncatingIfNeeded: try reader.readBits(8, "addbsi")))
            }
        }
        additional = bytes
    }

    /// Skips the mixing metadata.
    private static func skipMixing(_ reader: inout BitReader, _ header: AC3Syncframe) throws(ParseError) {
        let mode = header.codingMode
        if mode > 2 { try reader.skip(bits: 2, "dmixmod") }
        if mode & 1 == 1, mode > 2 { try reader.skip(bits: 6, "ltrtcmixlev, lorocmixlev") }
        if mode & 4 != 0 { try reader.skip(bits: 6, "ltrtsurmixlev, lorosurmixlev") }
        if header.hasLowFrequency, try reader.readFlag("lfemixlevcode") { try reader.skip(bits: 5, "lfemixlevcod") }
        guard header.streamType == .independent else { return }
        // The fields pgmscl, pgmscl2 (only for dual mono) and extpgmscl.
        for _ in 0..<(mode == 0 ? 3 : 2) where try reader.readFlag("pgmscle") { try reader.skip(bits: 6, "pgmscl") }
        switch try reader.readBits(2, "mixdef") {
        case 1: try reader.skip(bits: 5, "premixcmpsel, drcsrc, premixcmpscl")
        case 2: try reader.skip(bits: 12, "mixdata")
        case 3:
            let size = try reader.readInt(5, "mixdeflen") + 2
            try reader.skip(bits: size * 8, "mixdata")
        default: break
        }
        if mode < 2 {
            for _ in 0..<(mode == 0 ? 2 : 1) where try reader.readFlag("paninfoe") {
                try reader.skip(bits: 14, "panmean, paninfo")
            }
        }
        guard try reader.readFlag("frmmixcfginfoe") else { return }
        if header.blockCount == 1 { return try reader.skip(bits: 5, "blkmixcfginfo") }
        for _ in 0..<header.blockCount where try reader.readFlag("blkmixcfginfoe") {
            try reader.skip(bits: 5, "blkmixcfginfo")
        }
    }

    /// Reads `bsmod` from the informational metadata.
    private static func readInformation(_ reader: inout BitReader, _ header: AC3Syncframe) throws(ParseError) -> UInt8 {
        let mode = header.codingMode
        let service = try reader.readBits(3, "bsmod")
        try reader.skip(bits: 2, "copyrightb, origbs")
        if mode == 2 { try reader.skip(bits: 4, "dsurmod, dheadphonmod") }
        if mode >= 6 { try reader.skip(bits: 2, "dsurexmod") }
        for _ in 0..<(mode == 0 ? 2 : 1) where try reader.readFlag("audprodie") {
            try reader.skip(bits: 8, "mixlevel, roomtyp, adconvtyp")
        }
        if header.frequencyCode < 3 { try reader.skip(bits: 1, "sourcefscod") }
        return UInt8(truncatingIfNeeded: service)
    }
}
