/// Another name for registered content than its asset ID: what Safari makes the asset ID of an SPC by the modern API.
///
///     asset ID in the SPC     made of                                  means the content
///     skd://…                 initialization data `skd`: the key URI   whose asset ID stands behind skd://
///     any 16 bytes            `sinf` and `cenc`: the key ID            with this key ID
///
/// An asset ID that is registered is no alias, whatever it looks like. What is allowed, counted and recorded is always the
/// registered asset: an alias finds it, and has no rights of its own.
enum AssetAlias: Equatable {
    /// The asset ID in a key URI.
    case assetID([UInt8])
    /// A key ID, 16 bytes.
    case keyID([UInt8])

    /// What a name may stand for where no content is registered under it; the first that is there counts. Most names can only
    /// be themselves.
    static func readings(of name: [UInt8]) -> [AssetAlias] {
        var readings: [AssetAlias] = []
        if name.count > scheme.count, name.starts(with: scheme) {
            readings.append(.assetID(Array(name.dropFirst(scheme.count))))
        }
        if name.count == 16 { readings.append(.keyID(name)) }
        return readings
    }

    private static let scheme = Array("skd://".utf8)
}
