extension DeviceProfile {
    /// Capability bits 0 to 63 (Table 3-2).
    public struct Capabilities: OptionSet, Sendable {
        /// The bits in the lower 8 bytes of the block.
        public let rawValue: UInt64

        /// Creates a set from its bits.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Bit 0: the device enforces HDCP restrictions.
        public static let hdcpEnforcement = Capabilities(rawValue: 1 << 0)
        /// Bit 1: the device supports the Offline Key TLLV.
        public static let offlineKey = Capabilities(rawValue: 1 << 1)
        /// Bit 2: the device supports secure invalidation.
        public static let secureInvalidation = Capabilities(rawValue: 1 << 2)
        /// Bit 3: the device supports version 2 of the Offline Key TLLV.
        public static let offlineKeyVersion2 = Capabilities(rawValue: 1 << 3)
        /// Bit 4: the device enforces security level Baseline.
        public static let securityLevelBaseline = Capabilities(rawValue: 1 << 4)
        /// Bit 5: the device enforces security level Main.
        public static let securityLevelMain = Capabilities(rawValue: 1 << 5)
    }

    /// The device classes of the Device Identity block (below Table 3-3).
    public enum DeviceClass: UInt32, Sendable {
        /// Unspecified.
        case unknown = 0
        /// Apple TV.
        case appleLivingRoom = 1
        /// iPhone and iPad.
        case appleMobile = 2
        /// Mac.
        case appleDesktop = 3
        /// Vision Pro.
        case appleSpatial = 4
        /// Another Apple device, such as an Apple Watch.
        case appleUnknown = 127
        /// A television or set-top box of another manufacturer.
        case partnerLivingRoom = 128
        /// Another device of another manufacturer.
        case partnerUnknown = 255
    }

    /// The device types of the older Device Info block (Table 3-5).
    public enum DeviceType: UInt64, Sendable {
        /// A Mac.
        case mac = 0x358c_41b1_ec78_f599
        /// An Apple TV, or a television or set-top box with FPS.
        case livingRoom = 0xc150_0767_c86c_1fae
        /// An iPhone, iPad or iPod.
        case mobile = 0x8551_fd5e_31f4_79b3
        /// An Apple Watch.
        case watch = 0x5da8_6ac0_c571_55dc
    }

    /// A version of an operating system, encoded as 0, major, minor and patch, one byte each.
    public struct OSVersion: Sendable, Equatable {
        /// The major version.
        public var major: UInt8
        /// The minor version.
        public var minor: UInt8
        /// The patch version.
        public var patch: UInt8

        /// Creates a version.
        public init(_ major: UInt8, _ minor: UInt8 = 0, _ patch: UInt8 = 0) {
            (self.major, self.minor, self.patch) = (major, minor, patch)
        }

        var number: UInt32 { UInt32(major) << 16 | UInt32(minor) << 8 | UInt32(patch) }
    }

    /// The security level of a device (Table 3-8).
    public enum SecurityLevel: UInt64, Sendable {
        /// AppleBaseline and Baseline: any platform that supports FPS.
        case baseline = 0x32f0_0049_66a5_c4f8
        /// AppleMain and Main: sufficient for 4K and HDR.
        case main = 0x4e7f_d924_21d5_88b4
    }

    /// The HDCP support of the attached display, in ascending order.
    public enum Display: Int, Sendable, Comparable {
        /// No HDCP.
        case unprotected
        /// HDCP Type 0.
        case hdcpType0
        /// HDCP Type 1, also for a built-in display.
        case hdcpType1

        /// Returns whether `left` has a lower HDCP type than `right`.
        public static func < (left: Display, right: Display) -> Bool { left.rawValue < right.rawValue }
    }

    /// The output for the content (Table 2-5). The raw value is the streaming indicator. Any number other than those of
    /// AirPlay and the adapter means local playback, for which the device sends 0.
    public enum Output: UInt64, Sendable {
        /// Local playback on the device.
        case local = 0
        /// AirPlay to an Apple TV, or to a television or set-top box with FPS.
        case airPlay = 0xabb0_256a_3184_3974
        /// Apple's digital AV adapter.
        case digitalAVAdapter = 0x5f9c_8132_b59f_2fde
    }
}
