/// The class of a device, as Device Identity and VM Device Information report it (list below Table 3-3).
public struct DeviceClass: NamedNumber {
    /// The number on the wire, 4 bytes.
    public let rawValue: UInt32

    /// Makes a class from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Not known.
    public static let unknown = DeviceClass(rawValue: 0)
    /// An Apple TV.
    public static let appleLiving = DeviceClass(rawValue: 1)
    /// An iPhone, iPad or iPod touch.
    public static let appleMobile = DeviceClass(rawValue: 2)
    /// A Mac.
    public static let appleDesktop = DeviceClass(rawValue: 3)
    /// An Apple Vision Pro.
    public static let appleSpatial = DeviceClass(rawValue: 4)
    /// Another device of Apple's; an Apple Watch may report this.
    public static let appleUnknown = DeviceClass(rawValue: 127)
    /// A television or set-top box of another maker.
    public static let partnerLiving = DeviceClass(rawValue: 128)
    /// Another device of another maker.
    public static let partnerUnknown = DeviceClass(rawValue: 255)

    /// Whether Apple made the device. False for values that the guide does not list.
    public var isApple: Bool { (1...4).contains(rawValue) || self == .appleUnknown }

    /// The names, without the guide's `kFPDIDeviceClass`.
    public static let names: [UInt32: String] = [
        0: "Unknown", 1: "AppleLiving", 2: "AppleMobile", 3: "AppleDesktop", 4: "AppleSpatial",
        127: "AppleUnknown", 128: "PartnerLiving", 255: "PartnerUnknown",
    ]
}
