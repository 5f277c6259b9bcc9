import HTTPTypes
import Hummingbird

/// Where a playback token may be in a request. The first source that has one applies, in this order.
///
/// 1. `Authorization`, after one of the schemes.
/// 2. The other headers.
/// 3. A field of the body, and then of the query, if ``LicenseFieldNames/token`` has names.
package struct TokenSources: Sendable, Equatable {
    /// The schemes of `Authorization`, in lowercase.
    package var schemes = ["bearer"]
    /// The names of other headers whose whole value is the token.
    package var headers: [String] = []

    /// Creates the default sources: `Authorization: Bearer`.
    package init() {}

    /// Returns the token of a request; nil if there is none.
    ///
    /// - Parameters:
    ///   - field: The token in a field of the license request.
    ///   - names: The names of the query's field with the token.
    func token(of request: Request, field: String?, names: [String]) -> String? {
        if let token = authorization(request) { return token }
        for name in headers {
            if let value = HTTPField.Name(name).flatMap({ request.headers[$0] }), !value.isEmpty { return value }
        }
        if let field { return field }
        return names.lazy.compactMap { request.uri.queryParameters.get($0) }.first
    }

    private func authorization(_ request: Request) -> String? {
        guard let field = request.headers[.authorization], let space = field.firstIndex(of: " "),
            schemes.contains(field[..<space].lowercased())
        else { return nil }
        let token = field[field.index(after: space)...].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
