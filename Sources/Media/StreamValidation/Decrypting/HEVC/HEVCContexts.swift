/// The contexts of an intra slice (ITU-T H.265, 9.3.2.2), with the values of tables 9-5 to 9-37 for initType 0.
struct HEVCContexts {
    typealias Context = HEVCArithmeticDecoder.Context

    var saoMerge: [Context]
    var saoType: [Context]
    var splitCodingUnit: [Context]
    var lossless: [Context]
    var partition: [Context]
    var predictedLumaMode: [Context]
    var chromaMode: [Context]
    var splitTransform: [Context]
    var codedLuma: [Context]
    var codedChroma: [Context]
    var quantizerDelta: [Context]
    var transformSkip: [Context]
    var lastX: [Context]
    var lastY: [Context]
    var codedSubblock: [Context]
    var significant: [Context]
    var greater1: [Context]
    var greater2: [Context]

    /// Creates the contexts at the start of a slice.
    ///
    /// - Parameter quantizer: SliceQpY.
    init(quantizer: Int) {
        func contexts(_ values: UInt8...) -> [Context] { values.map { Self.context($0, quantizer) } }
        saoMerge = contexts(153)
        saoType = contexts(200)
        splitCodingUnit = contexts(139, 141, 157)
        lossless = contexts(154)
        partition = contexts(184)
        predictedLumaMode = contexts(184)
        chromaMode = contexts(63)
        splitTransform = contexts(153, 138, 138)
        codedLuma = contexts(111, 141)
        codedChroma = contexts(94, 138, 182, 154, 154)
        quantizerDelta = contexts(154, 154)
        transformSkip = contexts(139, 139)
        lastX = contexts(110, 110, 124, 125, 140, 153, 125, 127, 140, 109, 111, 143, 127, 111, 79, 108, 123, 63)
        lastY = lastX
        codedSubblock = contexts(91, 171, 134, 141)
        significant = contexts(
            111,
            111,
            125,
            110,
            110,
            94,
            124,
            108,
            124,
            107,
            125,
            141,
            179,
            153,
            125,
            107,
            125,
            141,
            179,
            153,
            125,
            107,
            125,
            141,
            179,
            153,
            125,
            140,
            139,
            182,
            182,
            152,
            136,
            152,
            136,
            153,
            136,
            139,
            111,
            136,
            139,
            111
        )
        greater1 = contexts(
            140,
            92,
            137,
            138,
            140,
            152,
            138,
            139,
            153,
            74,
            149,
            92,
            139,
            107,
            122,
            152,
            140,
            179,
            166,
            182,
            140,
            227,
            122,
            197
        )
        greater2 = contexts(138, 153, 136, 167, 152, 152)
    }

    private static func context(_ value: UInt8, _ quantizer: Int) -> Context {
        let slope = Int(value >> 4) * 5 - 45
        let offset = Int(value & 15) << 3 - 16
        let state = min(max(1, (slope * min(max(0, quantizer), 51)) >> 4 + offset), 126)
        return UInt8(state <= 63 ? (63 - state) << 1 : (state - 64) << 1 | 1)
    }
}
