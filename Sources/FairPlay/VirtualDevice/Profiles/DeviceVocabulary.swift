extension DeviceProfile {
    /// Capability bits 0 to 63 (Table 3-2).
    public struct Capabilities: OptionSet, Sendable {
        /// The bits as they stand in the lower 8 bytes of the block.
        public let rawValue: UInt64

        /// Makes a set from its bits.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Bit 0: it enforces HDCP restrictions.
        public static let hdcpEnforcement = Capabilities(rawValue: 1 << 0)
        /// Bit 1: it understands the Offline Key TLLV.
        public static let offlineKey = Capabilities(rawValue: 1 << 1)
        /// Bit 2: it carries out secure invalidation.
        public static let secureInvalidation = Capabilities(rawValue: 1 << 2)
        /// Bit 3: it understands version 2 of the Offline Key TLLV.
        public static let offlineKeyVersion2 = Capabilities(rawValue: 1 << 3)
        /// Bit 4: it enforces security level Baseline.
        public static let securityLevelBaseline = Capabilities(rawValue: 1 << 4)
        /// Bit 5: it enforces security level Main.
        public static let securityLevelMain = Capabilities(rawValue: 1 << 5)
    }

    /// The device classes of the Device Identity block (below Table 3-3).
    public enum DeviceClass: UInt32, Sendable {
        /// Not said.
        case unknown = 0
        /// Apple TV.
        case appleLivingRoom = 1
        /// iPhone and iPad.
        case appleMobile = 2
        /// Mac.
        case appleDesktop = 3
        /// Vision Pro.
        case appleSpatial = 4
        /// Another device of Apple's, such as a Watch.
        case appleUnknown = 127
        /// A television or set-top box of another maker.
        case partnerLivingRoom = 128
        /// Another device of another maker.
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

    /// A version of an operating system, written as 00, major, minor, patch, a byte each.
    public struct OSVersion: Sendable, Equatable {
        /// The major version.
        public var major: UInt8
        /// The minor version.
        public var minor: UInt8
        /// The patch.
        public var patch: UInt8

        /// Makes a version.
        public init(_ major: UInt8, _ minor: UInt8 = 0, _ patch: UInt8 = 0) {
            (self.major, self.minor, self.patch) = (major, minor, patch)
        }

        var number: UInt32 { UInt32(major) << 16 | UInt32(minor) << 8 | UInt32(patch) }
    }

    /// The robustness that a device has (Table 3-8).
    public enum SecurityLevel: UInt64, Sendable {
        /// AppleBaseline and Baseline: any platform that supports FPS.
        case baseline = 0x32f0_0049_66a5_c4f8
        /// AppleMain and Main: enough for 4K and HDR.
        case main = 0x4e7f_d924_21d5_88b4
    }

    /// What HDCP the attached display can do, from less to more.
    public enum Display: Int, Sendable, Comparable {
        /// No HDCP at all.
        case unprotected
        /// HDCP Type 0.
        case hdcpType0
        /// HDCP Type 1; a built-in display counts as one.
        case hdcpType1

        /// True when `left` protects less than `right`.
        public static func < (left: Display, right: Display) -> Bool { left.rawValue < right.rawValue }
    }

    /// Where the content goes (Table 2-5). The raw value is the streaming indicator; any other than these two means
    /// that the device plays by itself, and it sends 0 then.
    public enum Output: UInt64, Sendable {
        /// The device plays the content itself.
        case local = 0
        /// AirPlay sends it to an Apple TV, or to a television or set-top box with FPS.
        case airPlay = 0xabb0_256a_3184_3974
        /// Apple's digital AV adapter sends it.
        case digitalAVAdapter = 0x5f9c_8132_b59f_2fde
    }
}
