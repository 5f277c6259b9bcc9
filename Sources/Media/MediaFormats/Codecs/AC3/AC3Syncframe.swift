public import ByteCoding

/// The header of an AC-3 or E-AC-3 syncframe: syncinfo() and the fields of bsi() for its size and its substream (ETSI
/// TS 102 366, 4.3.1, 4.3.2 and E.1.2.1, E.1.2.2).
///
///     AC-3                          E-AC-3
///     syncword     16 bits 0x0B77   syncword      16 bits 0x0B77
///     crc1         16 bits          strmtyp       2 bits
///                                   substreamid   3 bits
///                                   frmsiz        11 bits   16-bit words, minus 1
///     fscod        2 bits           fscod         2 bits
///     frmsizecod   6 bits           numblkscod    2 bits    fscod2 if fscod is 3
///                                   acmod         3 bits
///                                   lfeon         1 bit
///     bsid         5 bits  to 8     bsid          5 bits    11 to 16
///     bsmod        3 bits
///     acmod        3 bits
///     cmixlev      2 bits  3 front channels
///     surmixlev    2 bits  surround channels
///     dsurmod      2 bits  stereo
///     lfeon        1 bit
///
/// Checksums are not verified.
public struct AC3Syncframe: Hashable, Sendable {
    /// The number of bytes that contain the fields above.
    public static let headerSize = 7
    /// The first two bytes of a syncframe.
    public static let syncword: UInt16 = 0x0B77

    /// The type of an E-AC-3 substream (E.1.3.1.1).
    public enum StreamType: UInt8, Sendable {
        /// An independent substream: a program or a part of one. AC-3 syncframes also have this type.
        case independent = 0
        /// A dependent substream with additional channels for the preceding independent substream.
        case dependent = 1
        /// An independent substream that was converted from AC-3.
        case converted = 2
    }

    /// True if the syncframe is E-AC-3.
    public let isEnhanced: Bool
    /// The type of the substream.
    public let streamType: StreamType
    /// The ID of the substream among those of its type, 0 to 7; 0 for AC-3.
    public let substreamID: UInt8
    /// The size of the syncframe in bytes.
    public let size: Int
    /// The `fscod`: 0 is 48 kHz, 1 is 44.1 kHz, 2 is 32 kHz, 3 is half of one of these.
    public let frequencyCode: UInt8
    /// The sample rate in hertz.
    public let sampleRate: UInt32
    /// The number of audio blocks of 256 samples: 6, or for E-AC-3 also 1, 2 or 3.
    public let blockCount: Int
    /// The `bsid`: the version of the format.
    public let bitStreamID: UInt8
    /// The `bsmod`: the type of service; 0 for E-AC-3, see ``EnhancedAC3Information``.
    public let bitStreamMode: UInt8
    /// The `acmod`: the full-bandwidth channels (table 4.3).
    public let codingMode: UInt8
    /// True if there is a low-frequency effects (LFE) channel.
    public let hasLowFrequency: Bool
    /// The `frmsizecod` of AC-3 without its lowest bit, 0 to 18, which specifies the nominal bit rate (table 4.13); 0
    /// for E-AC-3.
    public let bitRateCode: UInt8

    /// The bit rates of AC-3 in kbit/s by ``bitRateCode``.
    static let bitRates: [Int] = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
    /// The number of full-bandwidth channels by ``codingMode``.
    static let channels = [2, 1, 2, 3, 3, 4, 4, 5]
    /// The sample rates of E-AC-3 in hertz by `fscod2`, and by `fscod`.
    private static let halfRates: [UInt32] = [24000, 22050, 16000]
    private static let rates: [UInt32] = [48000, 44100, 32000]
    /// The number of audio blocks of E-AC-3 by `numblkscod`.
    private static let blockCounts = [1, 2, 3, 6]

    /// The number of channels of this substream only, including the LFE channel.
    public var channelCount: Int { Self.channels[Int(codingMode)] + (hasLowFrequency ? 1 : 0) }
    /// The number of samples per channel.
    public var sampleCount: Int { blockCount * 256 }
    /// True if an access unit can begin with the syncframe: AC-3, or independent substream 0.
    public var beginsAccessUnit: Bool { streamType != .dependent && substreamID == 0 }

    /// Reads the fields from at least 7 bytes. Returns nil if they are not the start of a syncframe.
    @inline(__always)
    init?(fields bytes: RawSpan) {
        let first = bytes.load(0, as: UInt32.self)
        let second = bytes.load(3, as: UInt32.self)
        guard first >> 16 == 0x0B77 else { return nil }
        let version = UInt8(second >> 11 & 31)
        bitStreamID = version
        // The fifth and the seventh byte of the syncframe.
        let fifth = UInt8(truncatingIfNeeded: second >> 16)
        let seventh = UInt8(truncatingIfNeeded: second)
        frequencyCode = fifth >> 6
        if version <= 8 {
            let code = Int(fifth & 63)
            guard frequencyCode < 3, code < 38 else { return nil }
            let rate = Self.bitRates[code >> 1]
            // The number of 16-bit words: the bit rate times 1536 samples, divided by the sample rate and by 16.
            let words: Int
            switch frequencyCode {
            case 0:
                words = rate * 2
                sampleRate = 48000
            case 1:
                words = rate * 320 / 147 + code & 1
                sampleRate = 44100
            default:
                words = rate * 3
                sampleRate = 32000
            }
            isEnhanced = false
            streamType = .independent
            substreamID = 0
            size = words * 2
            blockCount = 6
            bitRateCode = UInt8(code >> 1)
            bitStreamMode = UInt8(second >> 8 & 7)
            let mode = seventh >> 5
            codingMode = mode
            var passed: UInt8 = 3
            if mode & 1 == 1, mode != 1 { passed += 2 }
            if mode & 4 != 0 { passed += 2 }
            if mode == 2 { passed += 2 }
            hasLowFrequency = seventh << passed & 0x80 != 0
        } else {
            guard version > 10, version <= 16, let type = StreamType(rawValue: UInt8(first >> 14 & 3)) else {
                return nil
            }
            let code = fifth >> 4 & 3
            if frequencyCode == 3 {
                guard code < 3 else { return nil }
                sampleRate = Self.halfRates[Int(code)]
                blockCount = 6
            } else {
                sampleRate = Self.rates[Int(frequencyCode)]
                blockCount = Self.blockCounts[Int(code)]
            }
            isEnhanced = true
            streamType = type
            substreamID = UInt8(first >> 11 & 7)
            size = (Int(first & 0x7FF) + 1) * 2
            guard size >= Self.headerSize else { return nil }
            codingMode = fifth >> 1 & 7
            hasLowFrequency = fifth & 1 == 1
            bitStreamMode = 0
            bitRateCode = 0
        }
    }

    /// Reads the header of a syncframe. The rest of the syncframe can be missing.
    ///
    /// - Parameter base: the offset of the first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if the bytes are not the start of a syncframe;
    ///   `not-supported` if the bytes of each 16-bit word are swapped.
    public init(_ bytes: RawSpan, base: Int = 0) throws(ParseError) {
        guard bytes.byteCount >= Self.headerSize else {
            let reason = "expected \(Self.headerSize) bytes, found \(bytes.byteCount)"
            throw ParseError(.truncated, reading: "AC-3 syncframe", offset: base, reason: reason)
        }
        if let header = AC3Syncframe(fields: bytes) {
            self = header
            return
        }
        if bytes.load(0, as: UInt16.self) == Self.syncword.byteSwapped { throw Self.byteSwapped(base) }
        throw ParseError(
            .invalidValue,
            reading: "AC-3 syncframe",
            offset: base,
            reason: "invalid syncword, sample rate, frame size, stream type or bsid"
        )
    }

    /// Returns the error for a stream in little-endian byte order.
    static func byteSwapped(_ offset: Int) -> ParseError {
        ParseError(
            .notSupported,
            reading: "AC-3 syncframe",
            offset: offset,
            reason: "the syncword is 0x770B; swap the bytes of each 16-bit word first"
        )
    }
}

/// An iterator over the syncframes of an access unit, which SAMPLE-AES encrypts individually.
///
/// It stores positions, not bytes: pass the same access unit to each call of `next`.
///
///     var syncframes = AC3Syncframes()
///     while let range = try syncframes.next(accessUnit) { ... accessUnit.extracting(range) ... }
public struct AC3Syncframes: Sendable {
    /// The header of the last returned syncframe.
    public private(set) var header: AC3Syncframe?
    /// The position of the next syncframe in the access unit.
    public private(set) var position = 0
    private let base: Int

    /// Creates an iterator that starts at the first syncframe.
    ///
    /// - Parameter base: the offset of the access unit's first byte, for errors.
    public init(base: Int = 0) { self.base = base }

    /// Returns the range of the next syncframe in the access unit; nil after the last.
    ///
    /// - Throws: `ParseError`, as ``AC3Syncframe/init(_:base:)``; `truncated` if the access unit ends within a
    ///   syncframe.
    @inline(__always)
    public mutating func next(_ accessUnit: RawSpan) throws(ParseError) -> Range<Int>? {
        let left = accessUnit.byteCount - position
        guard left > 0 else { return nil }
        let frame = try AC3Syncframe(accessUnit.extracting(position..<accessUnit.byteCount), base: base + position)
        guard frame.size <= left else {
            throw ParseError(
                .truncated,
                reading: "AC-3 syncframe",
                offset: base + position,
                reason: "expected \(frame.size) bytes, \(left) are left"
            )
        }
        header = frame
        defer { position += frame.size }
        return position..<position + frame.size
    }
}
