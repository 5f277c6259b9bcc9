public import ByteCoding

/// The identity of the device (Table 3-3).
///
///     bytes    field
///     0-7      tag 0x94c17cd676c69b59
///     8-11     block length
///     12-15    value length: 36
///     16-19    version of the TLLV; the guide lists no values
///     20-23    device class
///     24-31    vendor hash
///     32-39    product hash
///     40-43    FairPlay version in userland (REE)
///     44-47    FairPlay version in the kernel (TEE)
///     48-51    OS version, only for Apple devices
///     52...    padding
public struct DeviceIdentity: TLLVContent {
    /// The version of the TLLV.
    public let version: UInt32
    /// The class of the device.
    public let deviceClass: DeviceClass
    /// The ID of the vendor, 8 bytes.
    public let vendorHash: UInt64
    /// The ID of the product, 8 bytes.
    public let productHash: UInt64
    /// The version of FairPlay that runs in userland (REE).
    public let fairPlayVersionREE: UInt32
    /// The version of FairPlay that runs in the kernel (TEE).
    public let fairPlayVersionTEE: UInt32
    /// The OS version; zero for devices of other manufacturers.
    public let osVersion: OSVersion

    /// Creates an identity from its fields.
    public init(
        version: UInt32 = 1,
        deviceClass: DeviceClass,
        vendorHash: UInt64,
        productHash: UInt64,
        fairPlayVersionREE: UInt32,
        fairPlayVersionTEE: UInt32,
        osVersion: OSVersion
    ) {
        self.version = version
        self.deviceClass = deviceClass
        self.vendorHash = vendorHash
        self.productHash = productHash
        self.fairPlayVersionREE = fairPlayVersionREE
        self.fairPlayVersionTEE = fairPlayVersionTEE
        self.osVersion = osVersion
    }

    /// The tag, 0x94c17cd676c69b59.
    public static let tag = TLLVTag.deviceIdentity
    /// The size of the value: 36 bytes or more. Bytes after the known fields are ignored.
    public static let valueLengths = TLLVValueLengths.atLeast(36)

    /// Reads the fields.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        version = try reader.readUInt32("version of device-identity")
        deviceClass = DeviceClass(rawValue: try reader.readUInt32("device class"))
        vendorHash = try reader.readUInt64("vendor hash")
        productHash = try reader.readUInt64("product hash")
        fairPlayVersionREE = try reader.readUInt32("FairPlay version REE")
        fairPlayVersionTEE = try reader.readUInt32("FairPlay version TEE")
        osVersion = OSVersion(rawValue: try reader.readUInt32("OS version"))
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(version)
        writer.write(deviceClass.rawValue)
        writer.write(vendorHash)
        writer.write(productHash)
        writer.write(fairPlayVersionREE)
        writer.write(fairPlayVersionTEE)
        writer.write(osVersion.rawValue)
    }
}
