/// The closed captions of a picture: `cc_data` of ANSI/CTA-708, which SEI messages carry as registered user data of the
/// ATSC (ATSC A/72, 6.4.2).
///
///     itu_t_t35_country_code     1 byte    0xB5
///     itu_t_t35_provider_code    2 bytes   0x0031
///     user_identifier            4 bytes   GA94
///     user_data_type_code        1 byte    3
///     flags, cc_count            3 + 5 bits
///     em_data                    1 byte
///     constructs                 3 bytes each
public struct ClosedCaptionData: Hashable, Sendable {
    /// A pair of bytes with its type.
    public struct Construct: Hashable, Sendable {
        /// True if the bytes are caption data, and not padding.
        public var isValid: Bool
        /// The `cc_type`: 0 and 1 are the fields of CEA-608, 3 starts a packet of CEA-708, and 2 continues it.
        public var type: UInt8
        /// The first byte.
        public var first: UInt8
        /// The second byte.
        public var second: UInt8

        /// Creates a construct.
        public init(isValid: Bool = true, type: UInt8, first: UInt8, second: UInt8) {
            self.isValid = isValid
            self.type = type
            self.first = first
            self.second = second
        }
    }

    /// The constructs, at most 31.
    public var constructs: [Construct]

    /// Creates caption data.
    public init(constructs: [Construct]) { self.constructs = constructs }

    /// Parses the payload of a message; nil if it is other user data.
    init?(payload: [UInt8]) {
        guard payload.count >= 10, payload.starts(with: [0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03]) else {
            return nil
        }
        // Without process_cc_data_flag, the constructs are to be ignored.
        let count = payload[8] & 0x40 == 0 ? 0 : Int(payload[8] & 31)
        constructs = stride(from: 10, to: min(10 + 3 * count, payload.count - 2), by: 3).map { index in
            Construct(
                isValid: payload[index] & 4 != 0,
                type: payload[index] & 3,
                first: payload[index + 1],
                second: payload[index + 2]
            )
        }
    }
}
