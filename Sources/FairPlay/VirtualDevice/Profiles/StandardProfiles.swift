extension DeviceProfile {
    /// An iPhone.
    public static let iPhone = mobile("iphone", product: "iPhone")
    /// An iPad.
    public static let iPad = mobile("ipad", product: "iPad")

    /// An Apple TV, which does not support persistent keys.
    public static let appleTV = DeviceProfile(
        name: "apple-tv",
        capabilities: [.hdcpEnforcement, .securityLevelBaseline, .securityLevelMain],
        identity: Identity(.appleLivingRoom, vendor: "Apple", product: "Apple TV", osVersion: OSVersion(18, 4)),
        info: Info(.livingRoom, osVersion: OSVersion(18, 4)),
        securityLevel: .main
    )

    /// A Mac, the only kind of device that reports a Kext Deny List.
    public static let mac = {
        var profile = DeviceProfile(
            name: "mac",
            capabilities: .everything,
            identity: Identity(.appleDesktop, vendor: "Apple", product: "Mac", osVersion: OSVersion(15, 4)),
            info: Info(.mac, osVersion: OSVersion(15, 4)),
            securityLevel: .main
        )
        profile.kextDenyListVersion = 31
        profile.supportsPersistentKeys = true
        return profile
    }()

    /// An Apple Watch. Device Info has a type for it, but Device Identity has no class.
    public static let appleWatch = DeviceProfile(
        name: "watch",
        capabilities: [.securityLevelBaseline],
        identity: Identity(.appleUnknown, vendor: "Apple", product: "Apple Watch", osVersion: OSVersion(11, 4)),
        info: Info(.watch, osVersion: OSVersion(11, 4)),
        securityLevel: .baseline
    )

    /// A Vision Pro. Device Info is older and has no type for it.
    public static let visionPro = {
        var profile = DeviceProfile(
            name: "vision-pro",
            capabilities: .everything,
            identity: Identity(.appleSpatial, vendor: "Apple", product: "Vision Pro", osVersion: OSVersion(2, 4)),
            securityLevel: .main
        )
        profile.supportsPersistentKeys = true
        return profile
    }()

    /// A television of another manufacturer, which plays FPS content through AirPlay. It does not report an OS version.
    public static let partnerTV = {
        var profile = DeviceProfile(
            name: "partner-tv",
            capabilities: [.hdcpEnforcement, .securityLevelBaseline, .securityLevelMain],
            identity: Identity(.partnerLivingRoom, vendor: "A television maker", product: "TV", osVersion: nil),
            info: Info(.livingRoom, osVersion: nil),
            securityLevel: .main
        )
        profile.output = .airPlay
        return profile
    }()

    /// A macOS guest in a virtual machine on a Mac.
    public static let virtualMachine = {
        var profile = DeviceProfile(
            name: "vm",
            capabilities: [.hdcpEnforcement, .securityLevelBaseline],
            identity: Identity(.appleDesktop, vendor: "Apple", product: "VM", osVersion: OSVersion(15, 3)),
            info: Info(.mac, osVersion: OSVersion(15, 3)),
            securityLevel: .baseline
        )
        profile.kextDenyListVersion = 31
        profile.virtualMachine = VirtualMachine(
            host: .init(.appleDesktop, osVersion: OSVersion(15, 4)),
            guest: .init(.appleDesktop, osVersion: OSVersion(15, 3))
        )
        profile.display = .hdcpType0
        return profile
    }()

    /// All standard profiles.
    public static let all: [DeviceProfile] = [
        iPhone, iPad, appleTV, mac, appleWatch, visionPro, partnerTV, virtualMachine,
    ]

    /// Returns the standard profile with this name on the command line, or nil. The names are iphone, ipad, apple-tv,
    /// mac, watch, vision-pro, partner-tv and vm.
    public static func named(_ name: String) -> DeviceProfile? { all.first { $0.name == name } }

    private static func mobile(_ name: String, product: String) -> DeviceProfile {
        var profile = DeviceProfile(
            name: name,
            capabilities: .everything,
            identity: Identity(.appleMobile, vendor: "Apple", product: product, osVersion: OSVersion(18, 4, 1)),
            info: Info(.mobile, osVersion: OSVersion(18, 4, 1)),
            securityLevel: .main
        )
        profile.supportsPersistentKeys = true
        return profile
    }
}

extension DeviceProfile.Capabilities {
    /// All capabilities of Table 3-2.
    public static let everything: Self = [
        .hdcpEnforcement, .offlineKey, .secureInvalidation, .offlineKeyVersion2, .securityLevelBaseline,
        .securityLevelMain,
    ]
}
