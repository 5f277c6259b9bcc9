/// The properties of one kind of device: the blocks in its SPCs, and its features. A test can start with a standard
/// profile, for example ``DeviceProfile/iPhone``, and change it.
public struct DeviceProfile: Sendable, Equatable {
    /// The name of the profile on the command line.
    public var name: String
    /// The SPC versions that the device can create: 1 (RSA-1024), 2 (RSA-2048). The key of the certificate determines
    /// which one is used.
    public var spcVersions: Set<UInt32> = [1, 2]
    /// The FPS protocol versions that the device supports, in the order in the SPC.
    public var protocolVersions: [UInt32] = [1, 2]
    /// The Capabilities block; nil omits the block.
    public var capabilities: Capabilities?
    /// The Device Identity block; nil omits the block.
    public var identity: Identity?
    /// The Device Info block; nil omits the block.
    public var info: Info?
    /// The highest security level that the device enforces.
    public var securityLevel: SecurityLevel
    /// True if the device sends ``securityLevel`` in a Security Level Report block.
    public var reportsSecurityLevel = true
    /// The Kext Deny List version of a Mac, which is sent in a separate block and in the security level report; nil for
    /// other devices.
    public var kextDenyListVersion: UInt32?
    /// The VM Device Information block; nil omits the block.
    public var virtualMachine: VirtualMachine? = .notVirtual
    /// The display that is attached when the device is created.
    public var display: Display = .hdcpType1
    /// The output, unless a request specifies another output.
    public var output: Output = .local
    /// True if the device supports persistent keys.
    public var supportsPersistentKeys = false
    /// True if the device sends the Media Playback State block.
    public var sendsMediaPlaybackState = true
    /// True if ordinary SPCs of the device contain a Sync block of version 0.
    public var sendsEmptySync = true
    /// The number of blocks with unknown tags that the device adds to an SPC.
    public var reservedBlockCount = 2

    /// Creates a profile that sends the mandatory blocks and the given blocks.
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
    /// The name of the profile on the command line.
    public var description: String { name }
}
