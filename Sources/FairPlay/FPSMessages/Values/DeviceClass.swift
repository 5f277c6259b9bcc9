/// The class of a device, as Device Identity and VM Device Information report it (list below Table 3-3).
public struct DeviceClass: NamedNumber {
    /// The number in the message, 4 bytes.
    public let rawValue: UInt32

    /// Creates a class from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// An unknown class.
    public static let unknown = DeviceClass(rawValue: 0)
    /// An Apple TV.
    public static let appleLiving = DeviceClass(rawValue: 1)
    /// An iPhone, iPad or iPod touch.
    public static let appleMobile = DeviceClass(rawValue: 2)
    /// A Mac.
    public static let appleDesktop = DeviceClass(rawValue: 3)
    /// An Apple Vision Pro.
    public static let appleSpatial = DeviceClass(rawValue: 4)
    /// Another Apple device. An Apple Watch can report this class.
    public static let appleUnknown = DeviceClass(rawValue: 127)
    /// A television or set-top box of another manufacturer.
    public static let partnerLiving = DeviceClass(rawValue: 128)
    /// Another device of another manufacturer.
    public static let partnerUnknown = DeviceClass(rawValue: 255)

    /// True if the device is an Apple device; false for values that the guide does not list.
    public var isApple: Bool { (1...4).contains(rawValue) || self == .appleUnknown }

    /// The names in the guide, without the prefix `kFPDIDeviceClass`.
    public static let names: [UInt32: String] = [
        0: "Unknown", 1: "AppleLiving", 2: "AppleMobile", 3: "AppleDesktop", 4: "AppleSpatial",
        127: "AppleUnknown", 128: "PartnerLiving", 255: "PartnerUnknown",
    ]
}
