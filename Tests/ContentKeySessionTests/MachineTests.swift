import ContentKeySession
import Testing

/// Tests of the state that the machine tracks in addition to its tables.
@Suite("The state machine of a session")
struct MachineTests {
    typealias Machine = KeySessionMachine

    @Test("A second request for a requested or loaded identifier has no effect")
    func askingAgain() {
        var machine = Machine()
        #expect(machine.handle(Bench.ask()) == [Bench.request(1)])
        #expect(machine.handle(Bench.ask()) == [])
        _ = machine.handle(.request(1, .respond))
        #expect(machine.handle(Bench.ask()) == [])
        _ = machine.handle(.request(1, .accepted(lease: nil)))
        #expect(machine.handle(Bench.ask()) == [])
        #expect(machine.handle(Bench.ask("other")) == [Bench.request(2, KeyName("other"))])
    }

    @Test("A key that failed can be requested again")
    func afterFailure() {
        var machine = Bench.machine(requestIn: .ended)
        #expect(machine.handle(Bench.ask()) == [Bench.request(2)])
    }

    @Test("A recipient that was not added gets no key; one that has started to load is not added")
    func recipients() {
        var machine = Machine()
        let unknown = ContentKeyError(.unknownRecipient, .recipient)
        #expect(machine.handle(Bench.want(waiter: 5)) == [.failWaiter(5, unknown)])
        let late = ContentKeyError(.recipientAlreadyLoading, .recipient)
        #expect(machine.handle(.addRecipient(1, isLoading: true)) == [.refuse(late)])
        #expect(machine.handle(Bench.want(waiter: 5)) == [.failWaiter(5, unknown)])
        #expect(machine.handle(.addRecipient(1, isLoading: false)) == [])
        #expect(machine.handle(Bench.want(waiter: 5)) == [Bench.request(1)])
    }

    @Test("All waiters for a request get its key, and a later waiter gets it at once")
    func waiters() {
        var machine = Machine()
        let name = KeyName("k")
        _ = machine.handle(.addRecipient(1, isLoading: false))
        _ = machine.handle(.addRecipient(2, isLoading: false))
        _ = machine.handle(Bench.ask())
        #expect(!machine.isAwaited(request: 1))
        // The loader is notified once that the request is awaited.
        #expect(machine.handle(Bench.want(recipient: 1, waiter: 10)) == [.notifyAwaited(1)])
        #expect(machine.handle(Bench.want(recipient: 2, waiter: 11)) == [])
        #expect(machine.isAwaited(request: 1))
        #expect(machine.handle(.abandon(11)) == [.failWaiter(11, Bench.cancelled)])
        _ = machine.handle(.request(1, .respond))
        #expect(
            machine.handle(.request(1, .accepted(lease: nil))) == [
                .setStatus(1, .receivedResponse), .useKey(name, request: 1, recipients: [1, 2]), .deliver(10, name),
                .succeed(1),
            ]
        )
        #expect(machine.handle(Bench.want(recipient: 2, waiter: 12)) == [.deliver(12, name)])
    }

    @Test("The waiters for a failed request get its error")
    func failedWaiters() {
        var machine = Machine()
        _ = machine.handle(.addRecipient(1, isLoading: false))
        _ = machine.handle(Bench.want(waiter: 10))
        #expect(
            machine.handle(.request(1, .fail(Bench.noResponse))) == [
                .setStatus(1, .failed), .failWaiter(10, Bench.noResponse), .fail(1, Bench.noResponse),
            ]
        )
        #expect(machine.state(ofKey: KeyName("k")) == .absent)
    }

    @Test("The waiters continue to wait while a request is retried")
    func retriedWaiters() {
        var machine = Machine()
        _ = machine.handle(.addRecipient(1, isLoading: false))
        _ = machine.handle(Bench.want(waiter: 10))
        _ = machine.handle(.request(1, .respond))
        let asked = machine.handle(.request(1, .rejectedTemporarily(Bench.expired)))
        #expect(asked == [.requestRetryDecision(1, .receivedResponseWithExpiredLease)])
        #expect(machine.handle(.request(1, .retry)) == [.setStatus(1, .retried), Bench.request(2)])
        _ = machine.handle(.request(2, .respond))
        #expect(machine.handle(.request(2, .accepted(lease: nil))).contains(.deliver(10, KeyName("k"))))
    }

    @Test("Removing a recipient cancels the requests that only it needs")
    func removal() {
        var machine = Machine()
        _ = machine.handle(.addRecipient(1, isLoading: false))
        _ = machine.handle(Bench.want("mine", waiter: 10))
        _ = machine.handle(Bench.want("both", waiter: 11))
        _ = machine.handle(Bench.ask("both"))
        let actions = machine.handle(.removeRecipient(1))
        let error = ContentKeyError(.cancelled, .recipient)
        #expect(actions == [.failWaiter(11, error), .failWaiter(10, error), .setStatus(1, .cancelled)])
        #expect(machine.state(ofRequest: 2) == .requesting)
    }

    @Test("Only a request on the local route, with a device that supports it, can provide a persistable key")
    func persistence() {
        let options = ContentKeyRequestOptions(isPersistable: true)
        for route in ContentKeyRoute.allCases {
            for keeps in [false, true] {
                for system in ContentKeySystem.allCases {
                    var machine = Machine(configuration: .init(keySystem: system, supportsPersistableKeys: keeps))
                    _ = machine.handle(.changeRoute(route))
                    let may = route == .local && keeps && system == .fairPlayStreaming
                    let request = Bench.request(1, KeyName("k", route), options, canProvide: may)
                    #expect(machine.handle(Bench.ask("k", options)) == [request])
                    let refused = [Machine.Action.refuse(ContentKeyError(.persistenceNotAllowed, .request))]
                    let actions = machine.handle(.request(1, .requestPersistable))
                    #expect(actions == (may ? [.allow(1, .requestPersistable), .providePersistable(1)] : refused))
                    // An online key is the response.
                    #expect(machine.handle(.request(1, .respond)) == [.allow(1, .respond)])
                }
            }
        }
    }

    @Test("A key that the CKC does not allow to persist makes its request an online request again")
    func persistenceRefused() {
        var machine = Bench.machine(requestIn: .requesting)
        #expect(machine.isPersistable(request: 1))
        _ = machine.handle(.request(1, .persistenceRefused))
        #expect(!machine.isPersistable(request: 1))
        let refused = ContentKeyError(.notPersistable, .request)
        #expect(machine.handle(.request(1, .makePersistableKey)) == [.refuse(refused)])
    }

    @Test("Only FairPlay Streaming has SPCs", arguments: [ContentKeySystem.clearKey, .authorizationToken])
    func noSPC(system: ContentKeySystem) {
        var machine = Machine(configuration: .init(keySystem: system))
        _ = machine.handle(Bench.ask())
        let refused = ContentKeyError(.unsupportedOperation, .request)
        #expect(machine.handle(.request(1, .makeRequestData)) == [.refuse(refused)])
    }

    @Test("Each route has a separate key, and the first route's key stays loaded")
    func routes() {
        var machine = Machine()
        _ = machine.handle(Bench.ask())
        _ = machine.handle(.changeRoute(.airPlay))
        #expect(machine.handle(Bench.ask()) == [Bench.request(2, KeyName("k", .airPlay))])
        _ = machine.handle(.changeRoute(.local))
        #expect(machine.handle(Bench.ask()) == [])
    }

    @Test("Over AirPlay, every call of a recipient makes a request unless one is in progress")
    func perSegment() {
        var machine = Bench.machine(keyIn: .loaded)
        let name = KeyName("k", .airPlay)
        #expect(machine.handle(Bench.want(waiter: 10)) == [Bench.request(2, name)])
        #expect(machine.handle(Bench.want(waiter: 11)) == [])
        _ = machine.handle(.request(2, .respond))
        #expect(
            machine.handle(.request(2, .accepted(lease: nil))) == [
                .setStatus(2, .receivedResponse), .useKey(name, request: 2, recipients: [1]), .setStatus(1, .renewed),
                .deliver(10, name), .deliver(11, name), .succeed(2),
            ]
        )
        #expect(machine.handle(Bench.want(waiter: 12)) == [Bench.request(3, name)])
        // A request of the app itself has no effect there either.
        #expect(machine.handle(Bench.ask()) == [])
    }

    @Test("A response is overdue after its timeout, but not while the device processes it")
    func deadline() {
        var machine = Machine(configuration: .init(responseTimeout: .seconds(30)))
        _ = machine.handle(Bench.ask("a"), at: .seconds(5))
        _ = machine.handle(Bench.ask("b"), at: .seconds(6))
        #expect(machine.nextDeadline == .seconds(35))
        _ = machine.handle(.request(1, .respond), at: .seconds(7))
        #expect(machine.nextDeadline == .seconds(36))
        #expect(machine.handle(.timePassed, at: .seconds(35)) == [])
        #expect(machine.handle(.timePassed, at: .seconds(36)) == [.requestRetryDecision(2, .timedOut)])
        #expect(machine.nextDeadline == nil)
    }

    @Test("A lease is renewed before its end, at most half of it early", arguments: [(100, 20, 80), (30, 20, 15)])
    func renewal(lease: Int, lead: Int, moment: Int) {
        var machine = Machine(configuration: .init(renewalLead: .seconds(lead)))
        _ = machine.handle(Bench.ask())
        _ = machine.handle(.request(1, .respond))
        _ = machine.handle(.request(1, .accepted(lease: .seconds(lease))))
        #expect(machine.nextDeadline == .seconds(moment))
        #expect(machine.handle(.timePassed, at: .seconds(moment) - .milliseconds(1)) == [])
        #expect(machine.handle(.timePassed, at: .seconds(moment)) == [Bench.request(2, isRenewal: true)])
        #expect(machine.nextDeadline == .seconds(lease))
        _ = machine.handle(.request(2, .respond))
        let renewed = machine.handle(.request(2, .accepted(lease: .seconds(lease))), at: .seconds(moment))
        #expect(renewed.contains(.setStatus(1, .renewed)))
        #expect(machine.nextDeadline == .seconds(2 * moment))
    }

    @Test("A lease that ends stops its key; a late renewal is retried as a normal request")
    func leaseEnds() {
        var machine = Machine(configuration: .init(renewalLead: .seconds(10)))
        _ = machine.handle(Bench.ask())
        _ = machine.handle(.request(1, .respond))
        _ = machine.handle(.request(1, .accepted(lease: .seconds(60))))
        _ = machine.handle(.timePassed, at: .seconds(50))
        let actions = machine.handle(.timePassed, at: .seconds(60))
        #expect(actions == [.stopKey(KeyName("k"), request: 1, .leaseExpired)])
        #expect(machine.state(ofKey: KeyName("k")) == .requested)
        _ = machine.handle(.request(2, .respond))
        _ = machine.handle(.request(2, .rejectedTemporarily(Bench.expired)))
        #expect(machine.handle(.request(2, .retry)) == [.setStatus(2, .retried), Bench.request(3)])
    }

    @Test("Due actions are performed before any other event, even without a timePassed event")
    func dueFirst() {
        var machine = Machine(configuration: .init(responseTimeout: .seconds(30)))
        _ = machine.handle(Bench.ask())
        let refused = Machine.Action.refuse(ContentKeyError(.requestAnswered, .request))
        #expect(
            machine.handle(.request(1, .respond), at: .seconds(30)) == [.requestRetryDecision(1, .timedOut), refused]
        )
    }

    @Test("A failed renewal leaves the key until its lease ends, and is not repeated automatically")
    func renewalFails() {
        var machine = Machine(configuration: .init(renewalLead: .seconds(10)))
        _ = machine.handle(Bench.ask())
        _ = machine.handle(.request(1, .respond))
        _ = machine.handle(.request(1, .accepted(lease: .seconds(60))))
        _ = machine.handle(.timePassed, at: .seconds(50))
        _ = machine.handle(.request(2, .fail(Bench.noResponse)), at: .seconds(51))
        #expect(machine.state(ofKey: KeyName("k")) == .loaded)
        #expect(machine.handle(.timePassed, at: .seconds(52)) == [])
        #expect(machine.handle(.renew(identifier: "k"), at: .seconds(53)) == [Bench.request(3, isRenewal: true)])
    }

    @Test("Requests and keys end with their session, and events after it have no effect")
    func expiry() {
        var machine = Machine()
        _ = machine.handle(.addRecipient(1, isLoading: false))
        _ = machine.handle(Bench.ask("loaded"))
        _ = machine.handle(.request(1, .respond))
        _ = machine.handle(.request(1, .accepted(lease: nil)))
        _ = machine.handle(Bench.want("waiting", waiter: 10))
        _ = machine.handle(Bench.ask("answered"))
        _ = machine.handle(.request(3, .respond))
        let expired = ContentKeyError(.sessionExpired, .session)
        let loaded = KeyName("loaded")
        #expect(
            machine.handle(.expire) == [
                .setStatus(2, .cancelled), .failWaiter(10, expired), .setStatus(3, .cancelled),
                .stopKey(loaded, request: 1, .sessionExpired), .reportExpiry([loaded]),
            ]
        )
        #expect(machine.isExpired)
        #expect(machine.handle(.expire) == [])
        #expect(machine.handle(Bench.ask()) == [.refuse(expired)])
        #expect(machine.handle(Bench.want(waiter: 11)) == [.failWaiter(11, expired)])
        #expect(machine.handle(.request(2, .respond)) == [.refuse(expired)])
        #expect(machine.handle(.request(3, .accepted(lease: nil))) == [.releaseKey(request: 3)])
        #expect(machine.nextDeadline == nil)
    }
}
