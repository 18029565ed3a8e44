import MdocTrust
import RequestPlanner
import Testing

@testable import ReaderService

@Suite("The purpose chooses the policy")
struct PurposePoliciesTests {
    @Test("An age accepts that revocation is not known, and every other purpose refuses it")
    func defaults() {
        let policies = PurposePolicies()
        #expect(policies.policy(for: [.age]) == .age)
        for purpose in RequestPurpose.allCases where purpose != .age {
            #expect(policies.policy(for: [purpose]) == .rental(staleDays: 0), "\(purpose)")
        }
    }

    @Test("The operator may set another policy for a purpose, and for no other")
    func changed() {
        var policies = PurposePolicies()
        policies[.rental] = .age
        #expect(policies.policy(for: [.rental]) == .age)
        #expect(policies.policy(for: [.identity]) == .rental(staleDays: 0))
    }

    @Test("What is asked in one session is judged by the strictest of its purposes, in any order")
    func session() {
        var policies = PurposePolicies()
        policies[.rental] = .rental(staleDays: 3)
        #expect(policies.policy(for: [.age, .rental]) == .rental(staleDays: 3))
        #expect(policies.policy(for: [.rental, .age]) == .rental(staleDays: 3))
        #expect(policies.policy(for: [.rental, .identity]) == .rental(staleDays: 0))
        #expect(policies.policy(for: []) == nil)
    }

    @Test("Another policy is taken where it accepts no more, and refused where it does")
    func choices() {
        var policies = PurposePolicies()
        policies[.rental] = .rental(staleDays: 3)
        #expect(policies.policy(for: [.age], choosing: [.rental(staleDays: 9)]) == .rental(staleDays: 9))
        #expect(policies.policy(for: [.rental], choosing: [.rental(staleDays: 3)]) == .rental(staleDays: 3))
        #expect(policies.policy(for: [.rental], choosing: [.rental(staleDays: 4)]) == nil)
        #expect(policies.policy(for: [.rental], choosing: [.age]) == nil)
        #expect(policies.policy(for: [.rental], choosing: [nil]) == .rental(staleDays: 3))
    }

    @Test("An order may be stricter than its lane, and never accepts more")
    func laneAndOrder() {
        let policies = PurposePolicies()
        let lane = RevocationPolicy.rental(staleDays: 2)
        #expect(
            policies.policy(for: [.age], choosing: [lane, .rental(staleDays: 0)]) == .rental(staleDays: 0))
        #expect(policies.policy(for: [.age], choosing: [lane, .age]) == nil)
        #expect(policies.policy(for: [.age], choosing: [nil, .age]) == .age)
    }
}
