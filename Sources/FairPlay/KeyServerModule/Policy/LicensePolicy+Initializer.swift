public import FPSMessages

extension LicensePolicy {
    /// The policy of content without a policy: streaming only, HDCP Type 0, no virtual machines.
    public static let `default` = LicensePolicy(name: "default", hdcp: .type0, virtualMachines: .deny)

    /// Creates a policy with these fields; ``validate(for:)`` checks for contradictions.
    public init(
        name: String? = nil,
        lease: Seconds? = nil,
        rental: Seconds? = nil,
        persist: Persistence? = nil,
        hdcp: HDCP? = nil,
        securityLevel: Level? = nil,
        minimumKDL: UInt32? = nil,
        virtualMachines: Permission? = nil,
        airplay: Permission? = nil,
        adapter: Permission? = nil,
        maximumSPCAge: Seconds? = nil,
        undatedSPC: Permission? = nil,
        osVersions: [AppleDevice: OSVersion] = [:],
        streams: Int? = nil,
        devices: Int? = nil,
        rentalStart: RentalStart? = nil,
        bindRentalToDevice: Bool? = nil,
        renewAfterExpiry: Bool? = nil,
        networks: [IPNetwork]? = nil,
        origins: [WebOrigin]? = nil,
        otherClients: Permission? = nil,
        preload: Seconds? = nil,
        catchUp: Seconds? = nil
    ) {
        self.name = name
        self.lease = lease
        self.rental = rental
        self.persist = persist
        self.hdcp = hdcp
        self.securityLevel = securityLevel
        self.minimumKDL = minimumKDL
        self.virtualMachines = virtualMachines
        self.airplay = airplay
        self.adapter = adapter
        self.maximumSPCAge = maximumSPCAge
        self.undatedSPC = undatedSPC
        self.osVersions = osVersions
        self.streams = streams
        self.devices = devices
        self.rentalStart = rentalStart
        self.bindRentalToDevice = bindRentalToDevice
        self.renewAfterExpiry = renewAfterExpiry
        self.networks = networks
        self.origins = origins
        self.otherClients = otherClients
        self.preload = preload
        self.catchUp = catchUp
    }
}
