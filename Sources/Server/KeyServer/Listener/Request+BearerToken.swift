import HTTPTypes
import Hummingbird

extension Request {
    /// The token in `Authorization: Bearer`, unparsed, if any.
    var bearerToken: Substring? {
        guard let field = headers[.authorization], let space = field.firstIndex(of: " "),
            field[..<space].lowercased() == "bearer"
        else { return nil }
        let token = field[field.index(after: space)...].drop { $0 == " " }
        return token.isEmpty ? nil : token
    }
}
