internal import ByteCoding
internal import FPSCrypto

extension DeviceProfile {
    /// The content of the Device Identity block, 36 bytes (Table 3-3).
    public struct Identity: Sendable, Equatable {
        /// The version of the block.
        public var version: UInt32 = 1
        /// The class of the device.
        public var deviceClass: DeviceClass
        /// A number for the manufacturer; in the standard profiles, the first bytes of the SHA-256 of a name.
        public var vendorHash: UInt64
        /// A number for the product, likewise.
        public var productHash: UInt64
        /// The version of FairPlay in userland.
        public var fairPlayREE: UInt32 = 0x0001_0000
        /// The version of FairPlay in the kernel or a trusted environment.
        public var fairPlayTEE: UInt32 = 0x0001_0000
        /// The OS version; nil (written as 0) for devices of other manufacturers.
        public var osVersion: OSVersion?

        /// Creates the content from the names of the manufacturer and the product.
        public init(_ deviceClass: DeviceClass, vendor: String, product: String, osVersion: OSVersion?) {
            self.deviceClass = deviceClass
            vendorHash = Self.hash(vendor)
            productHash = Self.hash(product)
            self.osVersion = osVersion
        }

        private static func hash(_ name: String) -> UInt64 {
            SHA256.hash(Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }

        // bytes of the block
        // 16-19 version | 20-23 device class | 24-31 vendor hash | 32-39 product hash
        // 40-43 FairPlay version REE | 44-47 FairPlay version TEE | 48-51 OS version
        var bytes: [UInt8] {
            var writer = ByteWriter(capacity: 36)
            writer.write(version)
            writer.write(deviceClass.rawValue)
            writer.write(vendorHash)
            writer.write(productHash)
            writer.write(fairPlayREE)
            writer.write(fairPlayTEE)
            writer.write(osVersion?.number ?? 0)
            return writer.bytes
        }
    }

    /// The content of the Device Info block, 16 bytes (Table 3-4).
    public struct Info: Sendable, Equatable {
        /// The type of the device.
        public var type: DeviceType
        /// The OS version; nil (written as 0) for devices of other manufacturers.
        public var osVersion: OSVersion?
        /// The version of the block.
        public var version: UInt32 = 1

        /// Creates the content.
        public init(_ type: DeviceType, osVersion: OSVersion?) {
            self.type = type
            self.osVersion = osVersion
        }

        // 16-23 device type | 24-27 OS version | 28-31 version
        var bytes: [UInt8] {
            var writer = ByteWriter(capacity: 16)
            writer.write(type.rawValue)
            writer.write(osVersion?.number ?? 0)
            writer.write(version)
            return writer.bytes
        }
    }

    /// The content of the VM Device Information block, 28 bytes (Table 3-14).
    public struct VirtualMachine: Sendable, Equatable {
        /// One side of a virtual machine.
        public struct Side: Sendable, Equatable {
            /// The device class of this side.
            public var deviceClass: DeviceClass
            /// The OS version of this side.
            public var osVersion: OSVersion
            /// The version of FairPlay's virtualization protocol on this side.
            public var protocolVersion: UInt32

            /// Creates a side.
            public init(_ deviceClass: DeviceClass, osVersion: OSVersion, protocolVersion: UInt32 = 1) {
                self.deviceClass = deviceClass
                self.osVersion = osVersion
                self.protocolVersion = protocolVersion
            }

            // class | OS version | protocol version, 4 bytes each
            var bytes: [UInt8] {
                var writer = ByteWriter(capacity: 12)
                writer.write(deviceClass.rawValue)
                writer.write(osVersion.number)
                writer.write(protocolVersion)
                return writer.bytes
            }
        }

        /// The version of the block; 0 means that the device is not a virtual machine.
        public var version: UInt32
        /// The host machine.
        public var host: Side
        /// The guest machine, which sends the request.
        public var guest: Side

        /// Creates the content.
        public init(version: UInt32 = 1, host: Side, guest: Side) {
            self.version = version
            self.host = host
            self.guest = guest
        }

        /// The content for a device that is not a virtual machine: version 0 and zeros.
        public static let notVirtual: VirtualMachine = {
            let nothing = Side(.unknown, osVersion: OSVersion(0), protocolVersion: 0)
            return VirtualMachine(version: 0, host: nothing, guest: nothing)
        }()

        // 16-19 version | 20-31 host | 32-43 guest
        var bytes: [UInt8] {
            var writer = ByteWriter(capacity: 28)
            writer.write(version)
            writer.write(host.bytes)
            writer.write(guest.bytes)
            return writer.bytes
        }
    }
}
