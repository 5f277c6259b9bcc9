package import Foundation

extension BoundedHTTP {
    /// The longest delay of a Retry-After field that is returned: a day.
    private static let maximumDelay = 86_400.0

    /// Returns the delay of the Retry-After field (RFC 9110, section 10.2.3), which contains seconds or a date; nil
    /// without a valid field. A date is compared with the Date field of the response, because the local clock may be
    /// wrong.
    ///
    /// - Parameters:
    ///   - header: A function that returns the value of a header field.
    ///   - now: The time to use if the response has no date.
    package static func retryAfter(now: Date = Date(), _ header: (_ name: String) -> String?) -> Duration? {
        guard let field = header("Retry-After")?.trimmingCharacters(in: .whitespaces) else { return nil }
        if !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Double(field) ?? maximumDelay, maximumDelay))
        }
        guard let date = HTTPDate.parse(field) else { return nil }
        let start = header("Date").flatMap { HTTPDate.parse($0) } ?? now
        return .seconds(min(max(date.timeIntervalSince(start), 0), maximumDelay))
    }
}
