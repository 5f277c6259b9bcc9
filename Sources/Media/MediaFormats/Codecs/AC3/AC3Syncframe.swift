public import ByteCoding

/// The beginning of a syncframe of AC-3 or E-AC-3: syncinfo() and the fields of bsi() that say how long it is and where
/// it belongs (ETSI TS 102 366, 4.3.1, 4.3.2 and E.1.2.1, E.1.2.2).
///
///     AC-3                          E-AC-3
///     syncword     16 bits 0x0B77   syncword      16 bits 0x0B77
///     crc1         16 bits          strmtyp       2 bits
///                                   substreamid   3 bits
///                                   frmsiz        11 bits   words of 2 bytes, less 1
///     fscod        2 bits           fscod         2 bits
///     frmsizecod   6 bits           numblkscod    2 bits    fscod2 when fscod is 3
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
/// Checksums are not looked at.
public struct AC3Syncframe: Hashable, Sendable {
    /// Bytes in which the fields above end.
    public static let headerSize = 7
    /// The first two bytes.
    public static let syncword: UInt16 = 0x0B77

    /// What a syncframe of E-AC-3 belongs to (E.1.3.1.1).
    public enum StreamType: UInt8, Sendable {
        /// A program of its own, or a part of it; AC-3 too.
        case independent = 0
        /// More channels for the independent substream before it.
        case dependent = 1
        /// An independent one that was made from AC-3.
        case converted = 2
    }

    /// Whether it is E-AC-3.
    public let isEnhanced: Bool
    /// What it belongs to.
    public let streamType: StreamType
    /// Which substream of its type, 0 to 7; 0 for AC-3.
    public let substreamID: UInt8
    /// Bytes of the syncframe.
    public let size: Int
    /// `fscod`: 0 is 48, 1 is 44.1, 2 is 32 kHz, 3 half of one of these.
    public let frequencyCode: UInt8
    /// Samples a second.
    public let sampleRate: UInt32
    /// Audio blocks of 256 samples: 6; 1, 2 or 3 in E-AC-3 as well.
    public let blockCount: Int
    /// `bsid`: which version of the format.
    public let bitStreamID: UInt8
    /// `bsmod`: the kind of service; 0 in E-AC-3, where ``EnhancedAC3Information`` knows it.
    public let bitStreamMode: UInt8
    /// `acmod`: which full-bandwidth channels there are (table 4.3).
    public let codingMode: UInt8
    /// Whether there is a channel for low frequencies.
    public let hasLowFrequency: Bool
    /// AC-3's `frmsizecod` without its lowest bit, 0 to 18: the nominal bit rate (table 4.13). 0 for E-AC-3.
    public let bitRateCode: UInt8

    /// Bit rates of AC-3 in 1,000 bits a second, by ``bitRateCode``.
    static let bitRates: [Int] = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
    /// Full-bandwidth channels by ``codingMode``.
    static let channels = [2, 1, 2, 3, 3, 4, 4, 5]
    /// Sampling rates of E-AC-3 by `fscod2`, and by `fscod`.
    private static let halfRates: [UInt32] = [24000, 22050, 16000]
    private static let rates: [UInt32] = [48000, 44100, 32000]
    /// Audio blocks of E-AC-3 by `numblkscod`.
    private static let blockCounts = [1, 2, 3, 6]

    /// Channels of this substream alone, that for low frequencies included.
    public var channelCount: Int { Self.channels[Int(codingMode)] + (hasLowFrequency ? 1 : 0) }
    /// Samples in it, for each channel.
    public var sampleCount: Int { blockCount * 256 }
    /// Whether an access unit can begin with it: AC-3, or the independent substream 0.
    public var beginsAccessUnit: Bool { streamType != .dependent && substreamID == 0 }

    /// Takes the fields out of 7 bytes or more; nil when no syncframe begins like that.
    @inline(__always)
    init?(fields bytes: RawSpan) {
        let first = bytes.load(0, as: UInt32.self)
        let second = bytes.load(3, as: UInt32.self)
        guard first >> 16 == 0x0B77 else { return nil }
        let version = UInt8(second >> 11 & 31)
        bitStreamID = version
        // The fifth and the seventh byte.
        let fifth = UInt8(truncatingIfNeeded: second >> 16)
        let seventh = UInt8(truncatingIfNeeded: second)
        frequencyCode = fifth >> 6
        if version <= 8 {
            let code = Int(fifth & 63)
            guard frequencyCode < 3, code < 38 else { return nil }
            let rate = Self.bitRates[code >> 1]
            // Words of 2 bytes: the bit rate times 1536 samples, through the sampling rate and 16.
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

    /// Reads the beginning of a syncframe; the rest need not be there.
    ///
    /// - Parameter base: What the first byte counts as in errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` when no syncframe begins like that; `not-supported` when the
    ///   bytes of each word are the wrong way round.
    public init(_ bytes: RawSpan, base: Int = 0) throws(ParseError) {
        guard bytes.byteCount >= Self.headerSize else {
            let reason = "there are only \(bytes.byteCount) bytes"
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
            reason: "syncword, sampling rate, frame size, stream type or bsid is not that of a syncframe"
        )
    }

    /// What is said of a stream in little-endian order.
    static func byteSwapped(_ offset: Int) -> ParseError {
        ParseError(
            .notSupported,
            reading: "AC-3 syncframe",
            offset: offset,
            reason: "the syncword is 0x770B: exchange the bytes of each word of 2 bytes first"
        )
    }
}

/// Walks through the syncframes of an access unit: what SAMPLE-AES encrypts one by one.
///
/// It keeps ranges, not bytes: the access unit is handed in again for each.
///
///     var syncframes = AC3Syncframes()
///     while let range = try syncframes.next(accessUnit) { ... accessUnit.extracting(range) ... }
public struct AC3Syncframes: Sendable {
    /// The beginning of the syncframe that was given last.
    public private(set) var header: AC3Syncframe?
    /// Where in the access unit the next syncframe begins.
    public private(set) var position = 0
    private let base: Int

    /// Starts at the first syncframe.
    ///
    /// - Parameter base: What the first byte of the access unit counts as in errors.
    public init(base: Int = 0) { self.base = base }

    /// The range of the next syncframe in the access unit; nil after the last.
    ///
    /// - Throws: `ParseError` as ``AC3Syncframe/init(_:base:)`` does; `truncated` when the access unit ends too early.
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
                reason: "\(frame.size) bytes expected, \(left) left"
            )
        }
        header = frame
        defer { position += frame.size }
        return position..<position + frame.size
    }
}
