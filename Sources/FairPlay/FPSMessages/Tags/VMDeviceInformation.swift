public import ByteCoding

/// Information about a virtual machine: its host and its guest (Table 3-14).
///
///     bytes    field
///     0-7      tag 0x756440e240499f70
///     8-11     block length
///     12-15    value length: 28
///     16-19    version of the TLLV: 1, or 0 for a device that is not a virtual machine
///     20-23    device class of the host
///     24-27    OS version of the host
///     28-31    FairPlay virtualization protocol version of the host
///     32-35    device class of the guest
///     36-39    OS version of the guest
///     40-43    FairPlay virtualization protocol version of the guest
///     44...    padding
public struct VMDeviceInformation: TLLVContent {
    /// One side of the virtualization.
    public struct Side: Sendable, Hashable {
        /// The class of the device.
        public let deviceClass: DeviceClass
        /// The OS version.
        public let osVersion: OSVersion
        /// The version of FairPlay's virtualization protocol.
        public let protocolVersion: UInt32

        /// Creates a side from its fields.
        public init(deviceClass: DeviceClass, osVersion: OSVersion, protocolVersion: UInt32) {
            self.deviceClass = deviceClass
            self.osVersion = osVersion
            self.protocolVersion = protocolVersion
        }
    }

    /// True if the device is a virtual machine. The block is also present for other devices, with version 0.
    public let isVirtualMachine: Bool
    /// The host machine.
    public let host: Side
    /// The guest machine, which sends the request.
    public let guest: Side

    /// Creates the value from its fields.
    public init(isVirtualMachine: Bool, host: Side, guest: Side) {
        self.isVirtualMachine = isVirtualMachine
        self.host = host
        self.guest = guest
    }

    /// The tag, 0x756440e240499f70.
    public static let tag = TLLVTag.vmDeviceInformation
    /// The size of the value: 28 bytes or more. Bytes after the known fields are ignored.
    public static let valueLengths = TLLVValueLengths.atLeast(28)
    /// The version field; version 0 (not a virtual machine) and version 1 are supported.
    public static let versioning: TLLVVersioning? = TLLVVersioning(offset: 0, known: 0...1)

    /// Reads the fields.
    public init(readingValue reader: inout ByteReader) throws(ParseError) {
        isVirtualMachine = try reader.readUInt32("version of vm-device-information") == 1
        host = try Self.readSide("host", from: &reader)
        guest = try Self.readSide("guest", from: &reader)
    }

    private static func readSide(_ side: String, from reader: inout ByteReader) throws(ParseError) -> Side {
        Side(
            deviceClass: DeviceClass(rawValue: try reader.readUInt32("device class of the \(side)")),
            osVersion: OSVersion(rawValue: try reader.readUInt32("OS version of the \(side)")),
            protocolVersion: try reader.readUInt32("virtualization protocol version of the \(side)")
        )
    }

    /// Writes the fields.
    public func writeValue(to writer: inout ByteWriter) {
        writer.write(UInt32(isVirtualMachine ? 1 : 0))
        for side in [host, guest] {
            writer.write(side.deviceClass.rawValue)
            writer.write(side.osVersion.rawValue)
            writer.write(side.protocolVersion)
        }
    }
}
