/// What one kind of device says of itself in an SPC, and what it can do. Start from a standard profile
/// (``DeviceProfile/iPhone`` and so on) and change what a test needs.
public struct DeviceProfile: Sendable, Equatable {
    /// The name on the command line.
    public var name: String
    /// SPC versions that it can make: 1 (RSA-1024), 2 (RSA-2048). The certificate's key decides which one.
    public var spcVersions: Set<UInt32> = [1, 2]
    /// FPS protocol versions that it supports, in the order in which it lists them.
    public var protocolVersions: [UInt32] = [1, 2]
    /// The Capabilities block; nil leaves it out.
    public var capabilities: Capabilities?
    /// The Device Identity block; nil leaves it out.
    public var identity: Identity?
    /// The Device Info block; nil leaves it out.
    public var info: Info?
    /// The highest security level that it enforces.
    public var securityLevel: SecurityLevel
    /// Whether it sends ``securityLevel`` in a Security Level Report block.
    public var reportsSecurityLevel = true
    /// The Kext Deny List version of a Mac, sent in a block of its own and in the security level report.
    public var kextDenyListVersion: UInt32?
    /// The VM Device Information block; nil leaves it out.
    public var virtualMachine: VirtualMachine? = .notVirtual
    /// The display that is attached when the device is made.
    public var display: Display = .hdcpType1
    /// Where it plays, unless a request says otherwise.
    public var output: Output = .local
    /// Whether apps can keep persistent keys on it.
    public var keepsPersistentKeys = false
    /// Whether it sends the Media Playback State block.
    public var sendsMediaPlaybackState = true
    /// Whether its ordinary SPCs hold a Sync block of version 0.
    public var sendsEmptySync = true
    /// How many blocks with unknown tags it adds to an SPC.
    public var reservedBlockCount = 2

    /// Makes a profile that sends the mandatory blocks and the given ones.
    public init(
        name: String,
        capabilities: Capabilities? = nil,
        identity: Identity? = nil,
        info: Info? = nil,
        securityLevel: SecurityLevel
    ) {
        self.name = name
        self.capabilities = capabilities
        self.identity = identity
        self.info = info
        self.securityLevel = securityLevel
    }

    func has(_ capability: Capabilities) -> Bool { capabilities?.contains(capability) ?? false }
}

extension DeviceProfile: CustomStringConvertible {
    /// The name on the command line.
    public var description: String { name }
}
