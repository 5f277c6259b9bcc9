// The responses of the behaviors.

extension ServerBehavior.Exchange {
    /// Returns a status without the resource.
    func status(_ status: Int, _ headers: [String] = []) -> [BehaviorServer.Step] {
        var response = ServerResponse(Array("<html>Error \(status)</html>".utf8), status: status)
        response.headers = headers
        if status == 204 { (response.body, response.length) = ([], nil) }
        return response.steps
    }

    /// Returns a status for the first request, and then the resource.
    func once(_ status: Int, _ headers: String...) -> [BehaviorServer.Step] {
        number == 1 ? self.status(status, headers) : ordinary.steps
    }

    /// Returns a number of redirects, and then the resource.
    func redirects(_ count: Int, status: Int = 302) -> [BehaviorServer.Step] {
        number <= count ? self.status(status, ["Location: \(request.path)?hop=\(number)"]) : ordinary.steps
    }

    /// Returns the resource with a content coding.
    func encoded(_ coding: String, _ encode: ([UInt8]) -> [UInt8]) -> [BehaviorServer.Step] {
        ServerResponse(encode(ordinary.body), "Content-Encoding: \(coding)").steps
    }

    /// Returns the resource with header fields.
    func with(_ headers: String...) -> [BehaviorServer.Step] {
        var response = ordinary
        response.headers += headers
        return response.steps
    }

    /// Returns a part of the resource with its whole Content-Length.
    var half: [UInt8] { ordinary.head + ordinary.body.prefix(ordinary.body.count / 2) }

    /// Returns an HTML page with status 200.
    var page: [BehaviorServer.Step] {
        ServerResponse(Array("<!DOCTYPE html><html><body>Please log in.</body></html>".utf8), "Content-Type: text/html")
            .steps
    }

    /// Returns the resource if a header field has a value, otherwise a status.
    func requiring(_ name: String, _ value: String, otherwise status: Int) -> [BehaviorServer.Step] {
        request.headers[name] == value ? ordinary.steps : self.status(status)
    }
}
