/// The names of the fields of a license request. If a request has several of the names, the first one in the list
/// applies.
package struct LicenseFieldNames: Sendable, Equatable {
    /// The SPC.
    package var spc = ["spc"]
    /// The asset ID.
    package var asset = ["assetId"]
    /// The playback token; by default it is only in a header.
    package var token: [String] = []
    /// Further fields of the body, which the webhook gets.
    package var forwarded: [String] = []

    /// The request for a persistent key.
    package var persist = ["persist"]

    /// The name of the field for a key that is loaded before playback.
    static let preload = "preload"

    /// Creates the default names.
    package init() {}
}
