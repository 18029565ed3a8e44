import Accessories
import Testing

@Suite("Random walks of the machine of a contact")
struct ContactMachineWalkTests {
    @Test("Whatever happens in whatever order, the contact keeps its rules", arguments: 0..<60)
    func walk(seed: Int) {
        var walk = ContactWalk(seed: UInt64(seed))
        for _ in 0..<500 { walk.step() }
        walk.stop()
        // A walk that closes nothing would prove nothing.
        #expect(walk.pulses > 0)
    }
}
