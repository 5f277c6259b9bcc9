import HTTPTypes
import Hummingbird

extension Request {
    /// What stands behind `Authorization: Bearer`, as it stands there; nil without one.
    var bearerToken: Substring? {
        guard let field = headers[.authorization], let space = field.firstIndex(of: " "),
            field[..<space].lowercased() == "bearer"
        else { return nil }
        let token = field[field.index(after: space)...].drop { $0 == " " }
        return token.isEmpty ? nil : token
    }
}
