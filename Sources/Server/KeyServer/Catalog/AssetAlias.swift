/// An alternative name for registered content: the asset ID that Safari puts in an SPC with the modern EME API.
///
///     asset ID in the SPC     source                                   content
///     skd://…                 initialization data `skd`: the key URI   the one whose asset ID follows skd://
///     any 16 bytes            `sinf` and `cenc`: the key ID            the one with this key ID
///
/// A registered asset ID is never an alias, whatever its format. Authorization, limits and records always use the
/// registered asset. An alias only finds it and has no rights of its own.
enum AssetAlias: Equatable {
    /// The asset ID in a key URI.
    case assetID([UInt8])
    /// A key ID, 16 bytes.
    case keyID([UInt8])

    /// Returns the possible meanings of a name under which no content is registered; the first that exists applies.
    /// Most names have none.
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
