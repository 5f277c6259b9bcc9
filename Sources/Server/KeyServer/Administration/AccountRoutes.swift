import Hummingbird
package import KeyStore
package import TextCoding

/// The routes that list and remove the devices, licenses and rentals of an account, and list those of all accounts.
///
///     GET    /admin/devices[?account=&device=&class=]
///     GET    /admin/rentals[?account=&title=&asset=]
///     GET    /admin/accounts/{account}/devices
///     DELETE /admin/accounts/{account}/devices/{device}                         allows another device
///     GET    /admin/accounts/{account}/licenses
///     DELETE /admin/accounts/{account}/licenses/{device}/{stream}               revokes a persistent key
///     GET    /admin/accounts/{account}/rentals
///     DELETE /admin/accounts/{account}/rentals/{subject}                        the next license starts a new rental
struct AccountRoutes: Sendable {
    let store: any GrantStore & ListStore
    private static let devices = AdminList(
        table: .devices,
        filters: [.account, .device, .text("class", .deviceClass)]
    )
    private static let rentals = AdminList(
        table: .rentals,
        filters: [
            .account,
            .subject("title") { value throws(ProblemDocument) in .title(try AdminFilters.title(value)) },
            .subject("asset") { value throws(ProblemDocument) in .asset(try AdminFilters.asset(value)) },
        ]
    )

    var endpoints: [AdminEndpoint] {
        let account = "/admin/accounts/{account}"
        return [
            AdminEndpoint(.get, "/admin/devices", .read) { try await allDevices($0) },
            AdminEndpoint(.get, "/admin/rentals", .read) { try await allRentals($0) },
            AdminEndpoint(.get, account + "/devices", .read) { try await devices($0) },
            AdminEndpoint(.delete, account + "/devices/{device}", .support) { try await deleteDevice($0) },
            AdminEndpoint(.get, account + "/licenses", .read) { try await licenses($0) },
            AdminEndpoint(.delete, account + "/licenses/{device}/{stream}", .support) { try await revoke($0) },
            AdminEndpoint(.get, account + "/rentals", .read) { try await rentals($0) },
            AdminEndpoint(.delete, account + "/rentals/{subject}", .support) { try await deleteRental($0) },
        ]
    }

    private func allDevices(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.devices, \.administrationJSON) { query throws(KeyStoreError) in
            try await store.devices(query)
        }
    }

    private func allRentals(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.rentals, \.administrationJSON) { query throws(KeyStoreError) in
            try await store.rentals(query)
        }
    }

    private func devices(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let devices = try await store.devices(account: try request.account())
        return page.answer(ofAll: devices, key: { $0.device.bytes }, \.administrationJSON)
    }

    private func deleteDevice(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let (account, device) = (try request.account(), try request.device())
        guard try await request.changes(in: store).deleteDevice(account: account, device: device) else {
            throw ProblemDocument(.notFound, detail: "The account does not have this device.")
        }
        return .noContent
    }

    private func licenses(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let licenses = try await store.offlineLicenses(account: try request.account())
        return page.answer(ofAll: licenses, key: { $0.device.bytes + $0.streamID }, \.administrationJSON)
    }

    private func revoke(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let (account, device) = (try request.account(), try request.device())
        guard let streamID = Hexadecimal.decode(try request.text("stream")), streamID.count == 16 else {
            throw ProblemDocument(.malformedRequest, detail: "The stream ID must be 32 hexadecimal digits.")
        }
        let changes = request.changes(in: store)
        guard try await changes.revokeLicense(account: account, device: device, streamID: streamID) else {
            throw ProblemDocument(.notFound, detail: "There is no such license, or it has ended.")
        }
        return .noContent
    }

    private func rentals(_ request: AdminRequest) async throws -> Response {
        let page = try request.page()
        let rentals = try await store.rentals(account: try request.account())
        return page.answer(ofAll: rentals, key: \.subject.encoded, \.administrationJSON)
    }

    private func deleteRental(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let (account, bytes) = (try request.account(), try request.bytes("subject"))
        guard let subject = AdminJSON.rentalSubject(bytes) else {
            throw ProblemDocument(
                .malformedRequest,
                detail: "The subject must be title: and a name, or asset: and an asset ID, of 1 to 200 bytes."
            )
        }
        guard try await request.changes(in: store).deleteRental(account: account, subject: subject) else {
            throw ProblemDocument(.notFound, detail: "The account has no rental of this subject.")
        }
        return .noContent
    }
}

extension DeviceRecord {
    /// The device in the administration API.
    package var administrationJSON: JSONValue {
        .fields([
            ("account", .string(account)),
            ("device", .string(Hexadecimal.encode(device.bytes))),
            ("deviceClass", deviceClass.map { .string($0) }),
            ("firstSeen", AdminJSON.time(firstSeen)),
            ("lastSeen", AdminJSON.time(lastSeen)),
        ])
    }
}

extension RentalRecord {
    /// The rental in the administration API.
    package var administrationJSON: JSONValue {
        let fields: AdminJSON.Fields = [
            ("account", .string(account)),
            ("start", AdminJSON.time(start)),
            ("end", end == .max ? nil : AdminJSON.time(end)),
            ("client", .string(AdminJSON.text(client))),
        ]
        return .fields(fields + AdminJSON.textAndHex("subject", AdminJSON.bytes(subject)))
    }
}
