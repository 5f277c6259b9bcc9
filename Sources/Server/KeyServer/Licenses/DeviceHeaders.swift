import HTTPTypes

/// The headers of a response with the properties that the device reported, if `licenses.deviceHeaders` is set.
///
/// | Header | Value |
/// |---|---|
/// | `Keyway-Device-Class` | `appleMobile`, `appleDesktop` and so on, `partner`, `unknown` |
/// | `Keyway-Device-OS` | the OS version; missing if it is not reported |
/// | `Keyway-Device-Security-Level` | `main` or `baseline`; missing if it is not reported |
/// | `Keyway-Device-HDCP` | `true` if the device enforces the HDCP type of a CKC, otherwise `false` |
enum DeviceHeaders {
    /// The names of the headers.
    static let names = [
        "Keyway-Device-Class", "Keyway-Device-OS", "Keyway-Device-Security-Level", "Keyway-Device-HDCP",
    ]

    /// Adds the headers to those of a response.
    static func add(_ device: DeviceInformation, to headers: inout HTTPFields) {
        let values = [device.deviceClass, device.osVersion, device.securityLevel, "\(device.enforcesHDCP)"]
        for (name, value) in zip(names, values) {
            guard let name = HTTPField.Name(name), let value else { continue }
            headers[name] = value
        }
    }
}
