internal import BlueZTransport
internal import CommandLineInterface
internal import ConfigurationForms
internal import countersignd
internal import JSON
internal import MdocTrust
internal import ReaderIdentityStore

/// The daemon's file: taken, or refused with faults that stand in it.
@discardableResult
func fuzzDaemonConfiguration(_ input: ArraySlice<UInt8>) -> Bool {
    do throws(ConfigurationFaults) {
        let configuration = try DaemonConfiguration(Array(input), environment: [:])
        let other = try DaemonConfiguration(Array(input), environment: ["COUNTERSIGND_LOG": "debug"])
        demand(configuration == configuration && other == other, "a configuration differs from itself")
        return true
    } catch {
        demand(!error.faults.isEmpty, "refused without a fault")
        let lines = 1 + input.count { $0 == 0x0a }
        demand(error.faults.allSatisfy { (1...lines).contains($0.line) }, "a fault outside the file")
        let text = error.text(of: "FILE")
        demand(text.utf8.count { $0 == 0x0a } == error.faults.count - 1, "a fault of several lines, or none")
        return false
    }
}

/// The file of policies.
@discardableResult
func fuzzPolicyFile(_ input: ArraySlice<UInt8>) -> Bool {
    do throws(JSONFault) {
        let text = try JSONText(input)
        let file = try PolicyFile(text)
        for name in [file.standard, "age", "rental"] {
            guard let policy = file.policies[name] else { fatalError("a policy is lost") }
            demand(policy.name == name, "a policy under another's name")
        }
        demand((0...3600).contains(file.clockSkew), "a clock skew beyond the limit")
        return true
    } catch {
        demand((1...1 + input.count { $0 == 0x0a }).contains(error.line), "a fault outside the file")
        demand(!error.explanation.isEmpty, "a fault without words")
        return false
    }
}

/// The file of identity rules: what was read and written anew is the same.
@discardableResult
func fuzzIdentityRules(_ input: ArraySlice<UInt8>) -> Bool {
    guard let rules = try? IdentityRules(json: Array(input)) else { return false }
    guard let text = try? rules.json(), let again = try? IdentityRules(json: text) else {
        fatalError("rules written anew are refused")
    }
    demand(again == rules, "rules written anew are others")
    for rule in rules.rules {
        var changed = rules
        changed.set(rule)
        demand(changed.rules.contains(rule), "a rule that was set is not there")
        demand(
            changed.remove(wallet: rule.wallet, brand: rule.brand, docType: rule.docType),
            "a rule cannot be removed")
        demand(!changed.rules.contains(rule), "a rule that was removed is there")
    }
    return !rules.rules.isEmpty
}
