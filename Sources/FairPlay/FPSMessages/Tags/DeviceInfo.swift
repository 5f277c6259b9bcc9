public import ByteCoding

/// The type of the device, in an older block that Device Identity replaces (Tables 3-4 and 3-5).
///
///     bytes    field
///     0-7      tag 0xd43fc6abc596aae7
///     8-11     block length
///     12-15    value length: 16
///     16-23    device type
///     24-27    OS version
///     28-31    version of the TLLV: 1
///     32...    padding
public struct DeviceInfo: TLLVContent {
    /// The type of an Apple device (Table 3-5).
    public struct DeviceType: NamedNumber {
        /// The number in the message, 8 bytes.
        public let rawValue: UInt64

        /// Creates a type from its number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// A Mac.
        public static let mac = DeviceType(rawValue: 0x358c_41b1_ec78_f599)
        /// An Apple TV, or a television or set-top box that supports FPS.
        public static let appleTV = DeviceType(rawValue: 0xc150_0767_c86c_1fae)
        /// An iPhone, iPad or iPod touch.
        public static let iOS = DeviceType(rawValue: 0x8551_fd5e_31f4_79b3)
        /// An Apple Watch.
        public static let appleWatch = DeviceType(rawValue: 0x5da8_6ac0_c571_55dc)

        /// The names of Table 3-5.
        public static let names: [UInt64: String] = [
            mac.rawValue: "Mac", appleTV.rawValue: "Apple TV, TV or STB",
            iOS.rawValue: "iPhone, iPad or iPod touch", appleWatch.rawValue: "Apple Watch",
        ]
    }

    /// The type of the device.
    public let deviceType: DeviceType
    /// The OS version.
    public let osVersion: OSVersion

    /// Creates the value from its fields.
    public init(deviceType: DeviceType, osVersion: OSVersion) {
        self.deviceType = deviceType
        self.osVersion = osVersion
    }

    /// The tag, 0xd43fc6abc596aae7.
    public static let tag = TLLVTag.deviceInfo
    /// The size of the value: 16 bytes or more. Bytes after the known fields are ignored.
    public static let valueLengths = TLLVValueLengths.atLeast(16)
    /// The version field; only version 1 is supported.
    public static let versioning: TLLVVersioning? = TLLVVersioning(offset: 12, known: 1...1)

    /// Reads the fields.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        deviceType = DeviceType(rawValue: try reader.readUInt64("device type"))
        osVersion = OSVersion(rawValue: try reader.readUInt32("OS version"))
        try reader.skip(4, "version of device-info")
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(deviceType.rawValue)
        writer.write(osVersion.rawValue)
        writer.write(UInt32(1))
    }
}
