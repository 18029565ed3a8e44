import Deadlines
import Testing

@testable import countersignd

@Suite("The configuration that counts in a kiosk of a fleet")
struct ConfigurationInForceTests {
    /// Lanes that are in use until somebody says otherwise.
    private actor Lanes {
        private(set) var names: [String] = []
        private var isInUse = false
        private var isHeld = false
        /// Whether lanes came.
        private(set) var isAsked = false

        func use(_ isInUse: Bool) { self.isInUse = isInUse }
        func hold(_ isHeld: Bool) { self.isHeld = isHeld }

        func put(_ configuration: DaemonConfiguration) async -> Bool {
            if !configuration.lanes.isEmpty {
                isAsked = true
                try? await until("its release") { await !self.isHeld }
            }
            guard !isInUse else { return false }
            names = configuration.lanes.map(\.name)
            return true
        }
    }

    private let lanes = Lanes()

    private func configuration(_ name: String) throws -> DaemonConfiguration {
        try DaemonConfiguration(Array(#"{"lanes": [{"name": "\#(name)"}]}"#.utf8), environment: [:])
    }

    private func inForce() throws -> ConfigurationInForce {
        let lanes = lanes
        return ConfigurationInForce(try configuration("one"), replace: { await lanes.put($0) })
    }

    @Test("A stopped kiosk stays without lanes whatever is applied, and has the latest once it is started")
    func stopped() async throws {
        let inForce = try inForce()
        await inForce.setStopped(true)
        #expect(await inForce.apply(try configuration("two"), within: .seconds(5)))
        #expect(await lanes.names.isEmpty)
        await inForce.setStopped(false)
        #expect(await lanes.names == ["two"])
    }

    @Test("A change waits for a lane in use, and no longer than it may")
    func inUse() async throws {
        let inForce = try inForce()
        await lanes.use(true)
        #expect(await !inForce.apply(try configuration("two"), within: .zero))
        #expect(await lanes.names.isEmpty)
        await lanes.use(false)
        #expect(await inForce.apply(try configuration("three"), within: .zero))
        #expect(await lanes.names == ["three"])
    }

    @Test("A fleet's trust is judged by the clock skew of the configuration in force")
    func clockSkew() async throws {
        let inForce = try inForce()
        #expect(await inForce.clockSkew == 60)
        let text = #"{"lanes": [{"name": "one"}], "clockSkewSeconds": 300}"#
        let other = try DaemonConfiguration(Array(text.utf8), environment: [:])
        #expect(await inForce.apply(other, within: .seconds(5)))
        #expect(await inForce.clockSkew == 300)
    }

    @Test("A stop does not wait for a change that is under way, which then brings no lane")
    func overtaken() async throws {
        let inForce = try inForce()
        await lanes.hold(true)
        let two = try configuration("two")
        let change = Task { await inForce.apply(two, within: .seconds(30)) }
        try await until("the change to be under way") { await lanes.isAsked }
        await inForce.setStopped(true)
        await lanes.hold(false)
        #expect(await change.value)
        #expect(await lanes.names.isEmpty)
    }
}
